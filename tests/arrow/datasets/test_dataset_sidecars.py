"""Datasets planned by sidecars: the same rows, without a look at files that have none of them."""

from __future__ import annotations

import os

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from support.objects import BUCKET, put, recorded_s3_server
from support.sidecars import blind, with_checksum

import parquetext
from parquetext import sidecar
from parquetext.arrow.datasets import sidecars

pytestmark = pytest.mark.usefixtures("implementation")
FILES, ROWS = 6, 100


def table(number: int) -> pa.Table:
    rows = range(number * ROWS, (number + 1) * ROWS)
    return pa.table(
        {
            "n": pa.array(rows, pa.int64()),
            "text": [f"t{n:05}" for n in rows],
            "when": pa.array(rows, pa.timestamp("us")),
            "x": [n / 4 for n in rows],
        }
    )


@pytest.fixture
def lake(tmp_path):
    """Days of two files each, with sidecars."""
    for number in range(FILES):
        folder = tmp_path / "lake" / f"day={number // 2}"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{number}.parquet"
        pq.write_table(table(number), path, row_group_size=25)
        sidecar.build(path)
    return tmp_path / "lake"


def plan(lake, filter) -> list[tuple[str, list[int]]]:
    """Which row groups of which files are left."""
    return [(os.path.basename(each.path), each.row_groups) for each in lake.get_fragments(filter)]


FILTERS = [
    [("n", "=", 333)],
    [("n", ">", 580)],
    [("text", "in", ["t00001", "t00599", "no"])],
    [[("n", "<", 3), ("day", "=", 0)], [("when", ">=", pa.scalar(598, pa.timestamp("us")))]],
    [("x", "<", 1.0), ("day", "!=", 2)],
    [("day", "=", 1)],
    [("n", "=", -5)],
    pc.field("n") == 77,
    (pc.field("x") > 149.0) & (pc.field("day") == 2),
]


@pytest.mark.parametrize("filter", FILTERS, ids=str)
def test_rows_and_plans_are_those_without_sidecars(lake, filter):
    by_sidecars, by_footers = (parquetext.dataset(str(lake), sidecar=how) for how in ("auto", False))
    assert by_sidecars.to_table(filter=filter).equals(by_footers.to_table(filter=filter))
    assert plan(by_sidecars, filter) == plan(by_footers, filter)
    expression = filter if isinstance(filter, pc.Expression) else pq.filters_to_expression(filter)
    theirs = ds.dataset(str(lake), partitioning="hive").to_table(filter=expression)
    assert by_sidecars.to_table(filter=filter).num_rows == theirs.num_rows


def test_files_that_are_ruled_out_are_not_looked_at(lake):
    paths = sorted(lake.rglob("*.parquet"))
    for path in paths[1:]:
        blind(path)
    schema = parquetext.dataset(str(paths[0]), partitioning=None).schema
    found = parquetext.dataset(str(lake), schema=schema).to_table(filter=[("n", "<", 10)])
    assert found["n"].to_pylist() == list(range(10))
    with pytest.raises(parquetext.errors.ParquetextError):
        parquetext.dataset(str(lake), schema=schema, sidecar=False).to_table(filter=[("n", "<", 10)])


def test_files_that_are_left_are_opened_for_their_bloom_filters_alone(lake):
    """A sidecar that has none says that the file has none."""
    paths = sorted(lake.rglob("*.parquet"))
    pq.write_table(table(1).take([0, 99]), paths[1], bloom_filter_options={"n": True})
    sidecar.build(paths[1])
    for path in paths[2:]:
        blind(path)
    schema = parquetext.dataset(str(paths[0]), partitioning=None).schema
    planned = parquetext.dataset(str(lake), schema=schema)
    assert plan(planned, [("n", "=", 333)]) == [("3.parquet", [1])]
    assert plan(planned, [("n", "=", 150)]) == []  # by its filter: bounds leave it
    assert plan(planned, [("n", "in", [199, 500])]) == [("1.parquet", [0]), ("5.parquet", [0])]


