"""Describe a sidecar as plain values for text and JSON output."""

from __future__ import annotations

from .. import kernels, wire
from ..errors import ParquetextError
from ..findings import Finding
from ..storage import resolve
from .belonging import belonging, origin_of
from .building import LENGTH_AND_MAGIC
from .naming import candidates
from .origin import Belongs
from .plan import Plan, read_first


def description(path, *, sidecar=None, parquet_size: int | None = None) -> dict:
    """Describe the sidecar of a Parquet file, even if it does not belong to the file.

    Raises
    ------
    FileNotFoundError
        If there is no sidecar, or no file.
    Damaged, Unsupported
        If the sidecar cannot be read.
    """
    target = resolve(path)
    data, position = read_first(candidates(target) if sidecar is None else [resolve(sidecar)])
    try:
        reader = kernels.sidecar.Reader(data, parquet_size=parquet_size, verify=False)
    except ParquetextError as error:
        raise error.at(str(position)) from None
    findings, belongs = [], "by the version token given"
    for check in (reader.check, reader.footers):
        try:
            check()
        except ParquetextError as error:
            findings.append(str(Finding.of("sidecar-damaged", error)))
    if parquet_size is None:
        try:
            belongs = belonging(target, reader, origin_of(reader)).value
        except ParquetextError as error:
            belongs = str(error)
        if belongs == Belongs.NO.value:
            findings.append("sidecar-stale: it was made from another content of the Parquet file")
    plan = Plan(target, position, reader, Belongs.YES)
    names = [plan.column(index).name for index in range(plan.num_columns)]
    return {
        "path": str(target),
        "sidecar": str(position),
        "bytes": reader.footer.size,
        "belongs": belongs,
        "rows": plan.num_rows,
        "designated_timestamp": None if plan.designated_timestamp is None else names[plan.designated_timestamp],
        "sorting_columns": [names[column] for column in plan.sorting_columns],
        "commits": commits(reader) if not findings else [],
        "columns": [_column(plan.column(index)) for index in range(plan.num_columns)],
        "row_groups": _row_groups(plan),
        "findings": findings,
    }


def _column(column) -> dict:
    names = "name", "type", "type_code", "id", "physical_type", "repetition"
    return {name: getattr(column, name) for name in names}


def _row_groups(plan: Plan) -> list[dict]:
    sizes = [0] * plan.num_row_groups
    for column in plan.columns:
        sizes = [total + max(0, size) for total, size in zip(sizes, column.total_compressed_size, strict=True)]
    positions = zip(plan.row_counts, sizes, plan.reader.block_offsets, strict=True)
    return [{"rows": rows, "compressed_bytes": size, "block_offset": offset} for rows, size, offset in positions]


def commits(reader) -> list[dict]:
    """Return the chain of commits, the newest first.

    Live bytes are a snapshot's header, its blocks with the bytes that follow each, and its footer.
    """
    snapshots = [kernels.sidecar.Reader(reader.data, footer.size, verify=False) for footer in reader.footers()]
    starts = {offset for snapshot in snapshots for offset in (*snapshot.block_offsets, snapshot.footer.offset)}
    ordered = sorted(starts)
    behind = dict(zip(ordered, [*ordered[1:], reader.footer.size], strict=True))
    return [_commit(snapshot, ordered[0], behind) for snapshot in snapshots]


def _commit(snapshot, header_bytes: int, behind: dict[int, int]) -> dict:
    footer = snapshot.footer
    blocks = sum(behind[offset] - offset for offset in set(snapshot.block_offsets))
    live = header_bytes + blocks + footer.length + wire.PM_TRAILER_BYTES
    return {
        "size": footer.size,
        "parquet_size": footer.parquet_footer_offset + footer.parquet_footer_length + LENGTH_AND_MAGIC,
        "row_groups": footer.row_group_count,
        "unused_bytes": footer.unused_bytes,
        "seq_txn": footer.seq_txn,
        "live_bytes": live,
        "dead_bytes": footer.size - live,
    }
