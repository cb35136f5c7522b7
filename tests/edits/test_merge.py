"""merge and split: row groups copied byte for byte, their metadata, refusals, and hostile files."""

from __future__ import annotations

import os
import random
from pathlib import Path

import duckdb
import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.described import table
from support.parquet_bytes import footer_of, parquet_bytes, with_footer

import parquetext
from parquetext import edits, errors, kernels, wire
from parquetext.rewrite.structs import Fields, footer_fields, structs, with_fields

BLOOM = {name: {"ndv": 400, "fpp": 0.01} for name in ("id", "name")}


@pytest.fixture
def parts(tmp_path):
    """Three files of one table, with page indexes and Bloom filters."""
    whole, paths = table(), []
    for number in range(3):
        path = tmp_path / f"part-{number}.parquet"
        rows = whole.slice(number * 400, 400)
        pq.write_table(rows, path, row_group_size=150, write_page_index=True, bloom_filter_options=BLOOM)
        paths.append(path)
    return paths


def chunk_bytes(path) -> list[bytes]:
    """The pages of every chunk."""
    data, found = path.read_bytes(), []
    metadata = pq.read_metadata(path)
    for group in range(metadata.num_row_groups):
        for leaf in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(leaf)
            begin = chunk.data_page_offset if chunk.dictionary_page_offset is None else chunk.dictionary_page_offset
            found.append(data[begin : begin + chunk.total_compressed_size])
    return found


@pytest.mark.parametrize("form", ["thrift", "flat", "index"])
def test_a_merged_file_has_the_rows_of_all_and_their_pages_byte_for_byte(parts, tmp_path, form):
    out = tmp_path / "out.parquet"
    made = parquetext.merge(parts, out, form=form)
    assert (made.files, made.row_groups, made.rows, made.form) == (3, 8, 1000, form)
    assert made.bytes == out.stat().st_size and made.notes == ()
    assert pq.read_table(out).equals(table()) and parquetext.read_table(out, engine="parquetext").num_rows == 1000
    assert duckdb.sql(f"select count(*), sum(id) from '{out}' where name = 'name 7'").fetchall() == [
        (20, sum(range(7, 1000, 50)))
    ]
    assert chunk_bytes(out) == [chunk for part in parts for chunk in chunk_bytes(part)]
    report = parquetext.verify(out, pages=True, deep=True)
    assert report.ok, report.findings
    assert pq.read_metadata(out).metadata[b"owner"] == b"me"
    with parquetext.open(out) as file:
        assert file.form == form


def test_page_indexes_and_bloom_filters_go_along(parts, tmp_path):
    out = tmp_path / "out.parquet"
    parquetext.merge(parts, out)
    with parquetext.open(out) as file:
        pages = file.pages("id")
        assert [offset for offset in file.column("id").bloom_filter_offset if offset <= 0] == []
        assert [offset for offset in file.column("id").offset_index_offset if offset <= 0] == []
        found = file.read(["id"], filters=[("id", "==", 555)], engine="parquetext")
    assert found["id"].to_pylist() == [555] and pages.num_rows >= 8
    from parquetext.inspection.content.bloom_answers import bloom_answers

    with parquetext.open(out) as file:
        answers = [each["answer"] for each in bloom_answers(file, "id", "555")]
    assert answers[4] == "maybe" and answers.count("absent") >= 6


@pytest.mark.parametrize(
    ("how", "counts"),
    [
        ({}, [1] * 8),
        ({"row_groups": 3}, [3, 3, 2]),
        ({"files": 3}, [2, 3, 3]),
        ({"files": 99}, [1] * 8),
        ({"max_bytes": 1}, [1] * 8),
        ({"max_bytes": 1 << 30}, [8]),
    ],
    ids=str,
)
def test_split_and_merge_give_the_same_file_again(parts, tmp_path, how, counts):
    whole = tmp_path / "whole.parquet"
    parquetext.merge(parts, whole, form="thrift")
    made = list(parquetext.split(whole, tmp_path / "new" / "folder", **how))
    assert [part.row_groups for part in made] == counts
    assert made[0].path == str(tmp_path / "new" / "folder" / "whole-00000.parquet")
    for part in made:
        assert parquetext.verify(part.path, pages=True).ok
    assert pa.concat_tables([pq.read_table(part.path) for part in made]).equals(table())
    again = tmp_path / "again.parquet"
    parquetext.merge([part.path for part in made], again, form="thrift")
    assert chunk_bytes(again) == chunk_bytes(whole)


