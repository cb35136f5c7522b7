"""A slice is a valid Thrift footer of a projection; pyarrow reads the same values with it as with the whole footer."""

from __future__ import annotations

import io
import struct
from decimal import Decimal
from itertools import islice

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.samples import examples
from support.twins import both, outcome

from parquetext import kernels, wire
from parquetext.errors import ParquetextError, Unsupported

ROWS = 5
ARROW_SCHEMA = b"ARROW:schema"


def footer_of(file: bytes) -> bytes:
    length = struct.unpack("<I", file[-8:-4])[0]
    return file[-8 - length : -8]


def metadata_of(footer: bytes) -> pq.FileMetaData:
    return pq.read_metadata(io.BytesIO(b"PAR1" + footer + struct.pack("<I", len(footer)) + b"PAR1"))


def fields(data: bytes, at: int = 0) -> dict[int, tuple]:
    return {field[0]: field for field in kernels.thrift.fields(data, at)}


def field_bytes(data: bytes, id: int) -> bytes | None:
    found = fields(data).get(id)
    return None if found is None else bytes(data[found[3] : found[4]])


def sliced(file: bytes, leaves, row_groups=None, **options) -> bytes:
    scan = kernels.scan.scan(footer_of(file))
    row_groups = range(scan.row_group_count) if row_groups is None else row_groups
    return kernels.slice.slice_footer(scan, leaves, row_groups, **options)


def samples(kind: pa.DataType) -> list:
    """A few values of a type, some null."""
    if pa.types.is_null(kind):
        return [None] * ROWS
    if pa.types.is_struct(kind):
        parts = {field.name: samples(field.type) for field in kind}
        return [None if row == 1 else {name: part[row] for name, part in parts.items()} for row in range(ROWS)]
    if pa.types.is_map(kind):
        return [
            [],
            None,
            *(
                [(key, item) for key, item in zip("kl", samples(kind.item_type)[start:], strict=False)]
                for start in (0, 2, 4)
            ),
        ]
    if pa.types.is_fixed_size_list(kind):
        return [samples(kind.value_type)[row : row + 1] * kind.list_size for row in range(ROWS)]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return [samples(kind.value_type), [], None, samples(kind.value_type)[:1], []]
    if pa.types.is_decimal(kind):
        return [Decimal(0), None, Decimal(2), Decimal(3), Decimal(4)]
    if pa.types.is_boolean(kind):
        return [True, None, False, True, False]
    if pa.types.is_fixed_size_binary(kind):
        return [bytes([row]) * kind.byte_width for row in range(ROWS)]
    if "binary" in str(kind):
        return [b"a", None, b"ccc", b"", b"a"]
    if "string" in str(kind):
        return ["a", None, "ccc", "", "a"]
    return [0, None, 2, 3, 4]


def values(kind: pa.DataType) -> pa.Array:
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, values(kind.storage_type))
    if kind == pa.date64():
        return pa.array([0, None, 2, 3, 4], pa.date32()).cast(kind)
    return pa.array(samples(kind), kind)


DEEP = pa.struct(
    [
        pa.field("a", pa.duration("us")),
        pa.field("b", pa.struct([pa.field("c", pa.string_view()), pa.field("d", pa.uint8(), metadata={"m": "d"})])),
        pa.field("e", pa.list_(pa.struct([pa.field("f", pa.time32("ms")), pa.field("g", pa.large_string())]))),
    ]
)
TYPES = {
    "int32": pa.int32(),
    "uint16": pa.uint16(),
    "uint64": pa.uint64(),
    "int8": pa.int8(),
    "half": pa.float16(),
    "float": pa.float32(),
    "double": pa.float64(),
    "bool": pa.bool_(),
    "string": pa.string(),
    "large_string": pa.large_string(),
    "string_view": pa.string_view(),
    "binary": pa.binary(),
    "large_binary": pa.large_binary(),
    "binary_view": pa.binary_view(),
    "fixed": pa.binary(3),
    "decimal": pa.decimal128(38, 4),
    "decimal256": pa.decimal256(60, 2),
    "decimal32": pa.decimal32(9, 1),
    "date32": pa.date32(),
    "date64": pa.date64(),
    "time32": pa.time32("ms"),
    "time64": pa.time64("ns"),
    "zoned": pa.timestamp("us", "Asia/Kathmandu"),
    "naive": pa.timestamp("ns"),
    "seconds": pa.timestamp("s"),
    "duration": pa.duration("ms"),
    "dictionary": pa.dictionary(pa.int16(), pa.string()),
    "ordered": pa.dictionary(pa.int32(), pa.large_string(), ordered=True),
    "null": pa.null(),
    "uuid": pa.uuid(),
    "list": pa.list_(pa.duration("s")),
    "large_list": pa.large_list(pa.int16()),
    "fixed_list": pa.list_(pa.uint32(), 2),
    "list_list": pa.list_(pa.large_list(pa.duration("ns"))),
    "map": pa.map_(pa.large_string(), pa.timestamp("ms", "UTC")),
    "deep": DEEP,
}


