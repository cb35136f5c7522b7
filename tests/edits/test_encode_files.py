"""Encoded files of all kinds: every reader's values stay, and the original comes back, byte for byte."""

from __future__ import annotations

import io
import os
import pickle
from pathlib import Path
from struct import pack
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.parquet_bytes import footer_of, with_footer
from support.samples import examples

import parquetext
from parquetext import edits, encoding, extension, kernels, wire
from parquetext.encoding.carried import copy_of
from parquetext.errors import ParquetextError, Refused, Unsupported
from parquetext.footer.thrift_form import ThriftForm
from parquetext.rewrite.chunks import MovedChunk
from parquetext.rewrite.structs import Fields, row_groups_of, struct_list, structs, with_row_groups

LARGEST = 200_000
# Contradictions that the chunk reader refuses, and pages whose checksums are wrong, as their names say.
BROKEN = {
    "bad_column_metadata.parquet",
    "huge_num_rows.parquet",
    "datapage_v1-corrupt-checksum.parquet",
    "rle-dict-uncompressed-corrupt-checksum.parquet",
}
BY_TYPE = {
    wire.PHYSICAL_BOOLEAN: ["rle", "plain"],
    wire.PHYSICAL_INT32: ["delta_binary_packed", "byte_stream_split", "plain"],
    wire.PHYSICAL_INT64: ["delta_binary_packed", "byte_stream_split", "plain"],
    wire.PHYSICAL_INT96: ["plain"],
    wire.PHYSICAL_FLOAT: ["byte_stream_split", "plain"],
    wire.PHYSICAL_DOUBLE: ["byte_stream_split", "plain"],
    wire.PHYSICAL_BYTE_ARRAY: ["delta_byte_array", "delta_length_byte_array", "plain"],
    wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY: ["byte_stream_split", "delta_byte_array", "plain"],
}
TABLE = pa.table(
    {
        "id": pa.array(range(2000), pa.int64()),
        "price": pa.array([row / 100 if row % 7 else None for row in range(2000)]),
        "name": pa.array([f"name {row % 50}" for row in range(2000)]),
    }
)


def leaves(data: bytes) -> dict[tuple[str, ...], int]:
    """Of a file the leaves' paths and physical types."""
    form = ThriftForm(footer_of(data))
    types = form.scan.elements("type")
    paths = (form.node(leaf).path.split(b"\0") for leaf in range(form.leaf_count))
    return {
        tuple(part.decode("utf-8", "surrogateescape") for part in path): types[form.scan.leaves[leaf]]
        for leaf, path in enumerate(paths)
    }


def parquet(table=TABLE, **options) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **{"row_group_size": 500, **options})
    return sink.getvalue()


def same(left: pa.Table, right: pa.Table) -> bool:
    return left.equals(right) or repr(left.to_pydict()) == repr(right.to_pydict())  # nan is not nan


def check(path: Path, data: bytes, columns: dict, **options) -> bytes:
    """Encode a file, read it, and take the copies out again; gives the encoded file."""
    path.write_bytes(data)
    table = pq.ParquetFile(path).read()
    edits.encode(path, columns, **options)
    encoded = path.read_bytes()
    assert same(pq.ParquetFile(path).read(), table)
    assert edits.strip(path).outcome == "stripped"
    assert path.read_bytes() == data
    return encoded


def test_files_of_all_writers_come_back(corpus, tmp_path):
    seen = 0
    for path in sorted(corpus.rglob("*.parquet"))[::5]:
        if path.stat().st_size > LARGEST or path.name in BROKEN:
            continue
        data = path.read_bytes()
        try:
            pq.ParquetFile(path).read()
            columns = {name: BY_TYPE[type][0] for name, type in leaves(data).items()}
        except (pa.ArrowException, OSError, ParquetextError):
            continue
        if pq.read_metadata(path).num_rows:
            check(tmp_path / "x.parquet", data, columns, codec="snappy")
            seen += 1
    assert seen > 30


