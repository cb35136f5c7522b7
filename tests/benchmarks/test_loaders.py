"""Loaders of PyTorch are compared if torch and Lance are installed."""

from __future__ import annotations

import importlib.util

import pytest

from benchmarks import loaders
from benchmarks.cases import OURS
from benchmarks.workspace import Workspace


def test_a_missing_package_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with Workspace(str(tmp_path)) as workspace:
        assert list(loaders.measure(workspace, 1)) == []
    assert "skipped: loaders of PyTorch need pip install torch pylance" in capsys.readouterr().err


def test_each_loader_reads_the_same_number_of_batches(tmp_path):
    for name in loaders.NEEDED:
        pytest.importorskip(name)
    with Workspace(str(tmp_path)) as workspace:
        [rows] = loaders.measure(workspace, 1, rows=256 * loaders.SHARE * 4)
    assert next(row.contender for row in rows) == OURS
    assert {row.contender for row in rows} == {OURS, loaders.WINDOWS, "lance", loaders.TENSORS}
    assert all(row.value > 0 for row in rows)
    assert {row.target for row in rows} == {None, 1.0}
