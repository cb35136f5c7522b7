"""Every public function of `parquetext.spark` shows itself by an example that runs."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import FunctionType

import pytest
from support.doc_examples import failures, make
from support.public_names import PUBLIC, name_of

import parquetext

JARS = Path(parquetext.__file__).parent / "spark" / "jars"
OF_SPARK = [
    public
    for public in PUBLIC
    if isinstance(public[1], FunctionType) and public[1].__module__.startswith("parquetext.spark")
]


@pytest.mark.parametrize("public", OF_SPARK, ids=name_of)
def test_every_example_runs(public, spark, tmp_path, monkeypatch):
    if "jar(" in (public[1].__doc__ or "") and not (list(JARS.glob("*.jar")) or shutil.which("javac")):
        pytest.skip("there is no jar, and no javac to build it")
    make(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert failures(*public, spark=spark) == ""