@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_table_in_any_encodings_comes_back(tmp_path, data):
    rows = data.draw(st.integers(1, 60))
    kinds = {
        "b": (pa.bool_(), st.booleans()),
        "i": (pa.int32(), st.integers(-(1 << 31), (1 << 31) - 1)),
        "l": (pa.int64(), st.integers(-(1 << 63), (1 << 63) - 1)),
        "f": (pa.float32(), st.floats(width=32)),
        "d": (pa.float64(), st.floats()),
        "s": (pa.binary(), st.binary(max_size=9)),
        "x": (pa.binary(3), st.binary(min_size=3, max_size=3)),
        "n": (pa.list_(pa.int32()), st.lists(st.none() | st.integers(0, 9), max_size=4)),
    }
    names = data.draw(st.lists(st.sampled_from(sorted(kinds)), min_size=1, max_size=4, unique=True))
    columns = {
        name: pa.array(data.draw(st.lists(st.none() | kinds[name][1], min_size=rows, max_size=rows)), kinds[name][0])
        for name in names
    }
    file = parquet(
        pa.table(columns),
        row_group_size=data.draw(st.integers(1, 60)),
        data_page_version=data.draw(st.sampled_from(["1.0", "2.0"])),
        compression=data.draw(st.sampled_from(["none", "snappy", "zstd"])),
        use_dictionary=data.draw(st.booleans()),
        write_page_index=data.draw(st.booleans()),
    )
    paths = leaves(file)
    chosen = data.draw(st.lists(st.sampled_from(sorted(paths)), min_size=1, unique=True))
    wanted = {path: data.draw(st.sampled_from(BY_TYPE[paths[path]])) for path in chosen}
    path, out = tmp_path / "x.parquet", tmp_path / "out.parquet"
    codec = data.draw(st.sampled_from(["none", "zstd", "snappy", "gzip", "brotli", "lz4"]))
    encoded = check(path, file, wanted, codec=codec)
    out.write_bytes(encoded)
    assert same(parquetext.read_table(out, engine="parquetext"), pq.ParquetFile(io.BytesIO(file)).read())
    with_forms = data.draw(st.sampled_from(["flat", "index"]))
    edits.upgrade(out, form=with_forms)
    again = data.draw(st.sampled_from(sorted(paths)))
    upgraded = out.read_bytes()
    if edits.encode(out, {again: "plain"}).outcome == "encoded":
        assert parquetext.verify(out).ok
        edits.strip(out)
        assert out.read_bytes() == upgraded
    edits.strip(out)
    assert out.read_bytes() == file


def test_bloom_filters_and_page_indexes_are_found_at_their_new_offsets(tmp_path):
    data = parquet(write_page_index=True, bloom_filter_options={"id": True, "name": True}, data_page_size=200)
    path = tmp_path / "x.parquet"
    path.write_bytes(check(path, data, {"id": "delta_binary_packed", "name": "delta_byte_array"}))
    old, new = (kernels.scan.scan(footer_of(file)) for file in (data, path.read_bytes()))
    encoded = path.read_bytes()
    for index in range(old.chunk_count):
        before, after = ({name: scan.places(name)[index] for name in PLACES} for scan in (old, new))
        for kind in ("bloom_filter", "column_index"):
            length = before[f"{kind}_length"]
            assert after[f"{kind}_length"] == length
            begin, moved = before[f"{kind}_offset"], after[f"{kind}_offset"]
            assert encoded[moved : moved + max(length, 0)] == data[begin : begin + max(length, 0)]
    for number in range(4):
        wanted = [("id", "=", 500 * number + 7), ("name", "in", ["name 7"])]
        for engine in ("pyarrow", "parquetext"):
            found = parquetext.read_table(path, filters=wanted, engine=engine)
            assert found.column("id").to_pylist() == [500 * number + 7]


