"""All footer forms are compared on the same files."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.parquet_bytes import footer_of

import parquetext
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


@pytest.mark.slow
def test_the_comparison_is_drawn(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    rows = [row for group in measured(tmp_path, monkeypatch) for row in group]
    footer_plot.draw(rows, tmp_path / "forms.svg")
    assert b"<svg" in (tmp_path / "forms.svg").read_bytes()


@pytest.mark.parametrize("shape", footer_shapes.SHAPES[3:5], ids=lambda shape: shape.name)
def test_shapes_are_deterministic(shape):
    assert shape.make().equals(shape.make())


LIMITS = {"wide": 0.14, "hits": 0.095, "many": 0.105, "strs": 0.45, "nested": 0.085, "mid": 0.11}
LIMIT_WITHOUT_LONG_BOUNDS = 0.05


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param(shape, id=name, marks=[] if name in ("hits", "strs", "nested") else pytest.mark.slow)
        for shape, name in zip(footer_shapes.SHAPES, LIMITS, strict=True)
    ],
)
def test_a_packed_footer_adds_at_most_its_share(tmp_path, shape):
    """In parts of the Thrift footer; of the shape with long bounds, everything else is limited too."""
    path = tmp_path / "x.parquet"
    pq.write_table(shape.make(), path, row_group_size=shape.rows_per_group, store_schema=False)
    before, name = path.read_bytes(), shape.name.split(",")[0]
    thrift_bytes = len(footer_of(before))
    parquetext.upgrade(path, form="packed")
    after = path.read_bytes()
    assert len(after) - len(before) <= LIMITS[name] * thrift_bytes
    if name == "strs":
        begin, length = kernels.local.own_block(after[-4096:], len(after))[3:5]
        payload = after[begin : begin + length]
        texts = [area for area in areas_of(payload) if area.kind in (layout.TEXTS, layout.LONG_TEXTS)]
        ends = [int.from_bytes(payload[area.directory + 4 * area.cells - 4 :][:4], "little") for area in texts]
        long = sum(end - area.begin for area, end in zip(texts, ends, strict=True))
        assert 0 < len(after) - len(before) - long <= LIMIT_WITHOUT_LONG_BOUNDS * thrift_bytes


def areas_of(payload: bytes) -> list[layout.Area]:
    tail = len(payload) - int.from_bytes(payload[-8:-4], "little")
    return [
        layout.Area(*layout.AREA.unpack_from(payload, tail + layout.TAIL.size + number * layout.AREA.size))
        for number in range(payload[tail + 49])
    ]


@pytest.mark.slow
def test_one_range_of_a_packed_footer_has_the_placement_of_all_chunks_and_the_names(tmp_path):
    """Placement, names, directories, books and tail block of the wide shape are neighbours of at most 400 KB."""
    shape = footer_shapes.SHAPES[0]
    pq.write_table(shape.make(), tmp_path / "wide.parquet", row_group_size=shape.rows_per_group)
    scan = kernels.scan.scan(footer_of((tmp_path / "wide.parquet").read_bytes()))
    payload = kernels.packed.write(scan, partial(codecs.compress, wire.CODEC_ZSTD))
    areas = areas_of(payload)
    begins = {area.kind: area.begin for area in areas}
    placed, names = begins.pop(layout.PLACED), begins.pop(layout.NAMES)
    del begins[layout.BOOKS]
    assert max(begins.values()) < placed < names < min(area.directory for area in areas)
    assert len(payload) - placed <= 400_000
