"""Every public function documents its parameters, result and errors, and has an example that runs."""

from __future__ import annotations

import inspect
import re
from itertools import pairwise
from pathlib import Path
from types import FunctionType

import pytest
from support.doc_examples import failures, make
from support.public_names import PUBLIC, name_of

FUNCTIONS = [public for public in PUBLIC if isinstance(public[1], FunctionType)]
# Jobs take a session of Spark: tests/spark/test_docstrings.py runs their examples.
RUN_HERE = [public for public in FUNCTIONS if not public[1].__module__.startswith("parquetext.spark")]
# These raise nothing of their own.
RAISE_NOTHING = {
    "parquetext.errors.out_of_memory",
    *("parquetext.implementation", "parquetext.catalog.batches_of"),
    *("parquetext.encoding.find", "parquetext.encoding.registered"),
    *("parquetext.errors.kind_of", "parquetext.errors.name_file", "parquetext.errors.outcome_of"),
    "parquetext.errors.retold",
    *("parquetext.errors.wire_error", "parquetext.extension.known", "parquetext.extension.blocks_from_back"),
    *("parquetext.sidecar.candidates", "parquetext.sidecar.release_mappings"),
}


# As numpydoc has them.
ORDER = ["Parameters", "Returns", "Yields", "Raises", "Notes", "Examples"]


def sections(function: FunctionType) -> list[str]:
    lines = inspect.getdoc(function).splitlines()
    return [name for name, under in pairwise(lines) if name and under == "-" * len(name)]


def described(function: FunctionType) -> set[str]:
    """The names in front of the lines that describe parameters."""
    text = inspect.getdoc(function).partition("Parameters\n----------\n")[2]
    text = re.split(r"\n\n\w+\n---", text)[0]
    heads = [line.partition(" : ")[0] for line in text.splitlines() if line and not line.startswith(" ")]
    return {name.strip(" *") for head in heads for name in head.split(",")}


@pytest.mark.parametrize("public", FUNCTIONS, ids=name_of)
def test_every_public_function_documents_parameters_result_and_errors(public):
    name, function = public
    signature = inspect.signature(function)
    wanted = {"Examples"}
    if signature.parameters:
        wanted.add("Parameters")
    if name not in RAISE_NOTHING:
        wanted.add("Raises")
    found = sections(function)
    if signature.return_annotation not in (None, "None") and "Yields" not in found:
        wanted.add("Returns")
    assert wanted <= set(found)
    assert found == sorted(found, key=ORDER.index)


@pytest.mark.parametrize("public", FUNCTIONS, ids=name_of)
def test_every_parameter_and_nothing_else_is_described(public):
    _, function = public
    assert described(function) == set(inspect.signature(function).parameters)


@pytest.mark.parametrize("public", RUN_HERE, ids=name_of)
def test_every_example_runs(public, tmp_path, monkeypatch):
    make(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert failures(*public) == ""


def test_the_examples_files_are_small(tmp_path):
    make(tmp_path)
    assert sum(path.stat().st_size for path in Path(tmp_path).rglob("*.parquet")) < 20_000
