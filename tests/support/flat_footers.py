"""Thrift footers made to order: every field of FileMetaData that a form carries, in any combination."""

from __future__ import annotations

import struct as packing

from hypothesis import strategies as st
from support.varints import varint, zigzag

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
FIXED_LENGTH = {0: 1, 1: 4, 2: 8, 3: 12, 4: 4, 5: 8}


def i32(value: int | None):
    return None if value is None else (I32, zigzag(value))


def i64(value: int | None):
    return None if value is None else (I64, zigzag(value))


def i16(value: int | None):
    return None if value is None else (I16, zigzag(value))


def byte(value: int | None):
    return None if value is None else (BYTE, packing.pack("b", value))


def binary(value: bytes | None):
    return None if value is None else (BINARY, varint(len(value)) + value)


def boolean(value: bool | None):
    return None if value is None else (TRUE if value else FALSE, b"")


def nested(value: bytes | None):
    return None if value is None else (STRUCT, value)


def list_of(type: int, items: list[bytes] | None):
    if items is None:
        return None
    head = bytes([len(items) << 4 | type]) if len(items) < 15 else bytes([0xF0 | type]) + varint(len(items))
    return LIST, head + b"".join(items)


def struct(**fields) -> bytes:
    """Return a struct of `f<id>=value` in ascending order of the ids; None values are omitted."""
    out, previous = bytearray(), 0
    for id, value in sorted((int(name[1:]), value) for name, value in fields.items()):
        if value is None:
            continue
        type, body = value
        out += bytes([id - previous << 4 | type]) if id - previous < 16 else bytes([type]) + zigzag(id)
        out += body
        previous = id
    return bytes(out) + b"\0"


def element(
    name: bytes,
    *,
    type=None,
    type_length=None,
    repetition=None,
    children=None,
    converted=None,
    scale=None,
    precision=None,
    field_id=None,
    logical: bytes | None = None,
) -> bytes:
    return struct(
        f1=i32(type),
        f2=i32(type_length),
        f3=i32(repetition),
        f4=binary(name),
        f5=i32(children),
        f6=i32(converted),
        f7=i32(scale),
        f8=i32(precision),
        f9=i32(field_id),
        f10=nested(logical),
    )


def statistics(
    *,
    max=None,
    min=None,
    null_count=None,
    distinct_count=None,
    max_value=None,
    min_value=None,
    max_exact=None,
    min_exact=None,
) -> bytes:
    return struct(
        f1=binary(max),
        f2=binary(min),
        f3=i64(null_count),
        f4=i64(distinct_count),
        f5=binary(max_value),
        f6=binary(min_value),
        f7=boolean(max_exact),
        f8=boolean(min_exact),
    )


def encoding_stats(page_type: int, encoding: int, count: int = 1) -> bytes:
    return struct(f1=i32(page_type), f2=i32(encoding), f3=i32(count))


def key_value(key: bytes, value: bytes | None = None) -> bytes:
    return struct(f1=binary(key), f2=binary(value))


def metadata(
    type: int,
    path: list[bytes],
    *,
    encodings=(0, 3),
    codec=0,
    num_values=1,
    uncompressed=10,
    compressed=10,
    data_page=4,
    index_page=None,
    dictionary_page=None,
    stats: bytes | None = None,
    page_stats=None,
    key_values=None,
    bloom_offset=None,
    bloom_length=None,
) -> bytes:
    return struct(
        f1=i32(type),
        f2=list_of(I32, [zigzag(e) for e in encodings]),
        f3=list_of(BINARY, [binary(part)[1] for part in path]),
        f4=i32(codec),
        f5=i64(num_values),
        f6=i64(uncompressed),
        f7=i64(compressed),
        f8=list_of(STRUCT, key_values),
        f9=i64(data_page),
        f10=i64(index_page),
        f11=i64(dictionary_page),
        f12=nested(stats),
        f13=list_of(STRUCT, page_stats),
        f14=i64(bloom_offset),
        f15=i32(bloom_length),
    )


def chunk(
    meta: bytes | None,
    *,
    file_path=None,
    file_offset=0,
    offset_index=None,
    offset_index_length=None,
    column_index=None,
    column_index_length=None,
) -> bytes:
    return struct(
        f1=binary(file_path),
        f2=i64(file_offset),
        f3=nested(meta),
        f4=i64(offset_index),
        f5=i32(offset_index_length),
        f6=i64(column_index),
        f7=i32(column_index_length),
    )


def sorting_column(index: int, descending: bool, nulls_first: bool) -> bytes:
    return struct(f1=i32(index), f2=boolean(descending), f3=boolean(nulls_first))