def test_a_stale_sidecar_rules_nothing_out(lake):
    path = sorted(lake.rglob("*.parquet"))[3]
    pq.write_table(table(40), path, row_group_size=25)
    lake = parquetext.dataset(str(lake))
    assert lake.to_table(filter=[("n", "=", 4010)]).num_rows == 1
    assert lake.to_table(filter=[("n", "=", 310)]).num_rows == 0


def test_files_with_and_without_sidecars_and_of_other_schemas_are_one_dataset(lake):
    paths = sorted(lake.rglob("*.parquet"))
    os.unlink(sidecar.candidates(str(paths[1]))[0].path)
    pq.write_table(table(2).drop_columns(["x"]), paths[2])
    pq.write_table(table(4).set_column(0, "n", table(4)["n"].cast(pa.int32())), paths[4], row_group_size=25)
    for path in (paths[2], paths[4]):
        sidecar.build(path)
    whole = parquetext.dataset(str(lake))
    for filter in ([("n", ">=", 190), ("n", "<", 420)], [("x", ">", 40.0)], [("text", "=", "t00250")]):
        plain = parquetext.dataset(str(lake), sidecar=False)
        assert whole.to_table(filter=filter).equals(plain.to_table(filter=filter))
        assert plan(whole, filter) == plan(plain, filter)


def test_an_invalid_schema_in_a_sidecar_leaves_planning_to_the_footer(lake):
    position = sidecar.candidates(str(min(lake.rglob("*.parquet"))))[0].path
    with open(position, "rb") as file:
        data = file.read()
    with open(position, "wb") as file:
        file.write(with_checksum(data.replace(b"ARROW:schema", b"\xff" * 12).replace(b"\x18\x06schema", b"\xff" * 8)))
    assert parquetext.dataset(str(lake)).to_table(filter=[("n", "=", 5)])["n"].to_pylist() == [5]


def test_many_files_are_shared_out_among_threads(lake, monkeypatch):
    monkeypatch.setattr(sidecars, "WORTH_A_THREAD", 2)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    found = plan(parquetext.dataset(str(lake)), [("n", ">", 370)])
    assert found == [("3.parquet", [2, 3]), ("4.parquet", [0, 1, 2, 3]), ("5.parquet", [0, 1, 2, 3])]


def test_more_schemas_than_one_plan_supports_use_their_footers(lake, monkeypatch):
    monkeypatch.setattr(sidecars, "SCHEMAS", 1)
    path = sorted(lake.rglob("*.parquet"))[5]
    pq.write_table(table(5).drop_columns(["x"]), path)
    sidecar.build(path)
    assert parquetext.dataset(str(lake)).to_table(filter=[("n", "=", 555)]).num_rows == 1


def test_an_unknown_option_is_refused(lake):
    with pytest.raises(TypeError, match="sidecar"):
        parquetext.dataset(str(lake), sidecar="yes")


def test_a_remote_dataset_is_read_by_its_sidecars_on_request():
    with recorded_s3_server() as (filesystem, recorder):
        footers = {}
        for number in range(2):
            sink = pa.BufferOutputStream()
            pq.write_table(table(number), sink, row_group_size=25)
            path = f"{BUCKET}/lake/{number}.parquet"
            put(filesystem, path, sink.getvalue().to_pybytes())
            sidecar.build((filesystem, path))
            with sidecar.open((filesystem, path)) as plan:
                footers[f"/{path}"] = plan.footer.parquet_footer_offset
        lake = parquetext.dataset((filesystem, f"{BUCKET}/lake"), schema=table(0).schema, sidecar=True)
        recorder.forget()
        assert lake.to_table(["n"], [("n", ">", 150)])["n"].to_pylist() == list(range(151, 200))
        reads = [(where, asked) for method, where, asked in recorder.requests if method == "GET" and asked]
        assert any(where.endswith("_1.parquet.pm") for where, _ in reads)
        assert all(asked[1] <= footers[where] for where, asked in reads if where in footers)
