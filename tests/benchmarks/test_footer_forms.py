"""All footer forms are compared on the same files."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.parquet_bytes import footer_of

from benchmarks import footer_forms, footer_plot, footer_shapes
from benchmarks.workspace import Workspace
from parquetext import kernels, wire
from parquetext._pure import packed_layout as layout
from parquetext.encoding import codecs
from parquetext.footer import forms

SMALL = footer_shapes.FooterShape("small", 10, lambda: pa.table({f"c{n}": np.arange(50.0) for n in range(40)}))


def measured(folder: Path, monkeypatch) -> list:
    monkeypatch.setattr(footer_forms, "SHAPES", (SMALL,))
    monkeypatch.delenv(footer_forms.CORPUS, raising=False)
    with Workspace(str(folder)) as workspace:
        return list(footer_forms.measure(workspace, 1))


def test_each_form_is_measured_by_bytes_cold_reads_and_times(tmp_path, monkeypatch):
    sizes, cold, *times = measured(tmp_path, monkeypatch)
    restorable = [spec.name for spec in forms.SPECS if spec.is_restorable]
    alone = [f"{name}, alone" if name in forms.WRITABLE else name for name in forms.ALONE]
    expected = {"thrift", *forms.WRITABLE, *alone, *restorable}
    assert {row.contender for row in sizes} == expected and sizes[0].ratio == 1
    assert all(row.value > 0 for row in (*sizes, *cold))
    assert {row.unit for row in cold} == {"requests", "B"}
    assert [rows[0].case for rows in times] == list(footer_forms.TIMES)
    for rows in times:
        assert {row.contender for row in rows} == {*expected, footer_forms.PYARROW}


def test_the_comparison_is_drawn(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    rows = [row for group in measured(tmp_path, monkeypatch) for row in group]
    footer_plot.draw(rows, tmp_path / "forms.svg")
    assert b"<svg" in (tmp_path / "forms.svg").read_bytes()


@pytest.mark.parametrize("shape", footer_shapes.SHAPES[3:5], ids=lambda shape: shape.name)
def test_shapes_are_deterministic(shape):
    assert shape.make().equals(shape.make())


def test_one_range_of_a_packed_footer_has_the_placement_of_all_chunks_and_the_names(tmp_path):
    """Placement, names, directories, books and tail block of the wide shape are neighbours of at most 400 KB."""
    shape = footer_shapes.SHAPES[0]
    pq.write_table(shape.make(), tmp_path / "wide.parquet", row_group_size=shape.rows_per_group)
    scan = kernels.scan.scan(footer_of((tmp_path / "wide.parquet").read_bytes()))
    payload = kernels.packed.write(scan, partial(codecs.compress, wire.CODEC_ZSTD))
    tail = len(payload) - int.from_bytes(payload[-8:-4], "little")
    areas = [
        layout.Area(*layout.AREA.unpack_from(payload, tail + layout.TAIL.size + number * layout.AREA.size))
        for number in range(payload[tail + 49])
    ]
    begins = {area.kind: area.begin for area in areas}
    placed, names = begins.pop(layout.PLACED), begins.pop(layout.NAMES)
    del begins[layout.BOOKS]
    assert max(begins.values()) < placed < names < min(area.directory for area in areas)
    assert len(payload) - placed <= 400_000