def row_group(
    chunks: list[bytes],
    *,
    num_rows=1,
    total_byte_size=10,
    sorting=None,
    file_offset=None,
    total_compressed_size=None,
    ordinal=None,
) -> bytes:
    return struct(
        f1=list_of(STRUCT, chunks),
        f2=i64(total_byte_size),
        f3=i64(num_rows),
        f4=list_of(STRUCT, sorting),
        f5=i64(file_offset),
        f6=i64(total_compressed_size),
        f7=i16(ordinal),
    )


def footer(
    elements: list[bytes],
    row_groups: list[bytes],
    *,
    version=2,
    num_rows=None,
    key_values=None,
    created_by: bytes | None = None,
    column_orders: list[int] | None = None,
) -> bytes:
    orders = None if column_orders is None else [struct(**{f"f{order}": nested(b"\0")}) for order in column_orders]
    rows = len(row_groups) if num_rows is None else num_rows
    return struct(
        f1=i32(version),
        f2=list_of(STRUCT, elements),
        f3=i64(rows),
        f4=list_of(STRUCT, row_groups),
        f5=list_of(STRUCT, key_values),
        f6=binary(created_by),
        f7=list_of(STRUCT, orders),
    )


# ---- Hypothesis strategies

INTS = st.integers(0, 2**40)
MAYBE_INTS = st.none() | INTS
NAMES = st.text(max_size=6).map(str.encode) | st.sampled_from([b"a", b"b", b"a.b", b""])


def _empty(member: int) -> bytes:
    return struct(**{f"f{member}": nested(b"\0")})


def _member(member: int, **fields) -> bytes:
    return struct(**{f"f{member}": nested(struct(**fields))})


LOGICAL_TYPES = st.one_of(
    st.sampled_from([1, 2, 3, 4, 6, 11, 12, 13, 14, 15, 19, 40]).map(_empty),
    st.builds(
        lambda scale, precision: _member(5, f1=i32(scale), f2=i32(precision)), st.integers(0, 9), st.integers(1, 38)
    ),
    st.builds(
        lambda member, utc, unit: _member(member, f1=boolean(utc), f2=nested(_empty(unit))),
        st.sampled_from([7, 8]),
        st.none() | st.booleans(),
        st.integers(1, 4),
    ),
    st.builds(
        lambda width, signed: _member(10, f1=byte(width), f2=boolean(signed)),
        st.sampled_from([8, 16, 32, 64]),
        st.none() | st.booleans(),
    ),
    st.builds(lambda version: _member(16, f1=byte(version)), st.none() | st.integers(-128, 127)),
    st.builds(lambda crs: _member(17, f1=binary(crs)), st.none() | st.binary(max_size=9)),
    st.builds(
        lambda crs, algorithm: _member(18, f1=binary(crs), f2=i32(algorithm)),
        st.none() | st.binary(max_size=9),
        st.none() | st.integers(-1, 200),
    ),
    st.just(b"\0"),
)


# Strategies that depend on no drawn value are made once: making one takes longer than drawing from it.
TYPES = st.integers(0, 7)
CODECS = st.integers(0, 7)
ANNOTATIONS = st.sampled_from(["none", "converted", "logical"])
LENGTHS = st.integers(1, 20)
NO_LENGTHS = st.none() | st.just(4)
CONVERTED = st.integers(-1, 23)
SCALES = st.none() | st.integers(0, 9)
PRECISIONS = st.none() | st.integers(1, 38)
FIELD_IDS = st.none() | st.integers(-2, 3)
ODD_BOUNDS = st.binary(max_size=24) | st.text(max_size=20).map(str.encode) | st.just(b"\xff" * 20)
ENCODINGS = st.lists(st.sampled_from([0, 2, 3, 4, 5, 8, 9, 17]), max_size=4)
MAYBE_LENGTHS = st.none() | st.integers(0, 99)
PAGE_STATS = st.none() | st.lists(st.builds(encoding_stats, st.integers(0, 3), st.sampled_from([0, 2, 8])), max_size=3)
FILE_PATHS = st.none() | st.just(b"part")


@st.composite
def leaf_types(draw) -> dict:
    """Physical type, annotations and length, not always ones that go together."""
    type = draw(TYPES)
    annotation = draw(ANNOTATIONS)
    return {
        "type": type,
        "type_length": draw(LENGTHS) if type == 7 else draw(NO_LENGTHS),
        "converted": draw(CONVERTED) if annotation == "converted" else None,
        "scale": draw(SCALES),
        "precision": draw(PRECISIONS),
        "logical": draw(LOGICAL_TYPES) if annotation == "logical" else None,
        "field_id": draw(FIELD_IDS),
    }


