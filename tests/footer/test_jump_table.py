"""The jump table: a pointer in the Thrift footer, whose offsets are checked before they are used."""

from __future__ import annotations

import io
import struct
import tracemalloc
from pathlib import Path
from uuid import UUID

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.footers import footer_of
from support.jump_tables import behind_the_struct, compressed, index_of, with_index, with_jump_table

import parquetext
from parquetext import extension, kernels, thrift, wire
from parquetext.errors import ColumnError, Damaged, Unsupported
from parquetext.footer.jump_table import jump_table_form
from parquetext.footer.jump_table.index_struct import read_index
from parquetext.footer.jump_table.name_hash import NameHash, built
from parquetext.footer.jump_table.pointer import POINTER_BYTES, Pointer
from parquetext.inspection.integrity import inspection
from parquetext.thrift import binary, integer, list_header
from parquetext.thrift.values import joined

pytestmark = pytest.mark.usefixtures("implementation")
ROWS = 90
TABLE = pa.table(
    {
        **{f"n{i}": pa.array(range(i, i + ROWS), pa.int64()) for i in range(12)},
        "text": [f"text {i}" if i % 7 else None for i in range(ROWS)],
        "point": [{"x": i / 3, "Y": {"z": i}, "tags": ["a", str(i)]} for i in range(ROWS)],
        "point.x": pa.array(range(ROWS), pa.int32()),
        "a.b": pa.array(range(ROWS), pa.int32()),
        "Größe": [float(i) for i in range(ROWS)],
    }
)


def plain_bytes(table: pa.Table = TABLE, **options) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **{"row_group_size": 30, "write_page_index": True, **options})
    return sink.getvalue()


PLAIN = plain_bytes()
WIDE = plain_bytes(pa.table({f"column {n}": [n, n + 1] for n in range(3000)}), row_group_size=1, store_schema=False)


@pytest.fixture(autouse=True)
def _jumping(monkeypatch):
    """Let small footers be read by the jump table, too."""
    monkeypatch.setattr(jump_table_form, "LOCAL_SHARE", 0)
    monkeypatch.setattr(jump_table_form, "REMOTE_SHARE", 0)


def stored(folder: Path, data: bytes) -> Path:
    path = folder / "x.parquet"
    path.write_bytes(data)
    return path


# ---- reading


@pytest.mark.parametrize("version", [1, 2, 3])
def test_metadata_and_values_are_those_of_the_thrift_footer(tmp_path, version):
    path = stored(tmp_path, with_jump_table(PLAIN, version))
    with parquetext.open(path) as ours, parquetext.open(path, form="thrift") as thrift:
        assert (ours.form, ours.findings, ours.num_rows) == ("jump-table", [], ROWS)
        assert ours.schema.equals(thrift.schema, check_metadata=True)
        assert (ours.created_by, ours.key_values) == (thrift.created_by, thrift.key_values)
        assert [list(ours.row_groups.num_rows), list(ours.row_groups.total_byte_size)] == [
            list(thrift.row_groups.num_rows),
            list(thrift.row_groups.total_byte_size),
        ]
        assert ours.to_arrow().equals(thrift.to_arrow())
        assert ours.read(["n3", "point", "text"]).equals(TABLE.select(["n3", "point", "text"]))
        assert ours.read(["text"], row_groups=[2, 0])["text"].to_pylist() == [
            *TABLE["text"].to_pylist()[60:],
            *TABLE["text"].to_pylist()[:30],
        ]
        assert (ours.form, ours.findings) == ("jump-table", [])
    assert parquetext.read_table(path, filters=[("n5", ">", 90)]).equals(TABLE.slice(86))
    assert pq.read_table(path).equals(TABLE)


def test_an_index_behind_the_struct_is_used_and_such_a_file_is_not_changed(tmp_path):
    path = stored(tmp_path, behind_the_struct(PLAIN))
    with parquetext.open(path) as file:
        assert (file.form, file.column("n7").min.to_pylist()) == ("jump-table", [7, 37, 67])
        assert file.read().equals(TABLE)
    for change in (parquetext.upgrade, parquetext.strip):
        with pytest.raises(parquetext.errors.Refused, match="stray bytes"):
            change(path)


