"""Planning a read: directories' keys are decided once per folder, and a plan stays while the listing is the same."""

from __future__ import annotations

import datetime
import json
import os
import pickle
from pathlib import Path

import pytest
from pyspark.serializers import CloudPickleSerializer
from pyspark.sql.types import DateType, IntegerType, LongType, StructField, StructType
from support.parquet_bytes import parquet_bytes

from parquetext.spark.source import ParquetextSource, partition_reader, read_shares
from parquetext.spark.source.partition_reader import Reader
from parquetext.spark.source.reader_options import Options

FOLDERS, EACH = 20, 15
SCHEMA = StructType([StructField("a", LongType()), StructField("day", DateType()), StructField("part", IntegerType())])


@pytest.fixture
def lake(tmp_path) -> Path:
    """Files in folders by day and part, a part without a value among them, and names that do not count."""
    for number in range(FOLDERS):
        part = "__HIVE_DEFAULT_PARTITION__" if number == 3 else number % 4
        folder = tmp_path / f"day={datetime.date(2024, 1, 1 + number)}" / f"part={part}"
        folder.mkdir(parents=True)
        for each in range(EACH):
            (folder / f"part-{each:02}.parquet").write_bytes(parquet_bytes())
        (folder / "_SUCCESS").touch()
        (folder / "x.parquet._COPYING_").write_bytes(b"half")
    return tmp_path


@pytest.fixture
def counted(monkeypatch):
    """Return how often the counted functions were called."""
    calls: dict[str, int] = {}

    def counting(function):
        def call(*arguments):
            calls[function.__name__] = calls.get(function.__name__, 0) + 1
            return function(*arguments)

        return call

    for module, name in (
        (partition_reader, "key_scalar"),
        (partition_reader, "surviving"),
        (partition_reader, "shares"),
        (read_shares, "_partition"),
    ):
        monkeypatch.setattr(module, name, counting(getattr(module, name)))
    return calls


def reader(lake: Path, prune: list, schema: StructType = SCHEMA, **options) -> Reader:
    given = {"path": str(lake), "timeZone": "UTC", "prune": json.dumps(prune), **options}
    return Reader(Options.of(given), schema)


def paths(shares) -> list[str]:
    return sorted(piece.file.path for share in shares for piece in share.pieces)


def test_each_folder_is_decided_once(lake, counted):
    left = paths(reader(lake, [["day", ">", {"date": "2024-01-15"}], ["part", "in", [0, 1, 2]]]).partitions())
    assert counted == {"key_scalar": 2 * FOLDERS, "surviving": 1, "shares": 1, "_partition": FOLDERS}
    assert len(left) == EACH * len([day for day in range(16, 21) if (day - 1) % 4 != 3])
    assert not [path for path in left if "2024-01-15" in path or "part=3" in path or not path.endswith(".parquet")]


def test_folders_decide_as_their_files_one_by_one(lake):
    """Every filter over the keys returns the rows that it returns if each folder is read separately."""
    for prune in (
        [["part", "=", 1]],
        [["part", "!=", 1]],
        [["part", "<", 2], ["day", "<", {"date": "2024-01-05"}]],
        [[["part", "=", 3]], [["day", "=", {"date": "2024-01-01"}]]],
        [["a", ">", 0]],
        [["part", "=", "text"]],
        [["part", "=", 17]],
    ):
        whole = paths(reader(lake, prune).partitions())
        single = [
            path
            for folder in lake.glob("day=*/part=*")
            for path in paths(reader(folder, prune, basePath=str(lake)).partitions())
        ]
        assert whole == sorted(single), prune


def test_a_plan_is_kept_until_the_listing_changes(lake, counted):
    prune = [["part", "=", 1]]
    first = reader(lake, prune).partitions()
    again = reader(lake, prune).partitions()
    assert again is first and counted["shares"] == 1 and counted["_partition"] == FOLDERS
    assert len(paths(reader(lake, [["part", "=", 2]]).partitions())) == 5 * EACH and counted["_partition"] == FOLDERS
    new = lake / "day=2024-02-01/part=1/new.parquet"
    new.parent.mkdir(parents=True)
    new.write_bytes(parquet_bytes())
    assert paths(reader(lake, prune).partitions()) == [*paths(first), str(new)]
    new.write_bytes(parquet_bytes() * 2)
    grown = [
        piece for share in reader(lake, prune).partitions() for piece in share.pieces if piece.file.path == str(new)
    ]
    assert {piece.file.size for piece in grown} == {2 * len(parquet_bytes())}
    os.remove(new)
    assert paths(reader(lake, prune).partitions()) == paths(first)


def test_other_options_and_schemas_have_separate_plans(lake):
    prune = [["part", "=", 1]]
    whole = reader(lake, prune).partitions()
    assert len(reader(lake, prune, minPartitionNum="3", openCostInBytes="1").partitions()) < len(whole)
    without = StructType([field for field in SCHEMA if field.name != "part"])
    assert len(paths(reader(lake, [["a", ">", 0]], without).partitions())) == FOLDERS * EACH
    assert paths(reader(lake, prune).partitions()) == paths(whole)
    for day in range(10):  # more than are kept
        reader(lake, [["part", "=", day]]).partitions()
    assert paths(reader(lake, prune).partitions()) == paths(whole)


def test_shares_come_whole_through_pickle(lake):
    for share in reader(lake, [["part", "!=", 1]], maxPartitionBytes="3k", openCostInBytes="1").partitions():
        for copy in (
            pickle.loads(pickle.dumps(share)),
            CloudPickleSerializer().loads(CloudPickleSerializer().dumps(share)),
        ):
            assert copy.pieces == share.pieces and len(share.pieces) > 0


def test_a_table_whose_log_is_not_read_is_reported_once(lake, caplog):
    (lake / "_delta_log").mkdir()
    for _ in range(2):
        assert reader(lake, [["part", "=", 1]]).partitions()
    assert [record.getMessage() for record in caplog.records] == [
        f"{lake} is a Delta Lake table, whose log is not followed here: rows and files that it has deleted come back; "
        "read it by Delta Lake's own reader, or name the files that it lists"
    ]


def test_the_schema_takes_each_folders_keys_once(lake):
    schema = ParquetextSource({"path": str(lake), "timeZone": "UTC"}).schema()
    assert [field.dataType for field in schema if field.name in ("day", "part")] == [DateType(), IntegerType()]