def test_max_bytes_are_bytes_of_pages(parts, tmp_path):
    sizes = [sum(map(len, chunk_bytes(path))) for path in parts]
    whole = tmp_path / "whole.parquet"
    parquetext.merge(parts, whole)
    most = sum(sizes) // 2
    made = list(parquetext.split(whole, tmp_path / "x", max_bytes=most))
    assert len(made) > 1 and all(sum(map(len, chunk_bytes(tmp_path / "x" / part.path))) <= most for part in made)


def test_split_replaces_existing_files_only_on_request(parts, tmp_path):
    there = tmp_path / "x" / "part-0-00001.parquet"
    there.parent.mkdir()
    there.write_bytes(b"theirs")
    with pytest.raises(errors.Refused, match=r"part-0-00001\.parquet: the file already exists"):
        list(parquetext.split(parts[0], tmp_path / "x"))
    assert [path.name for path in there.parent.iterdir()] == [there.name] and there.read_bytes() == b"theirs"
    assert len(list(parquetext.split(parts[0], tmp_path / "x", overwrite=True))) == 3
    assert pq.read_metadata(there).num_rows == 150


def test_the_same_split_keeps_complete_files_and_writes_the_rest(parts, tmp_path):
    folder = tmp_path / "x"
    first = {part.path: Path(part.path).read_bytes() for part in parquetext.split(parts[0], folder)}
    names = list(first)
    os.truncate(names[1], 100)
    with pytest.raises(errors.Refused, match="with other bytes"):
        list(parquetext.split(parts[0], folder))
    Path(names[1]).unlink()
    again = list(parquetext.split(parts[0], folder))
    assert [part.outcome for part in again] == ["kept", "written", "kept"] and [part.path for part in again] == names
    assert {part.path: Path(part.path).read_bytes() for part in again} == first
    assert [part.rows for part in again] == [150, 150, 100] and again[0].bytes == len(first[names[0]])
    with pytest.raises(errors.Refused, match="with other bytes"):
        list(parquetext.split(parts[0], folder, form="flat"))
    Path(names[1]).unlink()
    Path(names[1]).mkdir()
    with pytest.raises(errors.Refused, match="already exists"):
        list(parquetext.split(parts[0], folder))


@pytest.mark.parametrize("how", [{"files": 0}, {"row_groups": 1, "files": 1}, {"max_bytes": -1}], ids=str)
def test_split_reports_impossible_requests(parts, tmp_path, how):
    with pytest.raises(errors.ParquetextError, match="one of row_groups, files and max_bytes"):
        list(parquetext.split(parts[0], tmp_path / "x", **how))


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"a": [1], "c": [1]}, "its schema has 'c' where that of the first file has 'b'"),
        ({"a": [1]}, "'b' is in one of them alone"),
        ({"a": [1.0], "b": ["x"]}, "column 'a' has the type DOUBLE, in the first file INT64"),
        ({"a": [1], "b": [b"x"]}, "column 'b' has the logical type none, in the first file STRING"),
        ({"a": [1], "b": ["x"], "c": [1]}, "'c' is in one of them alone"),
    ],
    ids=str,
)
def test_other_schemas_are_an_error_that_names_the_difference(tmp_path, other, message):
    one, two, out = tmp_path / "1.parquet", tmp_path / "2.parquet", tmp_path / "out.parquet"
    pq.write_table(pa.table({"a": [1], "b": ["x"]}), one)
    pq.write_table(pa.table(other), two)
    with pytest.raises(errors.Unsupported) as raised:
        parquetext.merge([one, two], out)
    assert str(two) in str(raised.value) and message in str(raised.value)
    assert not out.exists() and not list(tmp_path.glob(".*"))


def test_a_root_of_another_name_is_no_other_schema(tmp_path):
    data = parquet_bytes()
    footer = footer_of(data)
    at, _ = footer_fields(footer)[wire.FILE_META_DATA_SCHEMA]
    root, *rest = structs(footer, at)
    renamed = with_fields(root, {wire.SCHEMA_ELEMENT_NAME: (wire.TYPE_BINARY, b"\x05spark")})
    one, two = tmp_path / "1.parquet", tmp_path / "2.parquet"
    one.write_bytes(data)
    header = footer[at : at + 1]
    made = with_fields(footer, {wire.FILE_META_DATA_SCHEMA: (wire.TYPE_LIST, b"".join((header, renamed, *rest)))})
    two.write_bytes(with_footer(data, made))
    merged = parquetext.merge([one, two], tmp_path / "out.parquet")
    assert merged.rows == 2 * pq.read_metadata(one).num_rows
    assert pq.read_table(tmp_path / "out.parquet").num_rows == merged.rows


def with_writer(data: bytes, name: bytes) -> bytes:
    value = bytes([len(name)]) + name
    return with_footer(data, with_fields(footer_of(data), {wire.FILE_META_DATA_CREATED_BY: (wire.TYPE_BINARY, value)}))


