"""`File.metadata` has the values of pyarrow's FileMetaData, and costs only the accessed parts."""

from __future__ import annotations

import gc
import os
import pickle
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import flat_footers as thrift
from support.corpus_files import readable
from support.footers import footer_of

import parquetext
from parquetext.arrow.metadata import FileMetaData, RowGroupMetaData
from parquetext.errors import Malformed, Unsupported
from parquetext.footer.column_footer import column_footer

FORMS = ["thrift", "flat", "index"]
ENDS_PYARROW = {"bad_codec.parquet"}  # asked for the codec of a chunk, it ends the process


def write(path, form: str, columns: int = 40, row_groups: int = 3, **options) -> str:
    table = pa.table({f"c{n}": range(n, n + 2 * row_groups) for n in range(columns)})
    parquetext.write_table(table, str(path), row_group_size=2, form=form, **options)
    return str(path)


@pytest.fixture(params=FORMS)
def form(request) -> str:
    return request.param


@pytest.fixture
def path(tmp_path, form) -> str:
    return write(tmp_path / f"{form}.parquet", form)


def answer(metadata) -> str:
    """Return all of it, in which a NaN is like another one, or pyarrow's error for a date that Python does not have."""
    try:
        return repr(metadata.to_dict())
    except (OverflowError, UnicodeDecodeError) as error:
        return repr(error)
    except Unsupported as error:
        return repr(error.__cause__)


def arrow_schema(metadata) -> tuple | str:
    try:
        schema = metadata.schema.to_arrow_schema()
    except (pa.ArrowException, OSError) as error:
        return repr(error)
    return schema, schema.metadata


def assert_same(ours: FileMetaData, theirs: pq.FileMetaData) -> None:
    assert answer(ours) == answer(theirs)
    assert ours.metadata == theirs.metadata
    assert ours.schema.equals(theirs.schema)
    assert arrow_schema(ours) == arrow_schema(theirs)
    assert (ours == theirs) is (theirs == ours) is True
    assert hash(ours) == hash(theirs)


def test_it_is_pyarrows_for_every_file_of_the_corpus(corpus, expected, tmp_path, form):
    count, copy = 0, tmp_path / "copy.parquet"
    for file in readable(corpus, expected)[FORMS.index(form) :: len(FORMS)]:
        if file.name in ENDS_PYARROW or file.stat().st_size > 1 << 18:
            continue
        compare(file, copy, form)
        count += 1
    assert count > 60


@pytest.mark.usefixtures("long")
def test_it_is_pyarrows_for_every_file_of_the_corpus_in_each_form(corpus, expected, tmp_path, form):
    for file in readable(corpus, expected):
        if file.name not in ENDS_PYARROW:
            compare(file, tmp_path / "copy.parquet", form)


def compare(file, copy, form: str) -> None:
    if form != "thrift":
        shutil.copyfile(file, copy)
        parquetext.upgrade(copy, form, force=["size"])
        file = copy
    with parquetext.open(str(file)) as opened:
        ours = opened.metadata
    assert_same(ours, pq.read_metadata(file))


@pytest.mark.usefixtures("implementation")
def test_one_column_reads_one_column(path, monkeypatch):
    made = []
    monkeypatch.setattr(
        "parquetext.arrow.metadata.column_footer",
        lambda form, leaf, *rest: made.append(leaf) or column_footer(form, leaf, *rest),
    )
    with parquetext.open(path) as file:
        group = file.metadata.row_group(1)
        chunk = group.column(7)
        assert (chunk.statistics.min, chunk.statistics.max, chunk.path_in_schema) == (9, 10, "c7")
        assert file.metadata.row_group(2).column(7).statistics.min == 11
    assert made == [7]


def test_many_columns_go_over_to_the_whole_footer(tmp_path, form):
    path = write(tmp_path / "wide.parquet", form, columns=400)
    with parquetext.open(path) as file:
        minima = [file.metadata.row_group(0).column(at).statistics.min for at in range(400)]
        assert minima == list(range(400))
        assert file.metadata._whole is not None
        assert file.metadata._parts_made < 100


def test_more_row_groups_than_one_part_has(tmp_path, form):
    path = write(tmp_path / "deep.parquet", form, columns=2, row_groups=130)
    with parquetext.open(path) as file:
        assert [file.metadata.row_group(at).column(1).statistics.min for at in (0, 63, 64, 129)] == [1, 127, 129, 259]


def test_sorting_columns_and_key_values_are_there(tmp_path, form):
    order = [pq.SortingColumn(1, descending=True), pq.SortingColumn(0, nulls_first=True)]
    path = write(tmp_path / "sorted.parquet", form, sorting_columns=order)
    with parquetext.open(path) as file:
        assert file.metadata.row_group(1).sorting_columns == tuple(order)
        assert_same(file.metadata, pq.read_metadata(path))


