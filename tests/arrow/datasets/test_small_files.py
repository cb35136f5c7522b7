"""Many small files: read together by the kernels, with the rows and errors of files that are read one by one."""

from __future__ import annotations

import datetime
import decimal
import os
import shutil

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.samples import examples

import parquetext
from parquetext import kernels
from parquetext.arrow.datasets import small_files
from parquetext.errors import ParquetextError

FILES, ROWS = 150, 40


def rows(begin: int, count: int = ROWS) -> pa.Table:
    numbers = range(begin, begin + count)
    return pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "part": pa.array([number % 7 for number in numbers], pa.int8()),
            "ratio": pa.array([None if number % 5 == 0 else number / 3 for number in numbers], pa.float64()),
            "text": [None if number % 11 == 0 else f"text {number % 13}" for number in numbers],
            "price": pa.array([decimal.Decimal(number) / 100 for number in numbers], pa.decimal128(12, 2)),
            "at": pa.array([number * 1000 for number in numbers], pa.timestamp("us", "UTC")),
            "is_even": [number % 2 == 0 for number in numbers],
        }
    )


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    for number in range(FILES):
        options = {"compression": ["zstd", "snappy", "none"][number % 3], "use_dictionary": number % 2 == 0}
        pq.write_table(rows(number * ROWS), folder / f"{number:04}.parquet", row_group_size=25, **options)
    return folder


@pytest.fixture
def folder(written, tmp_path):
    """Return a copy of the files that a test may change."""
    return shutil.copytree(written, tmp_path / "files")


@pytest.fixture
def taken(monkeypatch):
    """Return the numbers of files that each kernel call has opened."""
    counts: list[int] = []
    own = small_files.FirstSchema.open

    def counting(self, fragments):
        files = own(self, fragments)
        counts.append(sum(files.taken))
        return files

    monkeypatch.setattr(small_files.FirstSchema, "open", counting)
    return counts


def one_by_one(folder, **scan) -> pa.Table:
    return parquetext.dataset(folder, engine="pyarrow").to_table(**scan)


FILTERS = [
    pc.field("id") == 77,
    pc.field("id").isin([3, 999, 5999, 100_000]),
    (pc.field("text") == "text 4") & (pc.field("ratio") > 500),
    pc.field("ratio").is_null(),
    ~(pc.field("part") < 6),
    pc.field("price") >= decimal.Decimal("59.95"),
    pc.field("at") < datetime.datetime(1970, 1, 1, 0, 0, 0, 50_000, tzinfo=datetime.UTC),
    pc.field("id") < 0,
]


@pytest.mark.parametrize("use_threads", [True, False])
def test_small_files_are_read_together_with_the_same_rows(written, taken, use_threads):
    found = parquetext.dataset(written).to_table(use_threads=use_threads)
    assert found.equals(pa.concat_tables(rows(number * ROWS) for number in range(FILES)))
    assert sum(taken) == (FILES if kernels.implementation() == "native" else 0)


@pytest.mark.parametrize("columns", [["text"], ["ratio", "id"], {"twice": pc.field("id") * 2}, []])
def test_some_columns_are_read(written, columns):
    dataset = parquetext.dataset(written)
    assert dataset.to_table(columns=columns).equals(one_by_one(written, columns=columns))


@pytest.mark.parametrize("filter", FILTERS, ids=str)
def test_filters_leave_the_same_rows(written, filter):
    found = parquetext.dataset(written).to_table(filter=filter)
    assert found.equals(ds.dataset(written).to_table(filter=filter))


@pytest.mark.parametrize("use_threads", [True, False])
@pytest.mark.parametrize("filter", [None, *FILTERS[:3]], ids=str)
def test_batches_have_the_same_rows(written, taken, filter, use_threads):
    scanner = parquetext.dataset(written).scanner(filter=filter, batch_size=777, use_threads=use_threads)
    expected = one_by_one(written, filter=filter)
    batches = list(scanner.to_batches())
    assert pa.Table.from_batches(batches, expected.schema).equals(expected)
    assert max(batch.num_rows for batch in batches) <= 777
    assert kernels.implementation() != "native" or sum(taken) >= FILES
    assert scanner.to_reader().read_all().equals(expected)
    assert scanner.count_rows() == expected.num_rows
    assert scanner.head(7).equals(expected.slice(0, 7))


