"""pyarrow's own tests of Parquet, from the installed wheel, with our functions in the place of pyarrow's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pyarrow
import pytest
from interop.pyarrow_plugin import PARQUET

TESTS = Path(__file__).parents[1]
INSTALLED = Path(pyarrow.__file__).parent / "tests"
LISTED = tomllib.loads(Path(__file__).with_name("pyarrow_failures.toml").read_text())["group"]
REPLACED = (*PARQUET, "dataset")
# Slow tests that cover only pyarrow's `write_dataset`.
DESELECTED = "test_write_dataset_with_backpressure"

pytestmark = [
    pytest.mark.skipif(not INSTALLED.is_dir(), reason="the installed pyarrow has no tests"),
    pytest.mark.xdist_group("pyarrow_tests"),
    pytest.mark.slow,
]


@pytest.fixture(scope="module")
def run(request, tmp_path_factory) -> dict:
    """The outcomes of all tests, and how often tests took each of our names."""
    folder = tmp_path_factory.mktemp("pyarrow")
    settings, outcomes = folder / "pytest.ini", folder / "outcomes.json"
    settings.write_text("[pytest]\n")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS.parent), str(TESTS)])}
    if corpus := os.environ.get("PARQUETEXT_CORPUS"):
        environment["PARQUET_TEST_DATA"] = str(Path(corpus) / "parquet-testing/data")
    command = [sys.executable, "-m", "pytest", "-q", "--tb=line", "-p", "no:cacheprovider"]
    command += ["-c", settings, "--rootdir", INSTALLED]
    command += ["-p", "interop.pyarrow_plugin", "--outcomes", outcomes]
    command += ["--enable-slow"] if request.config.getoption("--long") else ["-k", f"not {DESELECTED}"]
    command += ["--pyargs", "pyarrow.tests.parquet", "pyarrow.tests.test_dataset"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    print(done.stdout)
    return json.loads(outcomes.read_text())


def _named(run: dict, outcome: str) -> set[str]:
    return {name for name, found in run["tests"].items() if found["outcome"] == outcome}


def _listed() -> list[str]:
    return [name for group in LISTED for name in group["tests"]]


def test_pyarrow_tests_pass_with_our_functions(run):
    failed = _named(run, "failed") - set(_listed())
    assert not failed, "\n".join(f"{name}: {run['tests'][name]['message']}" for name in sorted(failed))
    assert len(_named(run, "passed")) > 600


def test_tests_expected_to_fail_do_fail(run):
    held = set(_listed()) - _named(run, "failed") - _named(run, "skipped")
    assert held == set(), "these pass, or are gone: take them from the list"


def test_each_expected_failure_is_listed_once_with_a_reason():
    assert len(_listed()) == len(set(_listed())) <= 40
    assert all(group["reason"] for group in LISTED)


def test_each_of_our_functions_is_used(run):
    assert min(run["used"].get(name, 0) for name in REPLACED) > 1, run["used"]
