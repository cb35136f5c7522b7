"""Data read by a sidecar: planned, pruned and sliced from it alone, and by the footer if it does not match."""

from __future__ import annotations

import datetime
import json
import os

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from support.objects import BUCKET, put, recorded_s3_server
from support.sidecars import with_checksum

import parquetext
from parquetext import kernels, sidecar
from parquetext.arrow.planned import open_planned
from parquetext.errors import Damaged
from parquetext.sidecar import building
from parquetext.sidecar.origin import Origin
from parquetext.sidecar.slices import CODE

pytestmark = pytest.mark.usefixtures("implementation")

ROWS, GROUPS = 400, 4


@pytest.fixture(scope="module")
def table() -> pa.Table:
    """Columns of many shapes, and metadata of its own."""
    rows = range(ROWS)
    return pa.table(
        {
            "n": pa.array(rows, pa.int64()),
            "text": [f"t{n:04}" if n % 7 else None for n in rows],
            "part": pa.array([f"p{n % 3}" for n in rows]).dictionary_encode(),
            "list": [[n, n + 1] for n in rows],
            "place": [{"x": n / 2, "y": {"z": str(n)}} for n in rows],
            "when": pa.array(rows, pa.timestamp("ms", "UTC")),
            "small": pa.array([n % 100 for n in rows], pa.uint8()),
            "nothing": pa.nulls(ROWS),
        }
    ).replace_schema_metadata({"note": "kept"})


