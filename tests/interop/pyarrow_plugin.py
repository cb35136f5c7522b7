"""A pytest plugin: pyarrow's tests call our functions in place of pyarrow's.

`python -m pytest -p interop.pyarrow_plugin --outcomes FILE --pyargs pyarrow.tests.parquet`, with `tests` on PYTHONPATH.
Only the modules below `pyarrow.tests` see our functions: our library and pyarrow itself go on with pyarrow's.
"""

from __future__ import annotations

import builtins
import json
import os
import sys
from collections import Counter
from operator import attrgetter
from pathlib import Path
from types import ModuleType

import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest

import parquetext
import parquetext.arrow.datasets.dataset
import parquetext.arrow.metadata

# pyarrow's names, in its modules, that ours replace.
PARQUET = (
    "ParquetDataset",
    "ParquetFile",
    "ParquetWriter",
    "read_metadata",
    "read_pandas",
    "read_schema",
    "read_table",
    "write_metadata",
    "write_table",
    "write_to_dataset",
)
# pyarrow's classes, and ours: tests check the class before they check the content.
PARQUET_CLASSES = {
    "FileMetaData": "arrow.metadata.FileMetaData",
    "RowGroupMetaData": "arrow.metadata.RowGroupMetaData",
}
DATASET_CLASSES = {
    "FileSystemDataset": "arrow.datasets.dataset.Dataset",
    "ParquetFileFragment": "arrow.datasets.fragments.Fragment",
    "UnionDataset": "arrow.datasets.dataset.Dataset",
}

used: Counter[str] = Counter()


class Patched(ModuleType):
    """A module of pyarrow with some of its names replaced; counts how often tests take these."""

    def __init__(self, module: ModuleType, replaced: dict[str, object]):
        super().__init__(module.__name__, module.__doc__)
        self._module, self._replaced = module, replaced

    def __getattr__(self, name: str) -> object:
        if name in self._replaced:
            used[name] += 1
            return self._replaced[name]
        return getattr(self._module, name)

    def __setattr__(self, name: str, value: object) -> None:
        """Give values that tests patch into pyarrow's names to our library and to pyarrow as well."""
        if name.startswith("_") or name in self._replaced:
            super().__setattr__(name, value)
        else:
            setattr(self._module, name, value)

    def __delattr__(self, name: str) -> None:
        if name in self._replaced:
            super().__delattr__(name)
        else:
            delattr(self._module, name)


class Either(type):
    """A class of pyarrow's, of which ours is an instance, too."""

    def __instancecheck__(cls, thing: object) -> bool:
        return isinstance(thing, (cls.theirs, cls.ours))

    def __call__(cls, *arguments, **options) -> object:
        return cls.theirs(*arguments, **options)

    def __getattr__(cls, name: str) -> object:
        return getattr(cls.theirs, name)


def _dataset(source: object, schema: object = None, format: object = None, filesystem: object = None, **options):
    """`parquetext.dataset`, but that folders named ``key=value`` say nothing by default, as in pyarrow."""
    positional = {"schema": schema, "format": format, "filesystem": filesystem}
    given = {name: value for name, value in positional.items() if value is not None}
    return parquetext.dataset(source, **given | {"partitioning": None} | options)


def _patch() -> Patched:
    """pyarrow with our functions in its modules `parquet` and `dataset`."""

    def ours(names: tuple[str, ...]) -> dict[str, object]:
        return {name: getattr(parquetext, name) for name in names if hasattr(parquetext, name)}

    def either(module: ModuleType, classes: dict[str, str]) -> dict[str, object]:
        return {
            name: Either(name, (), {"theirs": getattr(module, name), "ours": attrgetter(path)(parquetext)})
            for name, path in classes.items()
        }

    parquet = Patched(pyarrow.parquet, ours(PARQUET) | either(pyarrow.parquet, PARQUET_CLASSES))
    dataset = Patched(pyarrow.dataset, {"dataset": _dataset} | either(pyarrow.dataset, DATASET_CLASSES))
    return Patched(pyarrow, {"parquet": parquet, "dataset": dataset})


def _import_for_tests(patched: Patched):
    """An `__import__` that gives pyarrow's tests the patched modules."""
    imported = builtins.__import__

    def find(name, globals=None, locals=None, fromlist=(), level=0):
        found = imported(name, globals, locals, fromlist, level)
        importer = (globals or {}).get("__name__") or ""
        if level or not importer.startswith("pyarrow.tests."):
            return found
        if name in ("pyarrow.parquet", "pyarrow.dataset") and not fromlist:
            return patched  # `import pyarrow.parquet as pq` takes the attribute
        return {"pyarrow.parquet": patched.parquet, "pyarrow.dataset": patched.dataset}.get(name, found)

    return find


def pytest_addoption(parser) -> None:
    parser.addoption("--outcomes", metavar="FILE", help="write each test's outcome here, as JSON")


def pytest_configure(config) -> None:
    early = [name for name in sys.modules if name.startswith("pyarrow.tests.") and "conftest" not in name]
    if early:
        raise RuntimeError(f"imported before the plugin could replace pyarrow's functions: {early}")
    config.pluginmanager.register(Outcomes(config.getoption("--outcomes")))
    builtins.__import__ = _import_for_tests(_patch())


def pytest_collection_modifyitems(items) -> None:
    if not os.environ.get("PARQUET_TEST_DATA"):
        for item in items:
            if "parquet_test_datadir" in item.fixturenames:
                item.add_marker(pytest.mark.skip("PARQUET_TEST_DATA is not set"))


class Outcomes:
    """Record the outcome of each test."""

    def __init__(self, path: str | None):
        self._path, self._found = path, {}

    def pytest_runtest_logreport(self, report) -> None:
        name = report.nodeid
        if report.when == "call" or report.outcome != "passed":
            outcome = "failed" if report.outcome == "failed" else report.outcome
            crash = getattr(report.longrepr, "reprcrash", None)
            self._found[name] = {
                "outcome": outcome,
                "message": crash.message if crash else "",
                "where": f"{crash.path}:{crash.lineno}" if crash else "",
            }

    def pytest_sessionfinish(self) -> None:
        if self._path:
            Path(self._path).write_text(json.dumps({"tests": self._found, "used": used}, indent=1))
