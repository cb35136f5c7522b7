"""Every public function of `parquetext.spark` shows itself by an example that runs."""

from __future__ import annotations

from types import FunctionType

import pytest
from support.doc_examples import failures, make
from support.public_names import PUBLIC, name_of

OF_SPARK = [
    public
    for public in PUBLIC
    if isinstance(public[1], FunctionType) and public[1].__module__.startswith("parquetext.spark")
]


@pytest.mark.parametrize("public", OF_SPARK, ids=name_of)
def test_every_example_runs(public, spark, tmp_path, monkeypatch):
    make(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert failures(*public, spark=spark) == ""
