"""Report the answers of a column's Bloom filters about one value."""

from __future__ import annotations

from collections.abc import Iterator

from ... import kernels
from ...errors import Unsupported
from ...footer.bloom_filters import ELSEWHERE
from ...footer.plain import plain_forms
from ...pruning import Comparison, may_hold
from .conditions import parsed_value

ABSENT, MAYBE, NO_FILTER = "absent", "maybe", "no filter"


def bloom_answers(file, column: str, text: str) -> Iterator[dict]:
    """Yield True for each row group whose Bloom filter rules the value out.

    Parameters
    ----------
    file : parquetext.File
    column : str
        A leaf, as `parquetext.File.column` takes names.
    text : str
        The value; bytes as hexadecimal digits.

    Raises
    ------
    ColumnError
        No such column.
    ParquetextError
        The text is no value of the column's type.
    Unsupported
        Equal values of the column's type may be stored in several ways.
    """
    found = file.column(column)
    kind = found.leaf_type
    forms = plain_forms(Comparison(column, "==", parsed_value(text, kind.arrow)), kind, kind.arrow)
    if forms is None:
        raise Unsupported(
            f"column {column!r}: a Bloom filter of {found.physical_type} as {kind.arrow} cannot be asked for {text!r}"
        )
    hashes, source = [kernels.checksum.xxh64(form) for form in forms], file._source
    for number, offset in enumerate(found.bloom_filter_offset):
        answer = NO_FILTER
        if offset > 0 and not found.present[number] & ELSEWHERE:
            length = found.bloom_filter_length[number]
            answer = MAYBE if may_hold(source.read, source.size, offset, length, hashes) else ABSENT
        yield {"row_group_id": number, "answer": answer}