def test_one_column_reads_its_chunks_and_not_those_of_others(tmp_path):
    path = stored(tmp_path, with_jump_table(WIDE))
    with parquetext.open(path, form="thrift") as thrift, parquetext.open(path) as file:
        expected = thrift.column("column 1234")
        column = file.column("column 1234")
        assert (column.leaf, column.max.to_pylist()) == (expected.leaf, [1234, 1235])
        assert list(column.data_page_offset) == list(expected.data_page_offset)
        assert 4 * file.io_stats.bytes < len(footer_of(WIDE))
        read = file.read(["column 77", "column 2999"])
        assert read.to_pydict() == {"column 77": [77, 78], "column 2999": [2999, 3000]}
        assert 4 * file.io_stats.bytes < len(footer_of(WIDE))


def test_many_look_ups_scan_the_whole_footer_once(tmp_path, monkeypatch):
    monkeypatch.setattr(jump_table_form, "LOCAL_SHARE", 200)
    path = stored(tmp_path, with_jump_table(WIDE))
    with parquetext.open(path) as file:
        for number in range(40):
            assert file.column(f"column {number}").leaf == number
        assert file._form._held is not None and (file.form, file.findings) == ("jump-table", [])


@pytest.mark.parametrize("size", [0, 1 << 30])
def test_a_remote_file_is_probed_if_that_costs_little(monkeypatch, size):
    monkeypatch.setattr("parquetext.footer.best_form.PROBED_BYTES", size)
    files = fsspec.filesystem("memory")
    files.pipe("/jump/x.parquet", with_jump_table(WIDE))
    with parquetext.open("memory://jump/x.parquet") as file:
        assert file.form == ("thrift" if size else "jump-table")
        assert file.column("column 44").max.to_pylist() == [44, 45]
        assert file.read(["column 9"]).to_pydict() == {"column 9": [9, 10]}


# ---- names


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("n11", ("n11",)),
        ("point.Y.z", ("point", "Y", "z")),
        ("point.tags.list.element", ("point", "tags", "list", "element")),
        ("a.b", ("a.b",)),
        ("Größe", ("Größe",)),
        (("point", "x"), ("point", "x")),
        (("point.x",), ("point.x",)),
    ],
)
def test_names_are_found(tmp_path, name, path):
    with parquetext.open(stored(tmp_path, with_jump_table(PLAIN))) as file:
        assert (file.column(name).path, file.form) == (path, "jump-table")


def test_names_that_do_not_exist_or_are_ambiguous_are_the_same_errors_as_with_thrift(tmp_path):
    path = stored(tmp_path, with_jump_table(PLAIN))
    for name in ("nothing", "N1", "point.x", "point", "point.y.z", ""):
        messages = []
        for form in ("thrift", "jump-table"):
            with parquetext.open(path, form=form) as file, pytest.raises(ColumnError) as error:
                file.column(name)
            messages.append(str(error.value))
        assert messages[0] == messages[1], name


def test_the_hash_is_fnv_of_the_path_in_lower_case():
    assert kernels.modular.hash_of(b"") == 0xCBF29CE484222325
    assert kernels.modular.hash_of(b"a") == kernels.modular.hash_of(b"A") == 0xAF63DC4C8601EC8C
    assert kernels.modular.hash_of("Ä".encode()) != kernels.modular.hash_of("ä".encode())


def test_discriminators_select_candidates():
    paths = [b"", b"price", b"quantity", b"day"]
    slots, table = built(paths)
    wide = bytearray(4 * slots)
    for slot in range(slots):
        if table[slot]:
            tag = kernels.modular.hash_of(paths[table[slot] - 1]) >> 56
            wide[4 * slot : 4 * slot + 4] = (tag << 24 | table[slot]).to_bytes(4, "little")
    names = NameHash(slots, 4, 8, memoryview(wide))
    assert [list(names.candidates(path)) for path in paths] == [[0], [1], [2], [3]]


