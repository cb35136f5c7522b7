"""Type checkers and editors see the installed package as its users do."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.public_names import PUBLIC, functions_of, name_of

import parquetext

ROOT = Path(__file__).parents[2]
PACKAGE = Path(parquetext.__file__).parent
CALLS = Path(__file__).with_name("public_calls.py")
PROGRAMS = ("readme.py", "public_calls.py")
LAZY = ("parquetext", "parquetext.footer", "parquetext.sidecar", "parquetext.spark", "parquetext.torch")


@pytest.fixture
def programs(tmp_path) -> Path:
    """A folder with README's examples, and with public calls of ours."""
    readme = (ROOT / "README.md").read_text()
    examples = re.findall(r"```(?:python|py)\n(.*?)```", readme, re.DOTALL)
    assert len(examples) >= 4
    (tmp_path / "readme.py").write_text("\n".join(examples) + '\nreveal_type(parquetext.open("x"))\n')
    (tmp_path / "public_calls.py").write_text(CALLS.read_text())
    return tmp_path


def run(checker: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    if importlib.util.find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed: pip install '.[style]'")
    environment = os.environ | {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    if PACKAGE.parent.name != "site-packages":  # mypy finds installed packages by itself
        environment["MYPYPATH"] = str(PACKAGE.parent)
    return subprocess.run(
        [sys.executable, "-m", checker, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


MYPY = """
[mypy]
strict = true
follow_imports = silent
[mypy-pyarrow.*]
ignore_missing_imports = true
[mypy-pyspark.*]
follow_imports = skip
"""  # pyarrow has no types of its own; pyspark's take long


@pytest.mark.slow
def test_strict_mypy_accepts_users_programs_and_reports_missing_names(programs):
    (programs / "mypy.ini").write_text(MYPY)
    (programs / "wrong.py").write_text('import parquetext\n\nparquetext.opne("x")\nparquetext.open("x").colum("y")\n')
    done = run("mypy", "--python-executable", sys.executable, *PROGRAMS, "wrong.py", folder=programs)
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert [line.split(":")[0] for line in errors] == ["wrong.py", "wrong.py"], done.stdout + done.stderr
    assert all("[attr-defined]" in line for line in errors)
    assert 'Revealed type is "parquetext.arrow.file.File"' in done.stdout


def test_pyright_finds_nothing_in_users_programs(programs):
    (programs / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(PACKAGE.parent)]}))
    if (version := run("pyright", "--version", folder=programs)).returncode:
        pytest.skip(f"pyright cannot be run: {(version.stdout + version.stderr).strip()[-200:]}")
    done = run("pyright", "--pythonpath", sys.executable, "--outputjson", folder=programs)
    message = json.loads(done.stdout)
    assert [each["message"] for each in message["generalDiagnostics"]] == ['Type of "parquetext.open("x")" is "File"']
    assert done.returncode == 0


def test_the_package_is_marked_as_typed():
    assert (PACKAGE / "py.typed").exists()


def shown_to_checkers(module: str) -> set[str]:
    """The names that a lazy package imports for type checkers alone."""
    tree = ast.parse(inspect.getsource(importlib.import_module(module)))
    blocks = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    return {alias.asname or alias.name for block in blocks for node in block.body for alias in node.names}


@pytest.mark.parametrize("module", LAZY)
def test_checkers_are_shown_every_lazy_name_and_no_other(module):
    assert shown_to_checkers(module) == set(importlib.import_module(module).__all__)


@pytest.mark.parametrize("module", LAZY)
def test_completion_offers_the_public_names_alone(module):
    """Run it in a separate process, because imported submodules stay attributes of a module."""
    program = f"import {module} as module; module.File if hasattr(module, 'File') else 0; print(*dir(module))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    offered = {name for name in done.stdout.split() if not name.startswith("__")}
    assert offered == set(importlib.import_module(module).__all__)


def test_stubs_of_compiled_kernels_have_not_drifted():
    if not (ROOT / "csrc").exists():
        pytest.skip("not in a checkout")
    done = subprocess.run(
        [sys.executable, "csrc/tables/stubs.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def lacking(function) -> Iterator[str]:
    """The parameters of a function that have no annotation, and its result."""
    signature = inspect.signature(function)
    for name, parameter in signature.parameters.items():
        if parameter.annotation is inspect.Parameter.empty and name not in ("self", "cls"):
            yield name
    if signature.return_annotation is inspect.Signature.empty and function.__name__ != "__init__":
        yield "its result"


@pytest.mark.parametrize("thing", PUBLIC, ids=name_of)
def test_every_public_function_and_method_is_annotated(thing):
    found = {name: [*lacking(function)] for name, function in functions_of(thing)}
    assert {name: names for name, names in found.items() if names} == {}


def test_modules_of_public_names_are_type_checked_strictly():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    strict = set(project["tool"]["mypy"]["overrides"][0]["module"])
    public, defining = zip(*((name.rpartition(".")[0], thing.__module__) for name, thing in PUBLIC), strict=True)
    assert {*public, *defining} - strict == set()