def test_several_writers_are_reported_and_their_old_statistics_omitted(tmp_path):
    data, out = parquet_bytes(), tmp_path / "out.parquet"
    (tmp_path / "1.parquet").write_bytes(data)
    (tmp_path / "2.parquet").write_bytes(with_writer(data, b"another version 1.0"))
    made = parquetext.merge([tmp_path / "1.parquet", tmp_path / "2.parquet"], out)
    assert made.notes == ("the files have several writers: the new one names parquetext",)
    assert pq.read_metadata(out).created_by == f"parquetext version {parquetext.__version__}"
    with parquetext.open(out, form="thrift") as file:
        present = file.columns()[0].present
    deprecated = wire.PRESENT_MIN | wire.PRESENT_MAX
    assert not any(bits & deprecated for bits in present)
    assert pq.read_table(out).num_rows == 2 * pq.read_metadata(tmp_path / "1.parquet").num_rows


def test_pages_that_are_read_by_their_writers_name_keep_it_or_are_refused(tmp_path):
    data, out = parquet_bytes(), tmp_path / "out.parquet"
    old = with_writer(data, b"parquet-mr version 1.2.5")
    (tmp_path / "1.parquet").write_bytes(old)
    (tmp_path / "2.parquet").write_bytes(data)
    assert parquetext.merge([tmp_path / "1.parquet"] * 2, out).notes == ()
    assert pq.read_metadata(out).created_by == "parquet-mr version 1.2.5" and parquetext.verify(out, pages=True).ok
    with pytest.raises(errors.Unsupported, match=r"row groups of 'parquet-mr version 1\.2\.5'"):
        parquetext.merge([tmp_path / "1.parquet", tmp_path / "2.parquet"], out)


def test_key_values_of_all_files_are_kept_and_the_first_of_equal_keys(tmp_path):
    for number, pairs in enumerate(({"a": "1", "b": "1"}, {"a": "1", "b": "2", "c": "3"})):
        pq.write_table(pa.table({"x": [number]}).replace_schema_metadata(pairs), tmp_path / f"{number}.parquet")
    made = parquetext.merge([tmp_path / "0.parquet", tmp_path / "1.parquet"], tmp_path / "out.parquet")
    found = pq.read_metadata(tmp_path / "out.parquet").metadata
    assert (found[b"a"], found[b"b"], found[b"c"]) == (b"1", b"1", b"3")
    assert "key-value 'b' differs: that of the first file is kept" in made.notes


def test_copies_of_columns_are_omitted_and_reported(parts, tmp_path):
    before = chunk_bytes(parts[0])
    parquetext.encode(parts[0], {"price": "byte_stream_split"})
    made = parquetext.merge(parts[:1], tmp_path / "out.parquet")
    assert made.notes == ("copies of columns in other encodings are left out; encode makes them anew",)
    assert sorted(chunk_bytes(tmp_path / "out.parquet")) == sorted(before)
    assert parquetext.verify(tmp_path / "out.parquet", pages=True, deep=True).ok