def test_field_ids_are_found(tmp_path):
    schema = pa.schema([pa.field("a", pa.int32(), metadata={"PARQUET:field_id": "7"}), pa.field("b", pa.int32())])
    data = plain_bytes(pa.table([[1], [2]], schema=schema))
    with parquetext.open(stored(tmp_path, with_jump_table(data))) as file:
        assert (file.form, file.column(field_id=7).leaf) == ("jump-table", 0)


# ---- wrong jump tables


def changed_index(change, data: bytes = PLAIN) -> bytes:
    """The file with a changed copy of its index; `change` gets the offsets of chunks."""
    index = bytearray(index_of(footer_of(data)))
    chunks = read_index(bytes(index), 1 << 20).chunks
    begin = bytes(index).index(bytes(chunks.data))
    offsets = [*chunks]
    change(offsets)
    index[begin : begin + len(chunks.data)] = b"".join(offset.to_bytes(chunks.width, "little") for offset in offsets)
    return with_index(data, bytes(index))


def swap(offsets: list[int], a: int, b: int) -> None:
    offsets[a], offsets[b] = offsets[b], offsets[a]


LEAVES = 19
WRONG = {
    "another column": lambda offsets: swap(offsets, 3, 4),
    "another row group": lambda offsets: swap(offsets, 3, 3 + LEAVES + 1),
    "within a chunk": lambda offsets: offsets.__setitem__(3, offsets[3] + 1),
    "behind the metadata": lambda offsets: offsets.__setitem__(3, 0xFFFF),
    "the end of a row group": lambda offsets: offsets.__setitem__(LEAVES, offsets[LEAVES] + 1),
    "a row group less": lambda offsets: offsets.__setitem__(LEAVES, offsets[LEAVES + 1]),
    "all zero": lambda offsets: offsets.__setitem__(slice(None), [0] * len(offsets)),
}


@pytest.mark.parametrize("change", WRONG)
def test_a_wrong_offset_is_a_finding_and_the_thrift_footer_is_used(tmp_path, change):
    path = stored(tmp_path, changed_index(WRONG[change]))
    with parquetext.open(path) as file:
        assert file.column("n3").min.to_pylist() == [3, 33, 63]
        assert file.read().equals(TABLE)
        assert (file.form, [finding.kind for finding in file.findings]) == ("thrift", ["jump-table-damaged"])
    [finding] = parquetext.verify(path).findings
    assert finding.kind == "jump-table-damaged" and "says" in finding.message


def without_paths(data: bytes) -> bytes:
    """The bytes of a file, of which the chunks have no path_in_schema."""
    fields, footer = thrift.read("FileMetaData", footer_of(data)), footer_of(data)
    for group in fields["row_groups"]:
        for chunk in group["columns"]:
            del chunk["meta_data"]["path_in_schema"]
    struct = thrift.write("FileMetaData", fields)
    return data[: -8 - len(footer)] + struct + len(struct).to_bytes(4, "little") + b"PAR1"


ALIKE = pa.table({name: [n, n + 10] for n, name in enumerate("abcde")})
MISLEADING = {
    "nothing": lambda offsets: None,
    "the chunk behind": lambda offsets: offsets.__setitem__(slice(1, 3), offsets[2:4]),
    "the last but one, before a chunk that looks like the end of a row group": lambda offsets: offsets.__setitem__(
        slice(-2, None), offsets[-3:-1]
    ),
}


