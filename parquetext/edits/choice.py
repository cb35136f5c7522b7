"""Choose the footer form that pays off for a file by the size and shape of its Thrift footer, and give the reason."""

from __future__ import annotations

from typing import NamedTuple

from ..footer import forms
from ..footer.form_spec import Shape

SMALL_FOOTER = 16 << 10  # the first read of a remote file contains it completely
FEW_COLUMNS = 4  # any look-up needs much of such a footer


class Choice(NamedTuple):
    """The name of a form, that of the Thrift form if nothing is added, and the reason."""

    form: str
    reason: str


def choices(shape: Shape) -> list[Choice]:
    """Return the forms that do not refuse a file, the best one first; the Thrift form alone if nothing is gained."""
    if shape.footer_bytes <= SMALL_FOOTER:
        return [Choice(forms.THRIFT.name, f"a footer of {shape.footer_bytes:,} bytes is read whole in one request")]
    if shape.columns <= FEW_COLUMNS:
        reason = f"with {shape.columns} columns a look-up needs most of the footer anyway"
        return [Choice(forms.THRIFT.name, reason)]
    found: list[Choice] = []
    reason = ""
    for spec in (spec for spec in forms.WRITABLE.values() if spec.stands_alone):
        refusal = spec.refusal(shape)
        if refusal is None:
            chunks = (
                f"{shape.columns * shape.row_groups:,} column chunks, and the footer is {shape.share:.2%} of the file"
            )
            found.append(Choice(spec.name, reason or chunks))
        reason = reason or refusal or ""
    return found or [Choice(forms.THRIFT.name, reason)]