@pytest.fixture
def path(tmp_path, table) -> str:
    path = str(tmp_path / "a.parquet")
    pq.write_table(table, path, row_group_size=ROWS // GROUPS, bloom_filter_options={"text": True})
    sidecar.build(path)
    return path


def damage_footer(path: str) -> None:
    """Make the file unreadable for readers of its footer, without the sidecar's notice."""
    with open(path, "r+b") as file:
        file.seek(-8 - 100, os.SEEK_END)
        file.write(b"\xff" * 100)
    rewrite_note(sidecar.candidates(path)[0].path, building.CODE, lambda note: with_times(note, path))


def with_times(note: bytes, path: str) -> bytes:
    """The note of a file as if the one there now were the same."""
    origin, there = Origin.from_bytes(note), os.stat(path)
    return Origin(
        origin.footer_crc, origin.footer_length, there.st_mtime_ns, there.st_ctime_ns, there.st_dev, there.st_ino
    ).to_bytes()


def rewrite_note(position: str, code: int, change) -> None:
    """Change a note in a sidecar, its length staying the same."""
    with open(position, "rb") as file:
        data = file.read()
    note = kernels.sidecar.Reader(data).scratchpad[code]
    changed = change(note)
    assert len(changed) == len(note)
    with open(position, "wb") as file:
        file.write(with_checksum(data.replace(note, changed)))


def test_every_column_is_read_as_by_the_footer(path, table):
    with open_planned(path) as file:
        assert (file.form, file.findings) == ("sidecar", [])
        assert file.schema == pq.read_schema(path)
        assert file.read().equals(pq.read_table(path).replace_schema_metadata())
        assert file.read(["place.y.z", "n"], [3, 1]).num_rows == 2 * ROWS // GROUPS
    assert parquetext.read_table(path, key_values=True, sidecar=True).schema.metadata[b"note"] == b"kept"


@pytest.mark.parametrize(
    "filters",
    [
        [("n", ">", 350)],
        [("text", "=", "t0150")],
        [[("n", "<", 3)], [("when", ">=", pa.scalar(399, pa.timestamp("ms", "UTC")))]],
        pc.field("n") == 77,
        pc.field("place", "x") > 199,
    ],
)
def test_rows_are_those_that_pyarrow_finds(path, filters):
    found = parquetext.read_table(path, ["n", "text"], filters, sidecar=True)
    assert found.equals(pq.read_table(path, columns=["n", "text"], filters=filters).replace_schema_metadata())
    assert found.num_rows


def test_the_footer_is_not_read(path, table):
    damage_footer(path)
    with pytest.raises(parquetext.errors.ParquetextError):
        parquetext.read_table(path, ["n"])
    read = parquetext.read_table(path, ["n"], [("n", ">=", 390)], sidecar=True)
    assert read["n"].to_pylist() == list(range(390, ROWS))


def test_bloom_filters_in_the_sidecar_rule_row_groups_out(path):
    """t0150x is within the bounds of a row group, and in no filter."""
    with open_planned(path) as file:
        plan = file._plan
        assert not plan.can_skip(1, [("text", ">", "t0150")])
        assert [plan.can_skip(group, [("text", "=", "t0150x")]) for group in range(GROUPS)] == [True] * GROUPS
        assert file.read(["n"], None, [("text", "=", "t0150x")]).num_rows == 0
        assert file.io_stats.requests == 0


def test_a_filtered_read_skips_row_groups_by_the_bloom_filters_in_the_sidecar(path):
    with open_planned(path) as file:
        plan = file.explain(["n"], filters=[("text", "=", "t0150x")])
    assert plan.form == "sidecar"
    assert [group.row_group for group in plan.row_groups if group.is_read] == []
    assert plan.bytes_to_fetch == 0


def test_a_filtered_dataset_skips_row_groups_by_the_bloom_filters_in_the_sidecar(path):
    plan = parquetext.dataset(path, sidecar=True).explain(["n"], filter=[("text", "=", "t0150x")])
    assert plan.bytes_to_fetch == 0


def test_external_bloom_filters_are_read_from_the_file(path):
    sidecar.build(path, external_blooms=True)
    with open_planned(path) as file:
        source, plan = file._source, file._plan
        assert not plan.can_skip(1, [("text", "=", "t0150x")])
        assert plan.can_skip(1, [("text", "=", "t0150x")], source=source)
        assert not plan.can_skip(1, [("text", "in", ["t0150x", "t0151"])], source=source)
        before = source.requests
        assert file.read(["n"], None, [("text", "=", "t0150x")]).num_rows == 0
        assert source.requests > before


@pytest.fixture
def rewritten(tmp_path):
    """A file, its plan and its sidecar; then other values in its place, of equal size and footer length and times."""

    def write(path, first: int) -> None:
        numbers = pa.table({"x": pa.array(range(first, first + 1000), pa.int64())})
        pq.write_table(numbers, path, compression="none", use_dictionary=False, row_group_size=100)

    path, other = tmp_path / "lake" / "a.parquet", tmp_path / "b.parquet"
    path.parent.mkdir()
    write(path, 1000)
    write(other, 2000)
    one, two = path.read_bytes(), other.read_bytes()
    assert (len(one), one[-8:-4]) == (len(two), two[-8:-4])
    sidecar.build(path)
    plan, times = sidecar.open(path), path.stat()
    with path.open("r+b") as file:
        file.write(two)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    return path, plan


def test_a_stale_sidecar_is_found_out_and_never_used(rewritten):
    path, _ = rewritten
    assert parquetext.read_table(path, filters=[("x", "=", 2500)], sidecar=True)["x"].to_pylist() == [2500]
    assert parquetext.read_table(path, filters=[("x", "=", 1500)], sidecar=True).num_rows == 0
    with open_planned(path) as file:
        assert file.form == "thrift"
        assert [finding.kind for finding in file.findings] == ["sidecar-stale"]


@pytest.mark.parametrize("how", ["auto", True])
@pytest.mark.parametrize("filter", [[("x", "=", 2500)], pc.field("x") == 2500], ids=["list", "expression"])
def test_a_stale_sidecar_plans_no_dataset(rewritten, how, filter):
    for position in rewritten[0], rewritten[0].parent:
        lake = parquetext.dataset(str(position), sidecar=how)
        assert [fragment.row_groups for fragment in lake.get_fragments(filter)] == [[5]]
        assert lake.to_table(filter=filter)["x"].to_pylist() == [2500]


def test_a_plan_of_an_earlier_file_is_detected(rewritten):
    path, plan = rewritten
    for filters in ([("x", "=", 2500)], None):
        with pytest.raises(Damaged, match="another content"):
            parquetext.read_table(path, filters=filters, sidecar=plan)


def test_filters_are_not_used_if_the_file_was_rewritten_under_the_same_footer(tmp_path):
    """Without statistics, files with other values have the same footer."""
    path = tmp_path / "a.parquet"

    def write(first: int) -> None:
        texts = pa.table({"s": [f"{n:05}" for n in range(first, first + 100)]})
        pq.write_table(
            texts,
            path,
            compression="none",
            use_dictionary=False,
            write_statistics=False,
            bloom_filter_options={"s": True},
        )

    write(100)
    sidecar.build(path)
    plan = sidecar.open(path)
    write(500)
    assert plan.can_skip(0, [("s", "=", "00555")])
    assert parquetext.read_table(path, filters=[("s", "=", "00555")], sidecar=plan)["s"].to_pylist() == ["00555"]
    assert parquetext.read_table(path, filters=[("s", "=", "00555")], sidecar=True)["s"].to_pylist() == ["00555"]


def test_addresses_compare_as_arrow_compares_them(tmp_path):
    """QuestDB's addresses have no sign, Arrow's integers do."""
    path, columns = tmp_path / "a.parquet", [{"column_type": 25, "column_top": 0}]
    kept = {"questdb": json.dumps({"version": 1, "schema": columns})}
    pq.write_table(pa.table({"ip": pa.array([-5, -3], pa.int32())}).replace_schema_metadata(kept), path)
    sidecar.build(path)
    plan = sidecar.open(path)
    assert plan.column("ip").type == "IPv4"
    assert plan.can_skip(0, [("ip", "<", 100)])
    for how in (plan, True):
        assert parquetext.read_table(path, filters=[("ip", "<", 100)], sidecar=how).num_rows == 2


def test_units_that_contradict_the_key_value_exclude_nothing(tmp_path):
    """A file of QuestDB's that was read, cast and written again keeps its key-value."""
    path, kept = tmp_path / "a.parquet", {"questdb": json.dumps({"version": 1, "schema": [{"column_type": 8}]})}
    pq.write_table(pa.table({"at": pa.array([0, 1000], pa.timestamp("ms"))}).replace_schema_metadata(kept), path)
    sidecar.build(path)
    filters = [("at", "=", datetime.datetime(1970, 1, 1, 0, 0, 1))]
    for how in (sidecar.open(path), True):
        assert parquetext.read_table(path, filters=filters, sidecar=how).num_rows == 1


def test_without_a_sidecar_the_footer_is_read(tmp_path, table):
    path = tmp_path / "a.parquet"
    pq.write_table(table, path)
    with open_planned(path) as file:
        assert (file.form, file.findings) == ("thrift", [])
    assert parquetext.read_table(path, ["n"], sidecar=True).num_rows == ROWS


def test_a_sidecar_without_the_note_for_slices_leaves_reading_to_the_footer(path, monkeypatch):
    monkeypatch.setattr(building, "note_of", lambda scan: None)
    sidecar.build(path)
    with open_planned(path) as file:
        assert file.form == "thrift"
        assert [finding.kind for finding in file.findings] == ["sidecar-unused"]
        assert file.read(["n"]).num_rows == ROWS


def test_a_note_that_contradicts_the_sidecar_is_left_for_the_footer(path):
    position = sidecar.candidates(path)[0].path
    rewrite_note(position, CODE, lambda note: note[:-3] + b"\xff\xff\xff")
    with open_planned(path) as file:
        assert file.read(["n", "nothing"]).num_rows == ROWS
        assert file.form == "thrift"
        assert [finding.kind for finding in file.findings] == ["sidecar-unused"]


def test_a_plan_by_a_version_token_rules_out_row_groups(path, monkeypatch):
    """A sidecar such as QuestDB's does not describe the file's content; the caller with the token is responsible."""
    plan = sidecar.open(path, parquet_size=os.path.getsize(path))
    read = parquetext.read_table(path, ["n"], [("n", ">", 350)], sidecar=plan)
    assert read["n"].to_pylist() == list(range(351, ROWS))
    pq.write_table(pa.table({"n": [1]}), path)
    with pytest.raises(Damaged, match="plan is of a file of"):
        parquetext.read_table(path, ["n"], sidecar=plan)


def test_a_par3_file_is_read_by_its_sidecar(path, table):
    parquetext.finalize(path, confirm=True)
    with open_planned(path) as file:
        assert file.form == "sidecar"
        assert file.read(["n", "text"]).equals(table.select(["n", "text"]).replace_schema_metadata())


def test_changes_of_a_file_bring_the_note_along(path, table):
    for change, options in ((parquetext.upgrade, {"form": "flat"}), (parquetext.strip, {})):
        assert change(path, **options).outcome != "unchanged"
        with open_planned(path) as file:
            assert (file.form, file.findings) == ("sidecar", [])
            assert file.read(["n"]).equals(table.select(["n"]).replace_schema_metadata())


def test_over_a_network_the_footer_is_not_fetched(table, tmp_path):
    with recorded_s3_server() as (filesystem, recorder):
        local = tmp_path / "a.parquet"
        pq.write_table(table, local, row_group_size=ROWS // GROUPS)
        path = f"{BUCKET}/a.parquet"
        put(filesystem, path, local.read_bytes())
        sidecar.build((filesystem, path))
        with sidecar.open((filesystem, path)) as plan:
            begin, length = plan.footer.parquet_footer_offset, plan.footer.parquet_footer_length
        recorder.forget()
        read = parquetext.read_table((filesystem, path), ["n"], [("n", "<", 5)], sidecar=True)
        assert read["n"].to_pylist() == list(range(5))
        gets = [(where, asked) for method, where, asked in recorder.requests if method == "GET"]
        assert [where for where, _ in gets] == [f"/{BUCKET}/_a.parquet.pm", f"/{BUCKET}/a.parquet"]
        assert gets[1][1][1] <= begin < begin + length
        assert recorder.count("HEAD") <= 3

        put(filesystem, path, changed(local, table))
        assert parquetext.read_table((filesystem, path), ["n"], sidecar=True)["n"].to_pylist()[0] == 1000


def changed(local, table) -> bytes:
    pq.write_table(table.set_column(0, "n", pa.array(range(1000, 1000 + ROWS), pa.int64())), local, row_group_size=100)
    return local.read_bytes()