@st.composite
def bounds(draw, leaf: dict) -> bytes:
    """A value of the leaf's length, mostly."""
    length = leaf["type_length"] if leaf["type"] == 7 else FIXED_LENGTH.get(leaf["type"])
    if length is not None and draw(st.integers(0, 9)):
        return draw(st.binary(min_size=length, max_size=length))
    return draw(ODD_BOUNDS)


def pairs(size: int):
    """A few key-values."""
    return st.lists(st.builds(key_value, st.binary(max_size=size), st.none() | st.binary(max_size=size)), max_size=3)


CHUNK_PAIRS = st.none() | pairs(4)


@st.composite
def chunks(draw, leaf: dict, path: list[bytes], num_rows: int) -> bytes:
    maybe = st.none() | bounds(leaf)
    stats = draw(
        st.none()
        | st.builds(
            statistics,
            max=maybe,
            min=maybe,
            null_count=MAYBE_INTS,
            distinct_count=MAYBE_INTS,
            max_value=maybe,
            min_value=maybe,
            max_exact=st.none() | st.booleans(),
            min_exact=st.none() | st.booleans(),
        )
    )
    meta = metadata(
        leaf["type"],
        path,
        stats=stats,
        num_values=draw(st.just(num_rows) | INTS),
        codec=draw(CODECS),
        encodings=draw(ENCODINGS),
        uncompressed=draw(INTS),
        compressed=draw(INTS),
        data_page=draw(INTS),
        index_page=draw(MAYBE_INTS),
        dictionary_page=draw(MAYBE_INTS),
        bloom_offset=draw(MAYBE_INTS),
        bloom_length=draw(MAYBE_LENGTHS),
        page_stats=draw(PAGE_STATS),
        key_values=draw(CHUNK_PAIRS),
    )
    return chunk(
        meta if draw(st.integers(0, 19)) else None,
        file_path=draw(FILE_PATHS),
        offset_index=draw(MAYBE_INTS),
        offset_index_length=draw(MAYBE_LENGTHS),
        column_index=draw(MAYBE_INTS),
        column_index_length=draw(MAYBE_LENGTHS),
    )


@st.composite
def trees(draw, depth: int = 2) -> list:
    """[(name, leaf type or children), …]"""
    branches = leaf_types() if depth == 0 else leaf_types() | leaf_types() | trees(depth - 1)
    return draw(st.lists(st.tuples(NAMES, branches), min_size=1, max_size=4))


def _flatten(tree: list, above: list[bytes], elements: list[bytes], leaves: list, repetitions) -> None:
    for name, what in tree:
        if isinstance(what, dict):
            elements.append(element(name, repetition=repetitions(), **what))
            leaves.append((what, [*above, name]))
        else:
            elements.append(element(name, repetition=repetitions(), children=len(what)))
            _flatten(what, [*above, name], elements, leaves, repetitions)


@st.composite
def footers(draw, max_row_groups: int = 3) -> bytes:
    """A regular footer: one chunk per leaf in every row group."""
    tree = draw(trees())
    elements, leaves = [element(b"schema", children=len(tree))], []
    _flatten(tree, [], elements, leaves, lambda: draw(st.integers(0, 2)))
    groups = []
    for _ in range(draw(st.integers(0, max_row_groups))):
        rows = draw(INTS)
        sorting = draw(
            st.none() | st.lists(st.builds(sorting_column, st.integers(0, 5), st.booleans(), st.booleans()), max_size=2)
        )
        groups.append(
            row_group(
                [draw(chunks(leaf, path, rows)) for leaf, path in leaves],
                num_rows=rows,
                sorting=sorting,
                total_byte_size=draw(INTS),
                file_offset=draw(MAYBE_INTS),
                total_compressed_size=draw(MAYBE_INTS),
                ordinal=draw(st.none() | st.integers(0, 99)),
            )
        )
    return footer(
        elements,
        groups,
        version=draw(st.integers(0, 3)),
        num_rows=draw(INTS),
        key_values=draw(st.none() | pairs(9)),
        created_by=draw(st.none() | st.just(b"somebody")),
        column_orders=draw(
            st.none()
            | st.just([1] * len(leaves))
            | st.lists(st.integers(1, 4), min_size=len(leaves), max_size=len(leaves))
        ),
    )


def wide_footer(columns: int, row_groups: int) -> bytes:
    """INT64 columns c0, c1, … with statistics, all chunks alike."""
    elements = [element(b"schema", children=columns)]
    elements += [element(b"c%d" % i, type=2, repetition=1) for i in range(columns)]
    stats = statistics(null_count=0, min_value=bytes(8), max_value=b"\1" + bytes(7))
    group = row_group([chunk(metadata(2, [b"c%d" % i], stats=stats, data_page=4 + i)) for i in range(columns)])
    return footer(elements, [group] * row_groups, column_orders=[1] * columns)