@pytest.mark.parametrize("change", MISLEADING)
def test_chunks_without_paths_are_not_taken_for_each_other(tmp_path, change):
    data = without_paths(plain_bytes(ALIKE, row_group_size=1, write_page_index=False))
    with parquetext.open(stored(tmp_path, changed_index(MISLEADING[change], data))) as file:
        for name in "beacd":
            assert file.column(name).min.to_pylist() == [ALIKE[name][0].as_py(), ALIKE[name][1].as_py()], name
        assert file.created_by.startswith("parquet-cpp") and file.key_values
        sound = file.form == "jump-table" and not file.findings
        assert sound or [finding.kind for finding in file.findings] == ["jump-table-damaged"]
        assert sound or change != "nothing"


def test_row_groups_that_share_bytes_are_refused_before_they_take_memory():
    """Each of a thousand row groups ends where the first one does, so that each has the same long field."""
    count, leaves, schema = 1000, 3, b"\x48\x01r\x15\x06\0" + b"\x15\x02\x25\0\x18\x01x\0" * 3
    columns = b"\x19" + list_header(leaves)
    head = b"\x05\x02\x02\x19" + list_header(leaves + 1) + schema + b"\x16\0\x19" + list_header(count) + columns
    first, chunks = POINTER_BYTES + len(head), bytes(2 * leaves)
    rest = b"\x16\0\x16\0\x08" + integer(100) + binary(bytes(40_000)) + b"\0"
    end, following = first + len(chunks), first + len(chunks + rest + columns)
    offsets = [*[first] * leaves, end, *([*[following] * leaves, end] * (count - 2)), *[following] * (leaves + 1)]
    packed = b"".join(offset.to_bytes(4, "little") for offset in offsets)
    fields = [
        (1, wire.TYPE_I32, integer(leaves)),
        (2, wire.TYPE_I32, integer(count)),
        (3, wire.TYPE_BINARY, binary(packed)),
    ]
    index, metadata = joined(fields) + b"\0", head + chunks + rest + columns + b"\x16\0\x16\0\0\0"
    length = POINTER_BYTES + len(metadata)
    footer = Pointer(1, 4, len(index), length).to_bytes() + metadata
    data = b"PAR1" + index + footer + length.to_bytes(4, "little") + b"PAR1"
    tracemalloc.start()
    with pytest.raises(Damaged, match="the next from"):
        parquetext.open(data, form="jump-table")
    assert tracemalloc.get_traced_memory()[1] < 10 * len(data)
    tracemalloc.stop()


@pytest.mark.parametrize("stray", [b"\0", b"of another program"])
def test_an_index_with_bytes_behind_its_struct_is_a_finding(tmp_path, stray):
    path = stored(tmp_path, with_index(PLAIN, index_of(footer_of(PLAIN)) + stray))
    with parquetext.open(path) as file:
        assert file.form == "thrift" and "and its struct" in str(file.findings)


def test_an_index_that_is_too_long_for_its_metadata_is_not_read(tmp_path):
    data = bytes(1 << 20) + PLAIN[4:]
    footer = footer_of(data)
    path = stored(tmp_path, with_index(b"PAR1" + data, index_of(footer)))
    changed = bytearray(path.read_bytes())
    begin = len(changed) - 8 - len(footer_of(bytes(changed)))
    struct.pack_into("<qq", changed, begin + 3, 4, begin - 4)
    with parquetext.open(bytes(changed)) as file:
        assert file.form == "thrift" and f"an index of {begin - 4} bytes for metadata" in str(file.findings)
        assert file.io_stats.bytes < 1 << 19


@pytest.mark.parametrize("version", [0, 4, 255])
def test_an_unknown_version_is_a_finding_and_the_thrift_footer_is_used(tmp_path, version):
    path = stored(tmp_path, with_jump_table(PLAIN, version))
    with parquetext.open(path) as file:
        assert (file.form, file.read(["n1"])["n1"].to_pylist()) == ("thrift", TABLE["n1"].to_pylist())
        assert f"version {version}" in str(file.findings)
    with pytest.raises(Unsupported):
        parquetext.open(path, form="jump-table")


