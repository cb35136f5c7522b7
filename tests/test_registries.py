"""The registries: an entry in one file takes part everywhere, and other code names no entry."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path
from uuid import UUID

import pytest

import parquetext
from parquetext import wire
from parquetext.footer import forms

PACKAGE = Path(parquetext.__file__).parent
SUPPORT = Path(__file__).parent / "support"

# Literals that are equal to a form's name and mean something else.
OTHER_MEANINGS = {
    ("__init__.py", "arrow"): "the package",
    ("kernels.py", "flat"): "a kernel module",
    ("kernels.py", "index"): "a kernel module",
    ("kernels.py", "thrift"): "a kernel module",
    ("extension.py", "thrift"): "a marker",
    ("cli/choices.py", "arrow"): "a format of schemas",
    ("cli/choices.py", "thrift"): "a marker",
    ("inspection/content/schema_text.py", "arrow"): "a format of schemas",
    ("sidecar/plan.py", "index"): "a slot",
}


def package_with(folder: Path, source: str, module: str) -> Path:
    """Copy the package by symbolic links, and add one file to it."""
    shutil.copytree(
        PACKAGE, folder / "parquetext", copy_function=os.symlink, ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copyfile(SUPPORT / source, folder / "parquetext" / module)
    return folder


def run_toy_form(folder: Path, *arguments: str) -> None:
    root, data = folder / "package", folder / "data"
    data.mkdir()
    package_with(root, "toy_form.py", "footer/forms/toy.py")
    done = subprocess.run(
        [sys.executable, SUPPORT / "toy_form_uses.py", data, *arguments],
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_form_in_one_file_is_located_opened_written_verified_listed_and_stripped(tmp_path):
    run_toy_form(tmp_path)


@pytest.mark.spark
def test_a_form_in_one_file_runs_through_spark_jobs(tmp_path, quick_java):
    pytest.importorskip("pyspark")
    run_toy_form(tmp_path, "spark")


def literals_of(path: Path) -> set[str]:
    """Return the string literals of a module, without docstrings."""
    tree = ast.parse(path.read_text())
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body and is_text(node.body[0])
    }
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings)
    return {node.value for node in nodes if isinstance(node.value, str)}


def is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def test_no_code_outside_the_registry_names_a_footer_form():
    named = {
        (str(path.relative_to(PACKAGE)), name)
        for path in PACKAGE.rglob("*.py")
        if PACKAGE / "footer" / "forms" not in path.parents
        for name in literals_of(path) & forms.BY_NAME.keys()
    }
    assert named - OTHER_MEANINGS.keys() == set()
    assert OTHER_MEANINGS.keys() - named == set()


def test_only_the_registry_uses_the_uuids_and_readers_of_footer_forms():
    uuids = {name for name, value in vars(wire).items() if isinstance(value, UUID) and value in forms.BY_UUID}
    found = set()
    for path in PACKAGE.rglob("*.py"):
        name = str(path.relative_to(PACKAGE))
        if name.startswith(("_pure/", "wire.py", "extension_blocks.py", "footer/forms/", "footer/dialect/")):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute):
                text = ast.unparse(node)
                if node.attr in uuids or text in ("kernels.flat", "kernels.index"):
                    found.add((name, text))
    assert found == set()