def _file(types: dict[str, pa.DataType], lengths=(ROWS, 3), **options) -> bytes:
    schema = pa.schema([pa.field(name, kind, metadata={"of": name}) for name, kind in types.items()])
    table = pa.table([values(kind) for kind in types.values()], schema=schema)
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, schema, **options) as writer:
        for length in lengths:
            writer.write_table(table.slice(0, length))
    return sink.getvalue()


@pytest.fixture(scope="module")
def all_types() -> bytes:
    return _file(TYPES)


def same(got: pa.Table, expected: pa.Table) -> None:
    got.validate(full=True)
    assert got.schema.remove_metadata().equals(expected.schema.remove_metadata(), check_metadata=True)
    assert got.equals(expected) or repr(got.to_pylist()) == repr(expected.to_pylist())  # NaN is unequal to itself


def leaves_by_prefix(file: bytes, prefix: str) -> list[int]:
    """The leaves whose dotted path is `prefix` or below it."""
    schema = metadata_of(footer_of(file)).schema
    paths = [schema.column(leaf).path for leaf in range(len(schema))]
    return [leaf for leaf, path in enumerate(paths) if path == prefix or path.startswith(prefix + ".")]


@pytest.mark.parametrize("column", TYPES)
def test_each_type_is_read_by_its_slice_as_by_the_whole_footer(implementation, all_types, column):
    footer = sliced(all_types, leaves_by_prefix(all_types, column))
    got = pq.ParquetFile(io.BytesIO(all_types), metadata=metadata_of(footer)).read()
    same(got, pq.ParquetFile(io.BytesIO(all_types)).read(columns=[column]))


@pytest.mark.parametrize(
    "paths",
    [
        ["deep.a"],
        ["deep.b"],
        ["deep.b.c"],
        ["deep.b.d"],
        ["deep.e"],
        ["deep.a", "deep.b.d"],
        ["deep.b.c", "deep.e"],
        ["int32", "deep.b.d", "map"],
        ["dictionary", "deep.b.c", "ordered"],
    ],
    ids=" ".join,
)
def test_structs_are_cut_in_arrow_schema_too(implementation, all_types, paths):
    leaves = sorted(leaf for path in paths for leaf in leaves_by_prefix(all_types, path))
    got = pq.ParquetFile(io.BytesIO(all_types), metadata=metadata_of(sliced(all_types, leaves))).read()
    expected = pq.ParquetFile(io.BytesIO(all_types)).read(columns=paths)
    same(got, expected.select(got.column_names))
    assert set(got.column_names) == set(expected.column_names)


@pytest.mark.parametrize("paths", [["s.c"], ["s"], ["l"], ["s.b", "l"]], ids=" ".join)
def test_nested_dictionaries_stay_dictionaries(implementation, paths):
    """In one row group: pyarrow reads no more of them."""
    kind = pa.dictionary(pa.int8(), pa.string())
    file = _file({"s": pa.struct([("b", pa.int8()), ("c", kind)]), "l": pa.list_(kind)}, lengths=(ROWS,))
    leaves = sorted(leaf for path in paths for leaf in leaves_by_prefix(file, path))
    got = pq.ParquetFile(io.BytesIO(file), metadata=metadata_of(sliced(file, leaves))).read()
    same(got, pq.ParquetFile(io.BytesIO(file)).read(columns=paths))


def test_without_arrow_schema_types_are_those_of_parquet(implementation, all_types):
    leaves = leaves_by_prefix(all_types, "duration")
    footer = sliced(all_types, leaves, arrow_schema=False)
    assert pq.ParquetFile(io.BytesIO(all_types), metadata=metadata_of(footer)).schema_arrow.types == [pa.int64()]
    assert ARROW_SCHEMA not in footer


@pytest.mark.parametrize("row_groups", [[0], [1], [1, 0], [0, 0], []], ids=str)
def test_row_groups_have_the_requested_order(implementation, all_types, row_groups):
    footer = sliced(all_types, [0, 8], row_groups)
    metadata, lengths = metadata_of(footer), [(ROWS, 3)[index] for index in row_groups]
    assert [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)] == lengths
    assert metadata.num_rows == sum(lengths)
    whole = pq.ParquetFile(io.BytesIO(all_types))
    if row_groups:
        expected = pa.concat_tables(whole.read_row_groups([index], ["int32", "string"]) for index in row_groups)
        same(pq.ParquetFile(io.BytesIO(all_types), metadata=metadata).read(), expected)


