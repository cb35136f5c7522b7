"""A catalog over the files of a listing: it plans those that are as it knows them, and leaves the others alone."""

from __future__ import annotations

import datetime
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.arrow.datasets.discovery import discover
from parquetext.catalog import batches_of
from parquetext.catalog.cover import Cover
from parquetext.catalog.footers import COARSE, FINE, SECOND, same_time, settled
from parquetext.pruning import predicate_of

LONG_AGO = 1_600_000_000_000_000_001
TYPES = {"n": pa.int64(), "s": pa.string(), "only": pa.int64(), "at": pa.timestamp("us"), "day": pa.int32()}
FILTERS = [
    [("n", "=", 137)],
    [("n", ">", 570)],
    [("n", "!=", 3), ("s", "<", "v00150")],
    [("s", "in", ["v00001", "w"])],
    [[("n", "<", 5)], [("n", ">=", 595)]],
    [("only", "=", 310)],
    [("at", ">", datetime.datetime(2020, 1, 20))],
    [[("day", "=", 0), ("n", "=", 30)], [("day", "=", 2), ("n", "=", 450)]],
]


def write(path: Path, number: int, **more: pa.Array) -> None:
    """100 rows in 10 row groups, dated so long ago that a catalog knows the time."""
    rows = range(number * 100, number * 100 + 100)
    columns = {
        "n": pa.array(rows, pa.int32() if number % 2 else pa.int64()),
        "s": [f"v{row:05}" for row in rows],
        "at": [datetime.datetime(2020, 1, 1) + datetime.timedelta(hours=row) for row in rows],
        **more,
    }
    if number > 2:
        columns["only"] = pa.array(rows)
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.table(columns), path, row_group_size=10, compression="none", use_dictionary=False)
    os.utime(path, ns=(0, LONG_AGO + number))


@pytest.fixture
def lake(tmp_path) -> Path:
    """Six files in three folders."""
    lake = tmp_path / "lake"
    lake.mkdir()
    for number in range(6):
        write(lake / f"day={number // 2}" / f"{number}.parquet", number)
    return lake


def catalog_of(paths: Iterable[Path]) -> pa.Table:
    return pa.Table.from_batches(batches_of(sorted(map(str, paths))))


def over(catalog, lake: Path, filters, **options) -> tuple[dict[str, list[int]], list[str]]:
    """Return the chunks that the catalog keeps, and the files that it does not know, by the stems of their names."""
    files = discover(str(lake), sizes=True)
    cover = Cover(catalog, files.paths, files.sizes, files.modified, **options)
    keys = {"day": pa.array([int(keys.get("day", -1)) for keys in files.keys], pa.int32())}
    left = cover.left(predicate_of(filters), TYPES, keys)
    stems = [Path(path).stem for path in files.paths]
    return {stems[number]: kept.row_groups for number, kept in left.items()}, [stems[n] for n in cover.others]


@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_cover_keeps_the_row_groups_of_the_plan(lake, filters):
    catalog = catalog_of(lake.rglob("*.parquet"))
    left, others = over(catalog, lake, filters)
    planned = {Path(file).stem: row_groups for file, row_groups in parquetext.plan(catalog, filters)}
    assert others == []
    for file in (stem for stem in "012" if "only" in str(filters)):  # it may be there in another case
        assert left.pop(file) == list(range(10)) and file not in planned
    assert left == planned


def test_new_and_changed_files_are_unknown_and_deleted_files_are_omitted(lake):
    catalog = catalog_of(lake.rglob("*.parquet"))
    size = (lake / "day=0" / "0.parquet").stat().st_size
    shutil.copyfile(lake / "day=1" / "2.parquet", lake / "day=0" / "0.parquet")
    assert (lake / "day=0" / "0.parquet").stat().st_size == size  # only its time differs
    write(lake / "day=1" / "3.parquet", 3, more=pa.array(range(100)))  # only its size differs
    write(lake / "day=2" / "new.parquet", 4)
    os.remove(lake / "day=2" / "5.parquet")
    assert over(catalog, lake, [("n", "=", 401)]) == ({"4": [0]}, ["0", "3", "new"])