def test_batches_of_a_large_file_among_small_ones_are_in_order(folder, monkeypatch):
    monkeypatch.setattr(small_files, "MOST_BYTES", 1 << 14)
    pq.write_table(rows(50 * ROWS, 5000), folder / "0050.parquet", row_group_size=500)
    found = list(parquetext.dataset(folder).to_batches(batch_size=400))
    assert pa.Table.from_batches(found).equals(one_by_one(folder))
    assert max(batch.num_rows for batch in found) <= 400


def test_each_batch_has_its_file_if_that_is_asked(written):
    found = set()
    for batch, fragment in parquetext.dataset(written).scanner().scan_batches():
        files = {number // ROWS for number in batch.column("id").to_pylist()}
        assert {fragment.path} == {str(written / f"{number:04}.parquet") for number in files}
        found |= files
    assert found == set(range(FILES))


def test_an_error_is_raised_after_the_batches_of_the_files_before(folder):
    path = folder / "0030.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    batches = parquetext.dataset(folder, schema=rows(0).schema).to_batches()
    seen = 0
    with pytest.raises((ParquetextError, pa.ArrowException), match=r"0030\.parquet"):
        for batch in batches:
            seen += batch.num_rows
    assert seen == 30 * ROWS


def test_an_excluded_file_is_opened_once(written, taken):
    assert parquetext.dataset(written).to_table(filter=pc.field("id") == 77).num_rows == 1
    if kernels.implementation() == "native":
        assert sum(taken) == FILES


def test_rows_are_in_the_order_of_files_if_some_are_read_alone(folder, taken):
    with_other_types = rows(5 * ROWS).set_column(0, "id", pa.array(range(5 * ROWS, 6 * ROWS), pa.int32()))
    pq.write_table(with_other_types, folder / "0005.parquet")
    nested = rows(70 * ROWS).append_column("more", pa.array([[1, 2]] * ROWS))
    pq.write_table(nested, folder / "0070.parquet")
    pq.write_table(rows(80 * ROWS).drop_columns(["text"]), folder / "0080.parquet")
    pq.write_table(rows(0, 0), folder / "0090.parquet")
    parquetext.upgrade(folder / "0100.parquet", form="flat")
    dataset = parquetext.dataset(folder)
    assert dataset.to_table().equals(one_by_one(folder))
    assert dataset.to_table(filter=pc.field("text") == "text 1").equals(
        one_by_one(folder, filter=pc.field("text") == "text 1")
    )
    if kernels.implementation() == "native":
        assert FILES - 8 < sum(taken[:4]) < FILES


def test_columns_from_directories_are_added(tmp_path):
    for number in range(30):
        (tmp_path / f"day={number % 3}").mkdir(exist_ok=True)
        pq.write_table(rows(number * ROWS), tmp_path / f"day={number % 3}" / f"{number:02}.parquet")
    for filter in (None, pc.field("day") == 2, (pc.field("day") > 0) & (pc.field("id") < 400)):
        found = parquetext.dataset(tmp_path, partitioning="hive").to_table(filter=filter)
        expected = ds.dataset(tmp_path, partitioning="hive").to_table(filter=filter)
        assert found.sort_by("id").equals(expected.sort_by("id"))


def test_columns_that_files_do_not_have_are_null(written):
    schema = rows(0).schema.append(pa.field("later", pa.string()))
    found = parquetext.dataset(written, schema=schema).to_table(filter=pc.field("later").is_null())
    assert found.num_rows == FILES * ROWS
    assert found.column("later").null_count == found.num_rows


def test_rows_are_cast_to_the_schema_of_the_dataset_or_the_file_is_named(written):
    schema = rows(0).schema.set(0, pa.field("id", pa.string()))
    assert parquetext.dataset(written, schema=schema).to_table().column("id")[-1].as_py() == str(FILES * ROWS - 1)
    schema = schema.set(0, pa.field("id", pa.int8()))
    with pytest.raises(pa.ArrowInvalid, match=r"0003\.parquet.*column 'id' is int64 in this file"):
        parquetext.dataset(written, schema=schema).to_table()


@pytest.mark.parametrize("position", [0, 2, 75])
def test_damage_is_reported_with_the_file(folder, position):
    path = folder / f"{position:04}.parquet"
    data = path.read_bytes()
    path.write_bytes(data[:-20])
    with pytest.raises((ParquetextError, pa.ArrowException), match=rf"{position:04}\.parquet"):
        parquetext.dataset(folder, schema=rows(0).schema).to_table()


def test_a_damaged_page_is_reported_with_the_file(folder):
    path = folder / "0030.parquet"
    data = bytearray(path.read_bytes())
    data[4:60] = bytes(56)
    path.write_bytes(data)
    with pytest.raises((ParquetextError, pa.ArrowException, OSError), match=r"0030\.parquet"):
        parquetext.dataset(folder).to_table()


def test_a_file_that_is_removed_is_reported(folder):
    dataset = parquetext.dataset(folder)
    (folder / "0100.parquet").unlink()
    with pytest.raises(FileNotFoundError, match=r"0100\.parquet"):
        dataset.to_table()


def test_a_low_limit_of_memory_is_checked_file_by_file(written, taken, monkeypatch):
    monkeypatch.setenv("PARQUETEXT_DECODED_SIZE_LIMIT", str(1 << 20))
    assert parquetext.dataset(written).to_table().num_rows == FILES * ROWS
    assert not taken


def test_options_and_other_engines_read_file_by_file(written, taken):
    dataset = parquetext.dataset(written, engine="parquetext")
    assert dataset.to_table().num_rows == FILES * ROWS
    options = ds.ParquetFragmentScanOptions(page_checksum_verification=True)
    parquetext.dataset(written).to_table(fragment_scan_options=options)
    assert not taken


def test_files_stay_open_only_during_a_call(written):
    before = len(os.listdir("/proc/self/fd"))
    parquetext.dataset(written).to_table(filter=pc.field("part") == 3)
    assert len(os.listdir("/proc/self/fd")) <= before


TYPES = {
    pa.int32(): st.integers(-(1 << 31), (1 << 31) - 1),
    pa.uint16(): st.integers(0, (1 << 16) - 1),
    pa.float32(): st.floats(width=32, allow_nan=False),
    pa.string(): st.text(max_size=5),
    pa.binary(): st.binary(max_size=5),
    pa.date32(): st.dates(),
    pa.bool_(): st.booleans(),
    pa.dictionary(pa.int32(), pa.string()): st.sampled_from("abc"),
    pa.list_(pa.int8()): st.lists(st.integers(-9, 9), max_size=3),
}


@settings(max_examples=examples(20), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.data())
def test_any_columns_are_read_as_pyarrow_reads_them(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("any")
    types = data.draw(st.lists(st.sampled_from(list(TYPES)), min_size=1, max_size=4))
    for number in range(9):
        count = data.draw(st.integers(0, 6))
        columns = {
            f"c{position}": pa.array(data.draw(st.lists(st.none() | TYPES[type], min_size=count, max_size=count)), type)
            for position, type in enumerate(types)
        }
        options = {"data_page_version": data.draw(st.sampled_from(["1.0", "2.0"]))}
        pq.write_table(pa.table(columns), folder / f"{number}.parquet", row_group_size=4, **options)
    found, expected = parquetext.dataset(folder).to_table(), ds.dataset(folder).to_table()
    assert found.cast(expected.schema).equals(expected)
    filter = pc.field("c0").is_valid()
    assert parquetext.dataset(folder).to_table(filter=filter).num_rows == ds.dataset(folder).count_rows(filter=filter)


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(bit=st.integers(0, 8 * 1500), position=st.integers(1, 7))
def test_a_flipped_bit_is_read_as_in_a_single_file(tmp_path, monkeypatch, bit, position):
    for number in range(8):
        pq.write_table(rows(number * ROWS, 4).select(["id", "text"]), tmp_path / f"{number}.parquet")
    path = tmp_path / f"{position}.parquet"
    data = bytearray(path.read_bytes())
    data[-1 - bit // 8 % len(data)] ^= 1 << bit % 8
    path.write_bytes(data)

    def outcome(fewest: int):
        with monkeypatch.context() as patch:
            patch.setattr(small_files, "FEWEST_FILES", fewest)
            try:
                return parquetext.dataset(tmp_path).to_table(filter=pc.field("id") > 41).to_pydict()
            except (ParquetextError, pa.ArrowException, OSError, UnicodeError) as error:
                return type(error), str(error)

    assert outcome(8) == outcome(9)
