"""Check that pyarrow has read as many rows as the row groups contain.

If a page has no values, pyarrow takes it for the end of the column chunk, and continues with the next row group.
"""

from __future__ import annotations

from .arrow_errors import ArrowMalformed

# Parts of pyarrow's messages if one column, or a part of a column, has fewer rows than another.
SYMPTOMS = (
    " expected length ",
    "columns do not have the same size",
    "has length smaller than expected for struct array",
    "levels exceeded upper bound",
    "level at the start of a record must be 0",  # the page without values is within a row
)


class RowsMissing(ArrowMalformed):
    """pyarrow gives fewer rows than the row groups have."""


def check_rows(found: int, expected: int, file: str | None = None) -> None:
    """Raise `RowsMissing` if pyarrow gives fewer rows than the row groups have.

    Parameters
    ----------
    found : int
        Rows that pyarrow gives.
    expected : int
        Sum of `num_rows` of the row groups that are read.
    file : str, optional
        Path for the error's message.
    """
    if found < expected:
        raise RowsMissing(f"pyarrow gives {found} of {expected} rows", file=file, expected=expected, found=found)


def is_row_loss(error: Exception) -> bool:
    """Return True if rows that pyarrow has lost may be the reason for its error."""
    message = str(error)
    return any(symptom in message for symptom in SYMPTOMS)
