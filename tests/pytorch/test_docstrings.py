"""The examples of the datasets run."""

from __future__ import annotations

import pytest
from support.doc_examples import failures, make

import parquetext.torch

pytest.importorskip("torch", reason="needs torch")


@pytest.mark.parametrize("name", parquetext.torch.__all__)
def test_every_example_runs(name, tmp_path, monkeypatch):
    make(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert failures(name, getattr(parquetext.torch, name)) == ""
