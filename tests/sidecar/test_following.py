"""When parquetext changes a file, its sidecar is updated."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import sidecars

import parquetext
from parquetext import kernels, sidecar
from parquetext.sidecar.origin import Belongs


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"x": [1, 2, 3]}), path, bloom_filter_options={"x": True})
    return path


def place(path):
    return path.with_name(f"_{path.name}.pm")


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("external", [False, True])
def test_every_edit_takes_it_along(path, in_place, external):
    sidecar.build(path, external_blooms=external)
    for change, options in (
        (parquetext.upgrade, {"form": "flat"}),
        (parquetext.finalize, {"confirm": True}),
        (parquetext.restore, {}),
        (parquetext.strip, {}),
    ):
        result = change(path, in_place=in_place, **options)
        assert result.outcome != "unchanged"
        with sidecar.open(path) as plan:
            assert plan.belongs is Belongs.YES
            assert plan.bloom(0, 0)[0] == ("external" if external else "inline")
        assert sidecar.compare(path) == []


def test_a_new_file_of_the_name_takes_it_along(path):
    sidecar.build(path)
    parquetext.write_table(pa.table({"x": [7, 8]}), path)
    assert sidecar.open(path).column("x").min.to_pylist() == [7]


def test_a_change_makes_no_sidecar_if_there_was_none(path):
    parquetext.upgrade(path, form="flat")
    parquetext.write_table(pa.table({"x": [7]}), path)
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_dry_run_and_an_unchanged_file_leave_the_sidecar(path):
    sidecar.build(path)
    before = place(path).stat()
    parquetext.upgrade(path, dry_run=True, form="flat")
    parquetext.strip(path)
    assert place(path).stat() == before


def test_foreign_sidecars_are_not_changed(path):
    theirs = sidecars.sidecar(kernels.sidecar)
    place(path).write_bytes(theirs)
    parquetext.upgrade(path, "flat", force="table-format")
    assert place(path).read_bytes() == theirs


def test_a_sidecar_that_cannot_be_rebuilt_is_removed(path):
    sidecar.build(path)
    table = pa.table({"x": [1]}).replace_schema_metadata({"questdb": "broken"})
    parquetext.write_table(table, path)
    assert not place(path).exists()