PLACES = [
    f"{kind}_{part}" for kind in ("bloom_filter", "column_index", "offset_index") for part in ("offset", "length")
]


def test_page_locations_have_the_offsets_of_the_pages(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(parquet(write_page_index=True, data_page_size=200, write_batch_size=50, use_dictionary=False))
    edits.encode(path, {"id": "delta_binary_packed"})
    data = path.read_bytes()
    scan, checked = kernels.scan.scan(footer_of(data)), 0
    for offset, length in zip(scan.places("offset_index_offset"), scan.places("offset_index_length"), strict=True):
        offsets, sizes, _ = kernels.page.locations(data[offset : offset + length])
        for begin, size in zip(offsets, sizes, strict=True):
            header = kernels.page.header(data, begin)
            assert header.header_size + header.compressed_size == size
            checked += 1
    assert checked > 20


def with_gaps(data: bytes, gap: bytes) -> bytes:
    """The file with bytes that nobody claims behind each chunk, and in front of the first one."""
    footer, groups, body = footer_of(data), [], bytearray(b"PAR1" + gap)
    for struct in row_groups_of(footer):
        group, moved = Fields(struct), []
        for chunk in structs(struct, group.places[wire.ROW_GROUP_COLUMNS][0]):
            one = MovedChunk(chunk)
            begin = len(body)
            body += data[one.begin : one.begin + one.size] + gap
            one.move_pages(begin)
            moved.append(one.to_bytes())
        group.put(wire.ROW_GROUP_COLUMNS, struct_list(moved))
        groups.append(group.to_bytes())
    footer = with_row_groups(footer, groups)
    return bytes(body) + footer + len(footer).to_bytes(4, "little") + b"PAR1"


@pytest.mark.parametrize("gap", [b"?", bytes(99), b"gap" * 100], ids=["1", "99", "300"])
@pytest.mark.parametrize("column", TABLE.column_names)
def test_unclaimed_bytes_are_restored(tmp_path, gap, column):
    data = with_gaps(parquet(), gap)
    assert pq.read_table(io.BytesIO(data)).equals(TABLE)
    check(tmp_path / "x.parquet", data, {column: "plain"}, codec="zstd")


def test_foreign_parts_of_the_footer_stay(tmp_path):
    data = parquet()
    theirs = with_footer(data, extension.append_block(footer_of(data), UUID(int=5), b"theirs"))
    path = tmp_path / "x.parquet"
    path.write_bytes(check(path, theirs, {"price": "byte_stream_split"}))
    kinds = [block.uuid for block in extension.blocks(footer_of(path.read_bytes()))]
    assert kinds == [UUID(int=5), wire.UUID_ORIGINAL]


@pytest.mark.parametrize("options", [{"form": "arrow"}, {"form": "flat", "stats": "compact"}, {"form": "index"}])
@pytest.mark.parametrize("placement", ["in-struct", "after-stop", None])
def test_footers_are_rebuilt_in_their_form(tmp_path, options, placement):
    if placement == "in-struct" and options["form"] == "arrow":
        pytest.skip("its readers look behind the stop")
    path = tmp_path / "x.parquet"
    path.write_bytes(parquet())
    edits.upgrade(path, **options, placement=placement)
    path.write_bytes(check(path, path.read_bytes(), {"price": "byte_stream_split"}))
    again = edits.upgrade(path, **options, placement=placement)
    assert again.outcome == "unchanged"
    assert parquetext.verify(path).ok


def test_extension_slots_of_a_flat_footer_stay(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(parquet())
    edits.upgrade(path, form="flat", extensions={UUID(int=9): b"ours"})
    edits.encode(path, {"price": "byte_stream_split"})
    with parquetext.open(path) as file:
        assert bytes(file.extensions[UUID(int=9)]) == b"ours"


def test_an_encoded_file_can_be_finalized_and_restored(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(parquet())
    edits.encode(path, {"price": "byte_stream_split"})
    edits.upgrade(path, form="flat")
    before = path.read_bytes()
    edits.finalize(path, confirm=True)
    assert parquetext.read_table(path).equals(TABLE)
    edits.restore(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("reader", ["duckdb", "polars"])
def test_other_readers_read_the_old_bytes(tmp_path, reader):
    module = pytest.importorskip(reader)
    path = tmp_path / "x.parquet"
    path.write_bytes(parquet(write_page_index=True, bloom_filter_options={"name": True}))
    for column in ("id", "price", "name"):
        edits.encode(path, {column: "plain"}, codec="zstd")
        if reader == "duckdb":
            assert module.sql(f"SELECT * FROM '{path}'").fetchall() == [
                tuple(row.values()) for row in TABLE.to_pylist()
            ]
            assert module.sql(f"SELECT id FROM '{path}' WHERE name = 'name 7' AND id > 1900").fetchall() == [
                (1907,),
                (1957,),
            ]
        else:
            assert module.read_parquet(path).to_arrow().to_pylist() == TABLE.to_pylist()


def test_a_registered_encoding_is_identified_by_its_uuid(tmp_path, monkeypatch):
    monkeypatch.setattr(encoding.registry, "_known", dict(encoding.registry._known))
    plain = encoding.find(wire.ENCODING_PLAIN)
    own = encoding.Encoding(
        77, "reversed", UUID(int=77), frozenset({wire.PHYSICAL_DOUBLE}),
        lambda values, count, type, length: plain.encode(values, count, type, length)[::-1],
        lambda data, count, type, length: plain.decode(bytes(data)[::-1], count, type, length),
    )  # fmt: skip
    encoding.register(own)
    path = tmp_path / "x.parquet"
    path.write_bytes(check(path, parquet(), {"price": "Reversed"}))
    scan = kernels.scan.scan(footer_of(path.read_bytes()))
    positions = zip(scan.chunks("metadata_offset"), scan.chunks("metadata_length"), strict=True)
    found = [copy_of(bytes(scan.data[begin : begin + size])) for begin, size in positions]
    assert [copy and (copy.encoding, copy.uuid) for copy in found] == [None, (77, UUID(int=77)), None] * 4


@pytest.mark.parametrize("has_nulls", [False, True])
def test_an_encoding_of_ones_own_is_given_bytes_and_no_more_than_there_are(tmp_path, monkeypatch, has_nulls):
    monkeypatch.setattr(encoding.registry, "_known", dict(encoding.registry._known))
    seen = []

    def encode(values, count, type, length):
        seen.append((type, count, values))
        return pickle.dumps(values)

    def decode(data, count, type, length):
        assert isinstance(data, bytes)
        return pickle.loads(data)

    encoding.register(encoding.Encoding(79, "own", UUID(int=79), frozenset(wire.NAMES_OF_TYPE), encode, decode))
    columns = {"number": [1, 2, 3], "real": [0.5, 1.5, 2.5], "text": ["a", "", "bcd"], "flag": [True, False, True]}
    columns = {name: values + [None] * has_nulls for name, values in columns.items()}
    table = pa.table(columns | {"none": pa.nulls(3 + has_nulls, pa.string())})
    path = tmp_path / "x.parquet"
    pq.write_table(table, path)
    edits.encode(path, dict.fromkeys(table.column_names, "own"))
    assert sorted(seen, key=str) == sorted(
        [
            (wire.PHYSICAL_INT64, 3, pack("<3q", 1, 2, 3)),
            (wire.PHYSICAL_DOUBLE, 3, pack("<3d", 0.5, 1.5, 2.5)),
            (wire.PHYSICAL_BYTE_ARRAY, 3, (pack("<4i", 0, 1, 1, 4), b"abcd")),
            (wire.PHYSICAL_BYTE_ARRAY, 0, (pack("<i", 0), b"")),
            (wire.PHYSICAL_BOOLEAN, 3, b"\5"),
        ],
        key=str,
    )
    with parquetext.open(path) as file:
        assert file.read(engine="parquetext").equals(table) and not file.findings


def test_an_encoding_that_loses_values_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(encoding.registry, "_known", dict(encoding.registry._known))
    lossy = encoding.Encoding(
        78, "lossy", UUID(int=78), frozenset({wire.PHYSICAL_DOUBLE}),
        lambda values, count, type, length: bytes(8 * count), lambda data, count, type, length: bytes(data),
    )  # fmt: skip
    encoding.register(lossy)
    path = tmp_path / "x.parquet"
    path.write_bytes(parquet())
    with pytest.raises(ParquetextError, match="does not give its values back"):
        edits.encode(path, {"price": "lossy"})
    assert os.listdir(tmp_path) == ["x.parquet"] and path.read_bytes() == parquet()


def test_tables_whose_log_records_a_files_size_are_refused(tmp_path):
    (tmp_path / "_delta_log").mkdir()
    path = tmp_path / "x.parquet"
    path.write_bytes(parquet())
    with pytest.raises(Refused, match="Delta Lake"):
        edits.encode(path, {"price": "plain"})
    with pytest.raises(Refused, match="Delta Lake"):
        edits.encode(path, {"price": "plain"}, out=tmp_path / "out.parquet")
    assert edits.encode(path, {"price": "plain"}, ignore=["table-format"]).outcome == "encoded"


def test_foreign_bytes_without_a_trailer_are_refused_or_wrapped(tmp_path):
    path = tmp_path / "x.parquet"
    data = parquet()
    free = with_footer(data, extension.append(footer_of(data), b"free-form"))
    path.write_bytes(free)
    with pytest.raises(Refused, match="not a block"):
        edits.encode(path, {"price": "plain"})
    check(path, free, {"price": "plain"}, wrap=True)


@pytest.mark.parametrize("columns", ["id", ["id"], None])
def test_columns_that_are_no_mapping_are_a_type_error(tmp_path, columns):
    with pytest.raises(TypeError, match="mapping of names to encodings"):
        edits.encode(tmp_path / "x.parquet", columns)


def test_a_leaf_whose_values_an_encoding_does_not_serve_is_named(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"place": [{"x": 1.5, "name": "here"}]}), path)
    with pytest.raises(
        Unsupported, match=r"x\.parquet: column 'place\.name': ALP is not for values of type BYTE_ARRAY"
    ):
        edits.encode(path, {"place": "alp"})


def test_a_file_without_rows_is_left_alone(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(parquet(TABLE.slice(0, 0)))
    assert edits.encode(path, {"price": "plain"}).outcome == "unchanged"


def test_a_dry_run_reports_the_size_of_the_file(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(parquet())
    message = edits.encode(path, {"price": "byte_stream_split"}, dry_run=True)
    assert (message.outcome, path.read_bytes()) == ("would-encode", parquet())
    assert edits.encode(path, {"price": "byte_stream_split"}).bytes_after == message.bytes_after == path.stat().st_size


def test_the_sidecar_of_a_file_is_rebuilt(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(parquet())
    parquetext.sidecar.build(path)
    edits.encode(path, {"price": "byte_stream_split"})
    with parquetext.open(path) as file:
        assert file.read().equals(TABLE)
    assert parquetext.verify(path).ok
    assert parquetext.sidecar.open(path) is not None


def test_strip_cannot_rebuild_in_place(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(parquet())
    edits.encode(path, {"price": "byte_stream_split"})
    encoded = path.read_bytes()
    for options in ({"in_place": True}, {"kinds": "all"}):
        with pytest.raises(Refused):
            edits.strip(path, **options)
    assert path.read_bytes() == encoded
    assert edits.strip(path, dry_run=True).bytes_after == len(parquet())