def test_sizes_are_sums_over_the_kept_chunks(implementation, all_types):
    whole, part = metadata_of(footer_of(all_types)), metadata_of(sliced(all_types, [1, 3]))
    for index in range(2):
        chosen = [whole.row_group(index).column(leaf) for leaf in (1, 3)]
        assert part.row_group(index).total_byte_size == sum(chunk.total_uncompressed_size for chunk in chosen)
        row_group = kernels.scan.scan(sliced(all_types, [1, 3])).row_groups("total_compressed_size")
        assert row_group[index] == sum(chunk.total_compressed_size for chunk in chosen)


def test_chunks_and_elements_are_copied(implementation, all_types):
    scan, part = kernels.scan.scan(footer_of(all_types)), kernels.scan.scan(sliced(all_types, [2, 5]))

    def chunk(scan, index):
        start = scan.chunks("chunk_offset")[index]
        return bytes(scan.data[start : start + scan.chunks("chunk_length")[index]])

    def element(scan, index):
        start = scan.elements("bytes_offset")[index]
        return bytes(scan.data[start : start + scan.elements("bytes_length")[index]])

    count = scan.leaf_count
    assert [chunk(part, i) for i in range(4)] == [chunk(scan, i) for i in (2, 5, count + 2, count + 5)]
    assert [element(part, i) for i in (1, 2)] == [element(scan, i) for i in (3, 6)]
    assert list(part.elements("num_children"))[:1] == [2]


def test_column_orders_are_those_of_the_leaves(implementation, all_types):
    whole = kernels.scan.scan(footer_of(all_types))
    part = kernels.scan.scan(sliced(all_types, [0, 4]))
    orders = [whole.elements("column_order")[whole.leaves[leaf]] for leaf in (0, 4)]
    assert [part.elements("column_order")[element] for element in part.leaves] == orders == [1, 1]


def test_key_values_are_included_on_request(implementation):
    table = pa.table({"x": [1], "y": [2]}).replace_schema_metadata({"mine": "kept", "empty": ""})
    sink = io.BytesIO()
    pq.write_table(table, sink)
    footer = sliced(sink.getvalue(), [1], key_values=True)
    pairs = metadata_of(footer).metadata
    assert set(pairs) == {b"mine", b"empty", ARROW_SCHEMA} and pairs[b"mine"] == b"kept"
    assert set(metadata_of(sliced(sink.getvalue(), [1])).metadata) == {ARROW_SCHEMA}
    without = sliced(sink.getvalue(), [1], key_values=True, arrow_schema=False)
    assert set(metadata_of(without).metadata) == {b"mine", b"empty"}


def test_a_file_without_arrow_schema_gets_none(implementation):
    file = _file({"d": pa.duration("ms"), "i": pa.int8()}, store_schema=False)
    assert ARROW_SCHEMA not in sliced(file, [0])


def test_a_slice_of_a_slice_is_the_smaller_slice(implementation, all_types):
    wider = kernels.scan.scan(sliced(all_types, list(range(10))))
    assert kernels.slice.slice_footer(wider, [2, 7], [1]) == sliced(all_types, [2, 7], [1])


def test_both_read_a_whole_file_equally(implementation, all_types):
    count = kernels.scan.scan(footer_of(all_types)).leaf_count
    got = pq.ParquetFile(io.BytesIO(all_types), metadata=metadata_of(sliced(all_types, range(count)))).read()
    same(got, pq.ParquetFile(io.BytesIO(all_types)).read())


def test_the_slice_of_one_among_many_columns_is_small(implementation):
    wide = _file({f"column {i}": pa.int32() for i in range(300)})
    assert len(sliced(wide, [150])) < 1200 < len(footer_of(wide)) / 30


@pytest.mark.parametrize(
    ("leaves", "row_groups"), [([99], [0]), ([-1], [0]), ([1, 0], [0]), ([1, 1], [0]), ([0], [2])], ids=str
)
def test_indexes_out_of_range_or_order_are_errors(implementation, all_types, leaves, row_groups):
    with pytest.raises(ParquetextError) as caught:
        sliced(all_types, leaves, row_groups)
    assert caught.value.code == wire.BAD_ARGUMENT