@pytest.mark.parametrize(
    "numbers", [(0, 1 << 62), (-5, 10), (1 << 40, 10), (10, 0), (10, -1), (-(1 << 63), (1 << 63) - 1)]
)
def test_a_pointer_out_of_range_is_a_finding(tmp_path, numbers):
    data = bytearray(with_jump_table(PLAIN))
    begin = len(data) - 8 - len(footer_of(bytes(data)))
    struct.pack_into("<qq", data, begin + 3, *numbers)
    path = stored(tmp_path, bytes(data))
    with parquetext.open(path) as file:
        assert file.read().equals(TABLE) and file.form == "thrift"
        assert [finding.kind for finding in file.findings] == ["jump-table-damaged"]
    assert not parquetext.verify(path).ok
    with pytest.raises(Damaged, match="the jump table is wrong") as error:
        parquetext.open(path, form="jump-table")
    assert error.value.file == str(path) and begin < error.value.offset < begin + 27


@pytest.mark.parametrize("version", [2, 3])
def test_an_index_that_decompresses_to_too_much_is_refused_before_it_takes_memory(tmp_path, version):
    bomb = compressed(bytes(1 << 26), version)
    path = stored(tmp_path, with_index(PLAIN, bomb, version))
    with parquetext.open(path) as file:
        expected = {2: "decompresses to more than", 3: "an index of 2"}[version]  # LZ4 takes a 255th at least
        assert file.form == "thrift" and expected in str(file.findings)


def test_no_flipped_byte_of_pointer_and_index_gives_a_wrong_answer(tmp_path):
    if kernels.implementation() != "native":
        pytest.skip("takes long")
    data = with_jump_table(PLAIN)
    begin = len(PLAIN) - 8 - len(footer_of(PLAIN))
    footer = len(data) - 8 - len(footer_of(data))
    expected = [(column.path, column.min.to_pylist()) for column in parquetext.open(PLAIN).columns()]
    wanted = [expected[0], expected[5], expected[14]]
    for at in (*range(begin, footer), *range(footer + 2, footer + 27)):
        flipped = bytearray(data)
        flipped[at] ^= 1 << at % 8
        with parquetext.open(bytes(flipped)) as file:
            found = [(column.path, column.min.to_pylist()) for column in map(file.column, (path for path, _ in wanted))]
            assert found == wanted and file.num_rows == ROWS, at
            assert file.read([("n3",)]).equals(TABLE.select(["n3"])), at


# ---- verification, inspection, layout


@pytest.mark.parametrize("tier", [{}, {"pages": True}, {"deep": True}])
def test_verification_compares_it_with_the_thrift_footer(tmp_path, tier):
    report = parquetext.verify(stored(tmp_path, with_jump_table(PLAIN)), **tier)
    assert (report.findings, report.forms) == ([], ["thrift", "jump-table"])


OTHERS = UUID("9e107d9d-372b-4b68-a3c9-8d3542a419d6")  # unlike all that other tests register


def test_a_footer_that_another_program_made_longer_is_a_note_and_the_jump_table_is_used(tmp_path):
    data = with_jump_table(PLAIN)
    footer = extension.append_block(footer_of(data), OTHERS, b"of another program")
    path = stored(tmp_path, data[: -8 - len(footer_of(data))] + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    with parquetext.open(path, form="jump-table") as file:
        assert file.read(["n1"]).equals(TABLE.select(["n1"])) and file.form == "jump-table"
    assert {finding.kind for finding in parquetext.verify(path).findings} == {"unknown-block", "jump-table-stale"}
    assert parquetext.verify(path).ok


def test_inspection_and_layout_show_it(tmp_path):
    path = stored(tmp_path, with_jump_table(PLAIN, 2))
    fields = inspection.inspect(path)
    [block] = fields.blocks
    assert (fields.form, block.kind, block.layout, fields.findings) == ("jump-table", "jump table", "version 2", [])
    layout = parquetext.layout(path)
    [part] = [part for part in layout.parts.to_pylist() if part["kind"] == "jump-table"]
    assert (part["offset"], part["length"]) == (block.offset, block.bytes)
    assert layout.findings == []
