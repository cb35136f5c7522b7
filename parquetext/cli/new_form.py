"""The option for the footer of a new file that has the rows or row groups of others."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from ..footer.forms import AUTO as ANY
from ..footer.forms import THRIFT, of_new_files


class FormOfCopy(StrEnum):
    """The forms that such a file can have; of the others, some are written by other functions."""

    vars().update({name: name for name in of_new_files(THRIFT.name)})


AUTO = FormOfCopy(ANY)
NewForm = Annotated[FormOfCopy, typer.Option(help="Footer of the new file. auto: choose by its size and shape.")]