def _with_other_fields(name: bytes) -> bytes:
    """The footer of two columns whose ARROW:schema calls the second one differently, or has only the first."""
    file = _file({"d": pa.duration("ms"), "i": pa.int8()})
    scan = kernels.scan.scan(footer_of(file))
    start = scan.key_values("value_offset")[0]
    text = bytes(scan.data[start : start + scan.key_values("value_length")[0]])
    assert bytes(scan.data[scan.key_values("key_offset")[0] :][:12]) == ARROW_SCHEMA
    pieces = kernels.slice.arrow_pieces(text)
    other = kernels.slice.arrow_build(pieces, [b"d", name]) if name else kernels.slice.arrow_build(pieces[:1], [b"d"])
    return _replaced(scan, other)


def _replaced(scan, text: bytes) -> bytes:
    """The scanned footer with another ARROW:schema, its only key-value."""
    data = bytes(scan.data)
    varint = kernels.varint
    pair = b"\x18\x0c" + ARROW_SCHEMA + b"\x18" + varint.encode(len(text)) + text + b"\0"
    _, _, _, value, end = fields(data)[wire.FILE_META_DATA_KEY_VALUE_METADATA]
    return data[:value] + b"\x1c" + pair + data[end:]


@pytest.mark.parametrize("name", [b"other", b""], ids=["another name", "another number of fields"])
def test_an_arrow_schema_that_does_not_fit_is_left_out(implementation, name):
    scan = kernels.scan.scan(_with_other_fields(name))
    assert ARROW_SCHEMA not in kernels.slice.slice_footer(scan, [1], [0])


def test_a_broken_arrow_schema_is_left_out(implementation, all_types):
    scan = kernels.scan.scan(footer_of(_file({"d": pa.duration("ms")})))
    broken = kernels.scan.scan(_replaced(scan, b"//8AAA=="))
    footer = kernels.slice.slice_footer(broken, [0], [0])
    assert ARROW_SCHEMA not in footer and metadata_of(footer).num_columns == 1


def test_a_row_group_with_chunks_missing_is_refused(implementation):
    file = _file({"d": pa.duration("ms"), "i": pa.int8()}, store_schema=False)
    scan = kernels.scan.scan(footer_of(file))
    start, length = scan.chunks("chunk_offset")[1], scan.chunks("chunk_length")[1]
    data = bytes(scan.data)
    columns = scan.row_groups("columns_offset")[0]
    assert data[columns] == 0x2C  # a list of two structs
    cut = kernels.scan.scan(data[:columns] + b"\x1c" + data[columns + 1 : start] + data[start + length :])
    with pytest.raises(Unsupported) as caught:
        kernels.slice.slice_footer(cut, [0], [0])
    assert (caught.value.code, caught.value.expected, caught.value.found) == (wire.IRREGULAR, 2, 1)
    assert metadata_of(kernels.slice.slice_footer(cut, [0], [1])).num_rows == 3


@pytest.mark.parametrize(
    "footer",
    [
        pytest.param(b"\x15\x02\x00", id="no schema"),
        pytest.param(b"\x15\x02\x19\x0c\x16\x00\x19\x0c\x00", id="no elements"),
        pytest.param(b"\x15\x02\x19\x1c\x48\x01m\x15\x04\x00\x16\x00\x19\x0c\x00", id="no tree"),
    ],
)
def test_of_a_footer_that_contradicts_itself_nothing_is_made(implementation, footer):
    scan = kernels.scan.scan(footer, strict=False)
    for make in (lambda: kernels.slice.slice_footer(scan, [], []), lambda: kernels.flat.write(scan, verbatim=False)):
        with pytest.raises(ParquetextError) as caught:
            make()
        assert str(caught.value) == str(scan.problem)


@settings(max_examples=examples(60), deadline=None)
@given(st.data())
def test_both_slice_any_projection_equally(all_types, data):
    native, pure = both("slice")
    native_scan, pure_scan = (module.scan(footer_of(all_types)) for module in both("scan"))
    leaves = sorted(data.draw(st.sets(st.integers(0, native_scan.leaf_count - 1), max_size=20)))
    row_groups = data.draw(st.lists(st.integers(0, 1), max_size=3))
    options = {"arrow_schema": data.draw(st.booleans()), "key_values": data.draw(st.booleans())}
    footer = native.slice_footer(native_scan, leaves, row_groups, **options)
    assert footer == pure.slice_footer(pure_scan, leaves, row_groups, **options)
    again = both("scan")[0].scan(footer)
    assert (again.end, again.leaf_count, again.row_group_count) == (len(footer), len(leaves), len(row_groups))


SMALL = {"d": pa.duration("ms"), "s": pa.struct([pa.field("a", pa.int8()), pa.field("b", pa.list_(pa.string()))])}


