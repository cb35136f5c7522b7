"""The option for the footer of a new file that has the rows or row groups of others."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from ..footer import forms


class FormOfCopy(StrEnum):
    """The forms that such a file can have, in the order of `Form`; other functions write some of the others."""

    vars().update({str(form): str(form) for form in forms.Form if form in forms.of_new_files(forms.THRIFT.name)})


AUTO = FormOfCopy(forms.AUTO)
NewForm = Annotated[FormOfCopy, typer.Option(help="Footer of the new file. auto: choose by its size and shape.")]