def test_a_file_without_a_known_time_is_another(lake):
    os.utime(lake / "day=0" / "0.parquet")
    catalog = catalog_of(lake.rglob("*.parquet"))
    assert over(catalog, lake, [("n", "=", 401)]) == ({"4": [0]}, ["0"])


def test_a_file_that_could_not_be_read_is_another(lake):
    bad = lake / "day=0" / "bad.parquet"
    bad.write_bytes(b"no Parquet at all, yet long enough")
    os.utime(bad, ns=(0, LONG_AGO))
    assert over(catalog_of(lake.rglob("*.parquet")), lake, [("n", "=", 401)]) == ({"4": [0]}, ["bad"])


def test_the_valid_one_of_two_entries_of_a_file_is_used(lake):
    before = catalog_of(lake.rglob("*.parquet"))
    write(lake / "day=0" / "0.parquet", 9)
    after = catalog_of(lake.rglob("*.parquet"))
    both = pa.concat_tables([before, after])
    assert over(both, lake, [("n", "=", 901)]) == ({"0": [0]}, [])
    assert over(both, lake, [("n", "=", 1)]) == ({}, [])


def test_shares_and_begins_describe_the_selected_part_of_a_file(lake):
    files = discover(str(lake), sizes=True)
    cover = Cover(catalog_of(lake.rglob("*.parquet")), files.paths, files.sizes, files.modified)
    (kept,) = cover.left(predicate_of([("n", ">=", 570)]), TYPES).values()
    metadata = pq.read_metadata(files.paths[5])
    begins = [metadata.row_group(number).column(0).data_page_offset for number in (7, 8, 9)]
    assert (kept.row_groups, kept.begins, kept.share) == ([7, 8, 9], begins, 0.3)


def test_bounds_before_1900_exclude_nothing_if_calendars_may_differ(lake):
    for number, year in enumerate((1500, 1890, 1950)):
        days = pa.array([datetime.date(year, 1, 1)] * 100)
        write(lake / f"day={number}" / f"{number * 2}.parquet", number * 2, born=days)
        os.remove(lake / f"day={number}" / f"{number * 2 + 1}.parquet")
    catalog, filters = catalog_of(lake.rglob("*.parquet")), [("born", ">", datetime.date(2000, 1, 1))]
    files = discover(str(lake), sizes=True)
    message = files.paths, files.sizes, files.modified
    types = {"born": pa.date32()}
    assert Cover(catalog, *message).left(predicate_of(filters), types) == {}
    since = int(datetime.datetime(1900, 1, 1, tzinfo=datetime.UTC).timestamp()) * 10**6
    assert list(Cover(catalog, *message, since=since).left(predicate_of(filters), types)) == [0, 1]


def test_duplicate_column_names_exclude_nothing(tmp_path):
    path = tmp_path / "twice.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["n", "n"]), path)
    os.utime(path, ns=(0, LONG_AGO))
    assert over(catalog_of([path]), tmp_path, [("n", "=", 7)]) == ({"twice": [0]}, [])


def test_a_catalog_of_an_older_version_without_times_knows_no_file(lake):
    catalog = catalog_of(lake.rglob("*.parquet"))
    without = catalog.set_column(catalog.column_names.index("modified"), "modified", pa.nulls(len(catalog), pa.int64()))
    left, others = over(without, lake, [("n", "=", 401)])
    assert left == {} and len(others) == 6


def test_times_that_a_later_change_may_share_are_not_kept():
    now = 1_700_000_000 * SECOND
    fine, coarse = now - FINE + 7, now - SECOND
    assert settled(fine, now) is None and settled(coarse, now) is None and settled(0, now) is None
    assert settled(now - FINE - 1, now) == now - FINE - 1
    assert settled(now - COARSE - SECOND, now) == now - COARSE - SECOND


def test_a_stored_time_of_whole_seconds_matches_a_finer_time_of_that_second_only():
    kept = pa.array([5 * SECOND, 5 * SECOND, 5 * SECOND + 1, 5 * SECOND + 1, None])
    message = pa.array([5 * SECOND + 17, 6 * SECOND, 5 * SECOND, 5 * SECOND + 1, 1])
    assert same_time(kept, message).to_pylist() == [True, False, False, True, None]