def test_equal_to_its_like_and_to_nothing_else(path, tmp_path):
    other = write(tmp_path / "other.parquet", "thrift", columns=39)
    with parquetext.open(path) as file, parquetext.open(other) as another:
        metadata, group = file.metadata, file.metadata.row_group(0)
        assert metadata != another.metadata
        assert metadata != pq.read_metadata(other)
        assert metadata != 5
        assert group == pq.read_metadata(path).row_group(0)
        assert pq.read_metadata(path).row_group(0) == group
        assert group != metadata.row_group(1)
        assert group != 5
        assert group.column(3) == pq.read_metadata(path).row_group(0).column(3)
        with pytest.raises(TypeError, match="int"):
            metadata.equals(5)


@pytest.mark.parametrize("number", [-1, 3, 1 << 40])
def test_a_missing_row_group_or_column_is_an_index_error(path, number):
    with parquetext.open(path) as file:
        with pytest.raises(IndexError, match="out of bounds"):
            file.metadata.row_group(number)
        with pytest.raises(IndexError, match="out of bounds"):
            file.metadata.row_group(0).column(number * 40)


def test_metadata_outlives_the_file_and_its_name(path):
    wanted = pq.read_metadata(path)
    with parquetext.open(path) as file:
        metadata = file.metadata
    os.remove(path)
    assert metadata.row_group(2).column(1).statistics.max == 6
    assert_same(metadata, wanted)


def test_metadata_pickles_without_its_file(path):
    with parquetext.open(path) as file:
        metadata = pickle.loads(pickle.dumps(file.metadata))
        group = pickle.loads(pickle.dumps(file.metadata.row_group(1)))
    assert isinstance(metadata, FileMetaData)
    assert isinstance(group, RowGroupMetaData)
    assert_same(metadata, pq.read_metadata(path))
    assert group == pq.read_metadata(path).row_group(1)


def test_to_pyarrow_returns_pyarrows_class(path, tmp_path):
    with parquetext.open(path) as file:
        metadata = file.metadata
    parquetext.write_metadata(metadata.schema.to_arrow_schema(), tmp_path / "_metadata", [metadata])
    assert pq.read_metadata(tmp_path / "_metadata").num_row_groups == 3
    metadata.set_file_path("part.parquet")
    assert metadata.row_group(0).column(39).file_path == "part.parquet"
    metadata.append_row_groups(metadata)
    metadata.append_row_groups(pq.read_metadata(path))
    assert (metadata.num_row_groups, metadata.num_rows) == (9, 18)
    assert metadata.row_group(8).column(39).file_path == ""
    metadata.write_metadata_file(str(tmp_path / "all"))
    assert_same(FileMetaData.of_thrift(footer_of((tmp_path / "all").read_bytes())), pq.read_metadata(tmp_path / "all"))


# ---- footers that pyarrow must not see


def footer_with(stats: bytes | None = None, chunk_type: int = 1, extra: bytes = b"", **options) -> bytes:
    meta = thrift.metadata(chunk_type, [b"a"], stats=stats, **options)
    elements = [thrift.element(b"root", children=1), thrift.element(b"a", type=1)]
    return thrift.footer(elements, [thrift.row_group([thrift.chunk(meta[:-1] + extra + b"\0")])], column_orders=[1])


HISTOGRAM = b"\x4c\x29\x26\x02\x02\0"  # field 16 behind field 12: two repetition levels


@pytest.mark.parametrize(
    ("footer", "kind", "message"),
    [
        (footer_with(thrift.statistics(min_value=b"ab", max_value=b"cdef")), Malformed, "a bound of 2 bytes"),
        (footer_with(thrift.statistics(min_value=b"", max_value=b"cdef")), Malformed, "a bound of 0 bytes"),
        (footer_with(thrift.statistics(min_value=b"", max_value=b"")), Malformed, "a bound of 0 bytes"),
        (footer_with(chunk_type=2), Malformed, "not of the column's type"),
        (footer_with(codec=5000), Unsupported, "codec 5000"),
        (
            footer_with(thrift.statistics(), extra=HISTOGRAM),
            Malformed,
            "a histogram of 2 levels in a column that has 1",
        ),
    ],
)
def test_a_chunk_that_would_end_pyarrows_process_is_an_error(footer, kind, message):
    metadata = FileMetaData.of_thrift(footer)
    for _ in range(3):  # by itself, and in the whole footer
        with pytest.raises(kind, match=message):
            metadata.row_group(0).column(0)
        metadata._read_whole()


def test_a_file_closes_its_footer_once_nothing_of_it_is_left(path):
    file = parquetext.open(path)
    source, metadata = file._source, file.metadata
    metadata.row_group(0).column(0)
    file.close()
    assert source.fd >= 0
    del metadata, file
    gc.collect()
    assert source.fd == -1
