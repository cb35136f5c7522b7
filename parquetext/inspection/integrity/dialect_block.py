"""Check the arrow dialect's block against the Thrift footer next to it."""

from __future__ import annotations

from collections.abc import Iterable

from ... import thrift, wire
from ...errors import ParquetextError
from ...findings import Finding
from ...footer.dialect.dialect_form import DAMAGED, PLACE, decode_block, dialect_of, in_buffer
from ...footer.dialect.field_differences import Difference, Kind, differences, losses_of
from .report import Report

__all__ = ["check_dialect"]

KIND, UNCOMPARED = "forms-differ", "forms-uncompared"


def check_dialect(footer: bytes, tail, compared: bool, report: Report) -> None:
    """Walk all of the dialect's tables; with `compared`, also compare each field with the Thrift footer.

    Contradicting values are findings. Fields that the dialect does not carry are listed as losses.
    """
    block = dialect_of(tail)
    if block is None:
        return
    report.forms.append("arrow")
    try:
        decoded = decode_block(footer, tail, block)
    except ParquetextError as error:
        report.findings.append(Finding.of(DAMAGED, error, PLACE))
        return
    try:
        if not compared:
            decoded.to_thrift()
            return
        found = list(differences(thrift.read("FileMetaData", footer), decoded))
    except ParquetextError as error:
        if error.code == wire.MISSING_FIELD:  # `check_required` reports it
            message = f"not compared with the Thrift footer: {error.message}"
            report.findings.append(Finding(UNCOMPARED, message, block.payload, PLACE, is_note=True))
        else:
            report.findings.append(Finding.of(DAMAGED, in_buffer(error, block), PLACE))
        return
    report.losses += map(str, losses_of(found))
    report.extend(_contradictions(found, block.payload))


def _contradictions(found: Iterable[Difference], offset: int) -> list[Finding]:
    """One finding for each field that is not the same, with the first place."""
    by_field: dict[str, list[Difference]] = {}
    for one in found:
        if one.kind is Kind.DIFFERS:
            by_field.setdefault(one.field, []).append(one)
    return [
        Finding(
            KIND,
            f"{field} ({len(same):,} times, first {same[0].place}): Thrift says {same[0].thrift!r:.80}, "
            f"the dialect {same[0].dialect!r:.80}",
            offset,
            PLACE,
        )
        for field, same in by_field.items()
    ]
