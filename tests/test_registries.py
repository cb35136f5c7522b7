"""The registries: a footer form, a storage backend or a logical type in one file works everywhere."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import ClassVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from support.dict_backend import DictBackend, registered
from support.pages import Column, data_page, file_of_row_groups

import parquetext
from parquetext import catalog, logical_types, sidecar, storage, wire
from parquetext.errors import Conflict, Refused
from parquetext.footer.elements import parse_element
from parquetext.footer.leaf_types import leaf_type_of
from parquetext.inspection.content.schema_text import schema_as_dict, schema_text
from parquetext.inspection.content.sql import DUCKDB, SPARK
from parquetext.logical_types import Entry, SortOrder, SqlText
from parquetext.logical_types.annotation import UNIT, UNIT_WORDS, Parameter
from parquetext.thrift import read, write

PACKAGE = Path(parquetext.__file__).parent
SUPPORT = Path(__file__).parent / "support"

TABLE = pa.table({"id": pa.array(range(3000)), "price": [n / 7 for n in range(3000)]})
URL = "dict://lake/day=1/x.parquet"
KEY = "lake/day=1/x.parquet"

FIELD_ID = 77
GROUPS = [[1.5, 2.5], [10.0, 20.0], [-3.0, 0.5]]


# ---- a footer form


def package_with(folder: Path, source: str, module: str) -> Path:
    """Copy the package by symbolic links, and add one file to it."""
    shutil.copytree(
        PACKAGE, folder / "parquetext", copy_function=os.symlink, ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copyfile(SUPPORT / source, folder / "parquetext" / module)
    return folder


def run_toy_form(folder: Path, *arguments: str) -> None:
    root, data = folder / "package", folder / "data"
    data.mkdir()
    package_with(root, "toy_form.py", "footer/forms/toy.py")
    done = subprocess.run(
        [sys.executable, SUPPORT / "toy_form_uses.py", data, *arguments],
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_form_in_one_file_is_located_opened_written_verified_listed_and_stripped(tmp_path):
    run_toy_form(tmp_path)


@pytest.mark.slow
@pytest.mark.spark
def test_a_form_in_one_file_runs_through_spark_jobs(tmp_path, quick_java):
    pytest.importorskip("pyspark")
    run_toy_form(tmp_path, "spark")


# ---- a storage backend


@pytest.fixture
def backend() -> Iterator[DictBackend]:
    with registered() as added:
        yield added


@pytest.fixture
def stored(backend) -> bytes:
    """A file in the dict."""
    sink = pa.BufferOutputStream()
    pq.write_table(TABLE, sink, row_group_size=1000)
    data = sink.getvalue().to_pybytes()
    backend.files[KEY] = -1, data
    return data


def test_a_file_in_a_dict_opens_and_reads(stored):
    with parquetext.open(URL) as file:
        assert (file.form, file.num_rows) == ("thrift", 3000)
        assert [bound.as_py() for bound in file.column("id").max] == [999, 1999, 2999]
    assert parquetext.read_table(URL, columns=["price"]).equals(TABLE.select(["price"]))
    assert parquetext.verify(URL, deep=True).ok


@pytest.mark.parametrize("form", ["flat", "index"])
def test_a_file_in_a_dict_is_upgraded_and_stripped(backend, stored, form):
    parquetext.upgrade(URL, form=form)
    assert list(backend.files) == [KEY]
    assert backend.files[KEY][1] != stored
    with parquetext.open(URL) as file:
        assert file.form == form
        assert file.read().equals(TABLE)
    parquetext.strip(URL)
    assert backend.files == {KEY: (backend.files[KEY][0], stored)}


def test_a_dataset_in_a_dict_is_written_listed_and_filtered(backend, stored):
    parquetext.write_table(TABLE.slice(0, 10), "dict://lake/day=2/y.parquet")
    found = parquetext.dataset("dict://lake").to_table(filter=pc.field("id") < 5)
    assert sorted(found["day"].to_pylist()) == [1] * 5 + [2] * 5
    assert parquetext.read_table("dict://lake", filters=[("day", "=", 2)]).num_rows == 10


def test_a_sidecar_in_a_dict_is_built_opened_and_removed(backend, stored):
    sidecar.build(URL)
    found = [each for each in sidecar.candidates(URL) if sidecar.exists(each)]
    assert [each.path for each in found] == sorted(backend.files.keys() - {KEY})
    with sidecar.open(URL) as plan:
        assert plan.num_row_groups == 3
    parquetext.upgrade(URL, form="flat")
    assert parquetext.read_table("dict://lake", filters=[("id", ">", 2990)]).num_rows == 9
    del backend.files[KEY]
    assert [each.path for each in sidecar.prune("dict://lake")]
    assert backend.files == {}


def test_a_missing_capability_is_refused_by_name(stored):
    target = storage.resolve(URL)
    assert not target.can(storage.Capability.EDIT_IN_PLACE)
    with pytest.raises(Refused, match="in place"):
        parquetext.upgrade(URL, form="flat", in_place=True)
    with pytest.raises(Refused, match="times"):
        parquetext.upgrade(URL, form="flat", keep_mtime=True)


def test_a_change_by_another_writer_wins(backend, stored):
    with storage.change(URL) as change:
        backend.files[KEY] = -2, stored[:-1]
        with pytest.raises(Conflict):
            change.commit(storage.TailEdit(len(stored), b"x"))
    assert backend.files == {KEY: (-2, stored[:-1])}


def test_a_file_that_does_not_exist_is_not_found(backend):
    with pytest.raises(FileNotFoundError):
        parquetext.open(URL)


# ---- a logical type


class LapTime(pa.ExtensionType):
    """The Arrow type of columns that are written as the toy type."""

    def __init__(self):
        super().__init__(pa.float64(), "tests.lap_time")

    def __arrow_ext_serialize__(self):
        return b""

    def __hash__(self):
        return hash(self.extension_name)

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type, serialized):
        return cls()


class _LapTime(Entry):
    """The whole toy type."""

    name = "LAP_TIME"
    field_id = FIELD_ID
    widths: ClassVar = {wire.PHYSICAL_DOUBLE: 0}
    order = SortOrder.SIGNED
    parameters = (Parameter("unit", 1, "unit", "unit", UNIT, UNIT_WORDS),)
    arrow_type = pa.float64()
    bounds_reading = wire.READING_FLOAT
    sql: ClassVar = {LapTime(): SqlText(spark="DOUBLE", duckdb="INTERVAL")}
    spark_type = "double"
    questdb_type = "DOUBLE"


@pytest.fixture
def lap_time(monkeypatch):
    entry = _LapTime()
    for table in ("_by_name", "_by_id", "_by_converted"):
        monkeypatch.setattr(logical_types, table, dict(getattr(logical_types, table)))
    logical_types.register([entry])
    yield entry
    logical_types.sql_text.cache_clear()


def column(values: list[float]) -> Column:
    body = struct.pack(f"<{len(values)}d", *values)
    unit = write("TimeUnit", {"MILLIS": {}})
    options = bytes([1 << 4 | wire.TYPE_STRUCT]) + unit + b"\0"
    # The long form of a field header: the type, then the id as a zigzag varint (77 -> 154).
    union = bytes([wire.TYPE_STRUCT, 154, 1]) + options + b"\0"
    statistics = {"min_value": struct.pack("<d", min(values)), "max_value": struct.pack("<d", max(values))}
    return Column(
        "lap",
        wire.PHYSICAL_DOUBLE,
        [data_page(body, len(values), wire.ENCODING_PLAIN)],
        element={"logicalType": union},
        metadata={"statistics": {"null_count": 0, **statistics}},
    )


@pytest.fixture
def laps(lap_time, tmp_path):
    data = file_of_row_groups([([column(values)], len(values)) for values in GROUPS])
    size = int.from_bytes(data[-8:-4], "little")
    footer = read("FileMetaData", data[-8 - size : -8])
    # The kernels do not know the annotation, so its statistics are ignored in any order.
    orders = write("FileMetaData", {**footer, "column_orders": [{"IEEE_754_TOTAL_ORDER": {}}]})
    target = tmp_path / "laps.parquet"
    target.write_bytes(data[: -8 - size] + orders + len(orders).to_bytes(4, "little") + b"PAR1")
    return target


def test_a_type_in_one_file_appears_in_schema_text(laps):
    with parquetext.open(laps) as file:
        assert "required double lap (LAP_TIME(MILLIS));" in schema_text(file, "parquet")
        described = schema_as_dict(file)["children"][0]["logical_type"]
    assert json.loads(json.dumps(described)) == {"name": "LAP_TIME", "unit": "ms"}


def test_a_type_in_one_file_has_an_arrow_type_and_no_bounds(laps):
    with parquetext.open(laps) as file:
        assert file.schema.field("lap").type == pa.float64()
        laps = file.column("lap")
        assert str(laps.logical_type.name) == "LAP_TIME"
        assert laps.min.type == pa.float64()
        assert laps.min.null_count == laps.max.null_count == len(GROUPS)
        element = file._on_form(lambda form: form.node(0).thrift)
    assert leaf_type_of(element).arrow == pa.float64()
    assert parse_element(element).logical.unit == "ms"


def test_a_type_in_one_file_appears_in_sql(laps):
    assert SPARK.type_of(LapTime()) == "DOUBLE"
    assert DUCKDB.type_of(pa.list_(LapTime())) == "INTERVAL[]"
    with parquetext.open(laps) as file:
        assert '"lap" DOUBLE NOT NULL' in schema_text(file, "duckdb")
        assert "`lap` DOUBLE NOT NULL" in schema_text(file, "spark")
        element = parse_element(file._on_form(lambda form: form.node(0).thrift))
    assert logical_types.spark_type(element.logical, element.type, 8) == "double"


def test_a_type_in_one_file_appears_in_spark_schemas(laps):
    types = pytest.importorskip("pyspark.sql.types")
    from parquetext.spark.source.spark_schema import spark_schema

    with parquetext.open(laps) as file:
        found = file._on_form(lambda form: spark_schema(form, None))
    assert found["lap"].dataType == types.DoubleType()


@pytest.mark.parametrize("engine", [None, "auto", "parquetext"])
def test_a_type_in_one_file_is_read_and_filtered(laps, engine):
    assert parquetext.read_table(laps, engine=engine)["lap"].to_pylist() == list(chain(*GROUPS))
    found = parquetext.read_table(laps, engine=engine, filters=[("lap", ">", 2.0)])
    assert found["lap"].to_pylist() == [2.5, 10.0, 20.0]


def test_filters_skip_no_row_groups_by_the_bounds_of_a_type_that_the_kernels_do_not_know(laps):
    rows = pa.Table.from_batches(catalog.batches_of([laps]))
    assert rows["logical_type"].to_pylist() == ["LAP_TIME(ms)"] * 3
    assert rows["min_double"].null_count == len(GROUPS)
    (planned,) = parquetext.plan(rows, [("lap", ">", 2.5)])
    assert planned.row_groups == [0, 1, 2]


def test_other_footers_keep_the_annotation_of_a_type_in_one_file(laps):
    parquetext.upgrade(laps, form="flat")
    with parquetext.open(laps) as file:
        assert "(LAP_TIME(MILLIS))" in schema_text(file, "parquet")