@settings(max_examples=examples(300), deadline=None)
@given(st.data())
def test_both_slice_a_mutated_footer_equally(data):
    native, pure = both("slice")
    native_scan, pure_scan = both("scan")
    footer = bytearray(SMALL_FOOTER)
    for _ in range(data.draw(st.integers(1, 4))):
        footer[data.draw(st.integers(0, len(footer) - 1))] = data.draw(st.integers(0, 255))
    footer = bytes(footer)
    try:
        scans = native_scan.scan(footer), pure_scan.scan(footer)
    except ParquetextError:
        return
    leaves = [leaf for leaf in (0, 2) if leaf < scans[0].leaf_count]
    row_groups = range(scans[0].row_group_count)
    results = [
        outcome(module.slice_footer, scan, leaves, row_groups, key_values=True)
        for module, scan in zip((native, pure), scans, strict=True)
    ]
    assert results[0] == results[1]


SMALL_FOOTER = footer_of(_file(SMALL))


# ---- the corpus


def sliceable(expected) -> list[dict]:
    return [entry for entry in expected if entry["footer"]["parses"] and entry["footer"]["trailing_bytes"] == 0]


def footer_at(path) -> bytes:
    with open(path, "rb") as file:
        size = file.seek(-8, 2)
        length = struct.unpack("<I", file.read(4))[0]
        file.seek(size - length)
        return file.read(length)


def top_level(scan) -> dict[int, list[int]]:
    """The leaves of each top-level element."""
    parents, columns = scan.elements("parent"), {}
    for leaf, element in enumerate(scan.leaves):
        while parents[element] > 0:
            element = parents[element]
        columns.setdefault(element, []).append(leaf)
    return columns


def projections(scan):
    """All, each top-level column alone, each row group alone; and each leaf alone, which may cut lists and maps."""
    leaves, row_groups = range(scan.leaf_count), range(scan.row_group_count)
    yield leaves, row_groups, True
    yield from ((column, row_groups, True) for column in islice(top_level(scan).values(), 60))
    yield from ((leaves, [row_group], True) for row_group in islice(row_groups, 30))
    yield from (([leaf], row_groups, False) for leaf in islice(leaves, 60))


def _pyarrow_parses(footer: bytes) -> bool:
    try:
        return metadata_of(footer) is not None
    except (OSError, ValueError):
        return False


def test_every_footer_of_the_corpus_can_be_sliced(corpus, expected):
    """Both give the same bytes, a whole footer of the projection; pyarrow parses it if it parses the file's."""
    (native_scan, pure_scan), (native, pure) = both("scan"), both("slice")
    count = 0
    assert len(sliceable(expected)) == 454
    for entry in sliceable(expected):
        data = footer_at(corpus / entry["file"])
        try:
            scan = native_scan.scan(data)
        except ParquetextError as error:
            with pytest.raises(type(error)):
                pure_scan.scan(data)
            continue
        twin = pure_scan.scan(data) if len(data) < 20_000 else None
        parses = _pyarrow_parses(data)
        for leaves, row_groups, whole in projections(scan):
            result = outcome(native.slice_footer, scan, leaves, row_groups)
            if twin is not None and len(leaves) * len(row_groups) < 200:
                assert result == outcome(pure.slice_footer, twin, leaves, row_groups), entry["file"]
            if result[0] == "error":
                assert not scan.regular, entry["file"]
                continue
            again = native_scan.scan(result[1])
            assert (again.end, again.leaf_count) == (len(result[1]), len(leaves)), entry["file"]
            assert again.row_group_count == len(row_groups)
            assert not (parses and whole) or _pyarrow_parses(result[1]), entry["file"]
        count += 1
    assert count == 453  # one has elements that are no tree


def test_pyarrow_reads_top_level_columns_of_the_corpus_by_their_slices(corpus, expected):
    compared = 0
    for entry in sliceable(expected):
        path = corpus / entry["file"]
        if entry["class"] != "readable" or path.stat().st_size > 1_000_000:
            continue
        scan = kernels.scan.scan(footer_at(path))
        if scan.leaf_count > 200 or len(scan.row_groups("num_rows")) > 50:
            continue
        whole = pq.ParquetFile(path).read()
        columns = list(top_level(scan).values())
        if len(columns) != whole.num_columns or len(set(whole.column_names)) != whole.num_columns:
            continue
        for index, leaves in list(enumerate(columns))[:: max(1, len(columns) // 8)]:
            footer = kernels.slice.slice_footer(scan, leaves, range(scan.row_group_count))
            got = pq.ParquetFile(path, metadata=metadata_of(footer)).read()
            same(got, whole.select([index]))
            compared += 1
    assert compared > 500
