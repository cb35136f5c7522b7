"""Convert claims to tables: pages, chunks, columns and kinds."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING

import pyarrow as pa

from ... import compute as pc
from ... import wire
from ...encoding.number_arrays import known, wrapped
from ...encoding.registry import names as encoding_names
from ..structure.structure import leaf_paths
from .data import PAGE_COLUMNS, Data
from .part_kinds import GROUPS, KINDS, group_of

if TYPE_CHECKING:
    from .encoded_parts import CopyParts


def page_table(data: Data, copies: Sequence[CopyParts]) -> pa.Table:
    """Return all pages, chunk by chunk; after them those of copies, copy by copy."""
    chunks = zip(data.row_groups, data.leaves, data.page_counts, repeat(-1), strict=False)
    copied = ((copy.row_group, copy.leaf, len(copy.pages["offset"]), row) for row, copy in enumerate(copies))
    columns = {name: array("i") for name in ("row_group", "column", "page", "copy")}
    for row_group, leaf, count, copy in chain(chunks, copied):
        for name, number in (("row_group", row_group), ("column", leaf), ("copy", copy)):
            columns[name].extend(array("i", (number,)) * count)
        columns["page"].extend(range(count))
    columns = {name: known(wrapped(numbers)) for name, numbers in columns.items()}
    for name in PAGE_COLUMNS:
        values = known(wrapped(_joined([data.pages[name], *(copy.pages[name] for copy in copies)])))
        columns[name] = _named(values, _NAMES[name]()) if name in _NAMES else values
    return pa.table(columns)


def _joined(parts: Sequence[array]) -> array:
    whole = parts[0][:] if len(parts) > 1 else parts[0]
    for part in parts[1:]:
        whole.extend(part)
    return whole


def chunk_table(scan, data: Data) -> pa.Table:
    """Return all chunks of the footer, row group by row group."""
    starts, ends = wrapped(data.starts), wrapped(data.ends)
    sizes = pc.subtract(ends, starts)
    is_here = pc.greater(sizes, 0)

    def fact(name: str, code: str) -> pa.Array:
        return wrapped(array(code, scan.chunks(name) if scan is not None else ()))

    return pa.table(
        {
            "row_group": pa.array(data.row_groups, pa.int32()),
            "column": known(pa.array(data.leaves, pa.int32())),
            "offset": pc.if_else(is_here, starts, None),
            "bytes": pc.if_else(is_here, sizes, None),
            "pages": wrapped(data.page_counts),
            "codec": _named(known(fact("codec", "i")), wire.NAMES_OF_COMPRESSION_CODEC),
            "encodings": fact("encodings", "I"),
            "num_values": known(fact("num_values", "q")),
            "null_count": known(fact("null_count", "q")),
            "uncompressed_bytes": known(fact("total_uncompressed_size", "q")),
        }
    )


def by_kind(parts: pa.Table) -> pa.Table:
    """Return bytes and parts of each kind that there is, in the order of `KINDS`."""
    found = _plain_kinds(parts).group_by("kind", use_threads=False).aggregate([("length", "sum"), ("length", "count")])
    sums = {row["kind"]: (row["length_sum"], row["length_count"]) for row in found.to_pylist()}
    rows = [(group_of(kind), kind, *sums[kind]) for kind in KINDS if kind in sums]
    schema = (("group", pa.string()), ("kind", pa.string()), ("bytes", pa.int64()), ("parts", pa.int64()))
    return pa.table({name: pa.array([row[at] for row in rows], kind) for at, (name, kind) in enumerate(schema)})


def by_column(scan, parts: pa.Table, data: Data) -> pa.Table:
    """Return bytes of each leaf by groups of kinds, and those of its pages once they are decompressed."""
    count = 0 if scan is None else scan.leaf_count
    sums = {group: array("q", bytes(8 * count)) for group in GROUPS}
    owned = parts.filter(pc.is_valid(parts["column"]))
    for row in (
        _plain_kinds(owned).group_by(["column", "kind"], use_threads=False).aggregate([("length", "sum")]).to_pylist()
    ):
        if row["column"] < count:
            sums[group_of(row["kind"])][row["column"]] += row["length_sum"]
    columns = {group: wrapped(values) for group, values in sums.items()}
    total = wrapped(array("q", map(sum, zip(*sums.values(), strict=True))))
    types = [] if scan is None else scan.elements("type")
    leaves = [] if scan is None else scan.leaves
    return pa.table(
        {
            "column": pa.array(range(count), pa.int32()),
            "path": pa.array(leaf_paths(scan), pa.string()),
            "type": pa.array([wire.NAMES_OF_TYPE.get(types[element]) for element in leaves], pa.string()),
            **columns,
            "total": total,
            **_decompressed(count, data),
        }
    )


def _decompressed(count: int, data: Data) -> dict[str, pa.Array]:
    """Return the decompressed bytes of each leaf: dictionaries, levels, values; null if a page was not read."""
    dictionaries, sizes = [0] * count, [0] * count
    levels: list[int | None] = [0] * count
    leaves = chain.from_iterable(map(repeat, data.leaves, data.page_counts))
    pages = zip(leaves, *(data.pages[name] for name in ("type", "uncompressed_size", "plain_levels")), strict=False)
    for leaf, kind, size, own in pages:
        if not 0 <= leaf < count:
            continue
        if kind == wire.PAGE_DICTIONARY_PAGE:
            dictionaries[leaf] += size
        elif kind in (wire.PAGE_DATA_PAGE, wire.PAGE_DATA_PAGE_V2):
            before = levels[leaf]
            levels[leaf] = None if own < 0 or before is None else before + own
            sizes[leaf] += size
    values = [None if own is None else size - own for size, own in zip(sizes, levels, strict=True)]
    named = {"plain_dictionary": dictionaries, "plain_levels": levels, "plain_values": values}
    return {name: pa.array(numbers, pa.int64()) for name, numbers in named.items()}


_NAMES = {"type": lambda: wire.NAMES_OF_PAGE_TYPE, "encoding": encoding_names}


def _named(numbers: pa.Array, names: dict[int, str]) -> pa.Array:
    """Return the names of numbers."""
    unknown = set(pc.unique(numbers.drop_null()).to_pylist()) - names.keys()
    names = names | {number: f"UNKNOWN_{number}" for number in sorted(unknown)}
    positions = pc.index_in(numbers, value_set=pa.array(names, numbers.type))
    return pa.DictionaryArray.from_arrays(positions, pa.array(list(names.values()), pa.string()))


def _plain_kinds(parts: pa.Table) -> pa.Table:
    return parts.set_column(parts.column_names.index("kind"), "kind", parts["kind"].cast(pa.string()))