def test_encrypted_and_finalized_files_are_refused(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(parquet_bytes())
    parquetext.finalize(path, confirm=True)
    with pytest.raises(errors.Refused, match="restore brings it back"):
        parquetext.merge([path], tmp_path / "out.parquet")
    path.write_bytes(parquet_bytes()[:-4] + b"PARE")
    with pytest.raises(errors.Refused):
        list(parquetext.split(path, tmp_path / "parts"))
    assert not (tmp_path / "out.parquet").exists()


def test_the_new_file_may_replace_one_of_the_old_ones(parts):
    parquetext.merge(parts, parts[0])
    assert pq.read_table(parts[0]).equals(table())


def test_files_without_row_groups_or_columns(tmp_path):
    empty = tmp_path / "x.parquet"
    pq.write_table(pa.table({"a": pa.array([], pa.int8())}), empty)
    assert parquetext.merge([empty, empty], tmp_path / "out.parquet").rows == 0
    assert pq.read_table(tmp_path / "out.parquet").num_rows == 0
    pq.ParquetWriter(empty, pa.schema({"a": pa.int8()})).close()
    assert [part.row_groups for part in parquetext.split(empty, tmp_path / "parts")] == [0]
    with pytest.raises(errors.ParquetextError, match="no files to merge"):
        parquetext.merge([], tmp_path / "out.parquet")


def test_overlapping_chunks_are_an_error_and_no_large_file(tmp_path):
    data = parquet_bytes()
    footer = footer_of(data)
    groups_at = footer_fields(footer)[wire.FILE_META_DATA_ROW_GROUPS][0]
    groups = [Fields(struct) for struct in structs(footer, groups_at)]
    chunks = structs(groups[0].data, groups[0].places[wire.ROW_GROUP_COLUMNS][0])
    groups[0].put(wire.ROW_GROUP_COLUMNS, b"".join((bytes([len(chunks) << 4 | 12]), *[chunks[0]] * len(chunks))))
    made = b"".join((bytes([len(groups) << 4 | 12]), *(group.to_bytes() for group in groups)))
    path = tmp_path / "x.parquet"
    path.write_bytes(with_footer(data, with_fields(footer, {wire.FILE_META_DATA_ROW_GROUPS: (wire.TYPE_LIST, made)})))
    assert len(chunks) > 1
    with pytest.raises(errors.Malformed, match="overlap"):
        parquetext.merge([path], tmp_path / "out.parquet")


def test_any_footer_raises_only_our_errors(tmp_path):
    """Bytes of the footer changed at random: a file that is read the same way, or an error that names it."""
    data, path = bytearray(parquet_bytes()), tmp_path / "x.parquet"
    begin, chance = len(data) - 8 - len(footer_of(bytes(data))), random.Random(7)
    outcomes = set()
    for _ in range(150):
        changed = data.copy()
        for _ in range(chance.randint(1, 3)):
            changed[chance.randrange(begin, len(data) - 8)] = chance.randrange(256)
        path.write_bytes(changed)
        try:
            made = parquetext.merge([path], tmp_path / "out.parquet")
            assert made.bytes < 4 * len(data)
            outcomes.add("written")
        except (errors.ParquetextError, OSError) as error:
            assert str(path) in str(error) or isinstance(error, OSError), repr(error)
            outcomes.add(type(error).__name__)
    assert outcomes >= {"written", "Malformed"}


def test_a_file_that_changes_meanwhile_is_a_conflict(parts, tmp_path, monkeypatch):
    def change() -> None:
        with open(parts[1], "ab") as file:
            file.write(b"x")

    from parquetext.rewrite import joined

    flush = joined.Joiner.flush

    def flush_and_change(self) -> None:
        flush(self)
        if self.row_groups > 3:
            change()

    monkeypatch.setattr(joined.Joiner, "flush", flush_and_change)
    with pytest.raises(errors.Conflict):
        parquetext.merge(parts, tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()


def test_files_of_other_filesystems_are_merged_and_split(parts, tmp_path):
    files = fsspec.filesystem("memory")
    parquetext.merge(parts, (files, "/merge/out.parquet"), form="flat")
    made = parquetext.merge([(files, "/merge/out.parquet")], tmp_path / "back.parquet")
    assert made.rows == 1000 and pq.read_table(tmp_path / "back.parquet").equals(table())
    names = [part.path for part in parquetext.split((files, "/merge/out.parquet"), (files, "/merge/parts"), files=2)]
    assert [name.split("/")[-1] for name in names] == ["out-00000.parquet", "out-00001.parquet"]


def test_public_names():
    assert parquetext.merge is edits.merge and parquetext.split is edits.split and kernels.implementation()


@pytest.fixture
def partitioned(tmp_path):
    """Files in directories year=2024 and year=2025."""
    paths = []
    for year in (2024, 2025):
        (tmp_path / f"year={year}").mkdir()
        for name in ("x", "y"):
            paths.append(tmp_path / f"year={year}" / f"{name}.parquet")
            pq.write_table(pa.table({"v": [year]}), paths[-1])
    return paths


def test_partition_columns_that_a_merged_file_would_lose_are_named(partitioned, tmp_path):
    out = tmp_path / "out.parquet"
    with pytest.raises(
        errors.Refused, match=r"'year' \(2024, 2025\).*would lose.*ignore 'partition-columns'"
    ) as refused:
        edits.merge(partitioned, out)
    assert refused.value.ignore == "partition-columns" and not out.exists()
    with pytest.raises(errors.Refused, match="'year'"):
        edits.merge(partitioned[:2], tmp_path / "year=2025" / "out.parquet")
    assert edits.merge(partitioned, out, ignore="partition-columns").rows == 4


def test_files_of_one_partition_are_merged_within_it(partitioned, tmp_path):
    edits.merge(partitioned[:2], tmp_path / "year=2024" / "x.parquet")
    merged = pq.read_table(tmp_path / "year=2024" / "x.parquet", partitioning=None)
    assert merged.to_pydict() == {"v": [2024, 2024]}


def test_a_partition_column_that_the_files_have_is_no_loss(tmp_path):
    (tmp_path / "year=1").mkdir()
    path = tmp_path / "year=1" / "x.parquet"
    pq.write_table(pa.table({"g": [{"a": 1, "b": {"c": 2}}], "year": [1]}), path)
    assert edits.merge([path, path], tmp_path / "out.parquet").rows == 2
