"""Markers of tests, and the order in which files are run.

Folders and fixtures decide about markers, except about ``slow``, so that a new test has the right ones:

* ``spark``: starts a JVM.
* ``stores``: starts an object store, HDFS, or a server that imitates one.
* ``interop``: runs other readers and writers.
* ``long``: takes minutes or gigabytes; skipped without ``--long``.
* ``slow``: takes more than five seconds, with its fixtures or other cases, or tests a rarer function of the Spark jobs;
  skipped without ``--slow`` or ``--long``.
* ``fast``: needs only pytest, hypothesis and the dependencies of the package. `pytest -m fast` takes less than a minute
  on two cores, and does not import the other files, because they import packages that may not be installed.
"""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

FOLDERS = {"spark": "spark", "jvm": "spark", "interop": "interop"}
FIXTURES = {"azure": "stores", "google": "stores", "hdfs": "stores", "store": "stores", "long": "long"}
STORES = {"storage/test_object_store.py", "storage/test_s3.py", "storage/test_s3_checksums.py"}

FAST = {
    "encoding",
    "indexing",
    "thrift",
    "rewrite",
    *(
        f"kernels/test_{name}.py"
        for name in (
            "arrays",
            "bloom",
            "bounds",
            "checksum",
            "chunk_begin",
            "column",
            "encoding",
            "encoding_delta",
            "extension",
            "fsst",
            "levels",
            "page",
            "reference",
            "required",
            "scan_schema",
            "sidecar_columns",
            "values",
            "varint",
            "wide",
        )
    ),
    *(f"footer/test_{name}.py" for name in ("locate", "open", "page_index", "projection", "schema")),
    "pruning/test_bloom.py",
    "pruning/test_few_bounds.py",
    "edits/test_upgrade.py",
    "arrow/test_read.py",
    "arrow/test_replaced_files.py",
    "test_architecture.py",
    "test_extension.py",
}

# The files that take longest, longest first, so that no process is left alone with one at the end.
FIRST = (
    "spark/test_clusters.py",
    "tests/test_install.py",
    "spark/test_versions.py",
    "spark/test_kills.py",
    "interop/test_readers.py",
    "interop/test_reader_versions.py",
    "interop/test_pyarrow_tests.py",
    "spark/test_writing.py",
    "tests/test_c_library.py",
    "spark/test_jobs.py",
    "spark/test_s3_jobs.py",
    "spark/test_stores.py",
    "edits/test_stores.py",
    "spark/test_scan_versions.py",
    "spark/test_workers.py",
    "editors/test_types.py",
    "tests/test_vast_files.py",
    "tests/test_mutations.py",
)


def pytest_configure(config):
    for line in __doc__.split("* ``")[1:]:
        name, meaning = line.split("``: ")
        config.addinivalue_line("markers", f"{name}: {' '.join(meaning.split())}")
    config.option.loadscopereorder = False  # pytest-xdist deals the files out in the order below


@pytest.hookimpl(hookwrapper=True)
def pytest_collection():
    """Collect without the garbage collector, exclude the tests from its later rounds, and make these rarer.

    Each round walks over 20,000 tests, which live to the end: collecting takes 14 instead of 25 CPU seconds.
    """
    gc.disable()
    yield
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def pytest_ignore_collect(collection_path: Path, config) -> bool | None:
    """With `-m fast`, ignore the files that are not fast, and folders without fast files."""
    return True if config.option.markexpr == "fast" and is_without_fast_tests(collection_path) else None


def is_without_fast_tests(path: Path) -> bool:
    """Return True for a file of tests that is not fast, and for a folder that contains no fast file."""
    if path.is_dir():
        return path.is_relative_to(TESTS) and not any(map(is_fast, path.rglob("test_*.py")))
    return path.name.startswith("test_") and not is_fast(path)


def is_fast(path: Path) -> bool:
    relative = path.relative_to(TESTS)
    return relative.as_posix() in FAST or relative.parts[0] in FAST


def pytest_collection_modifyitems(items):
    for item in items:
        for name in markers(item):
            item.add_marker(name)
    items.sort(key=place)


def markers(item: pytest.Item) -> set[str]:
    relative = item.path.relative_to(TESTS)
    names = {FIXTURES[name] for name in getattr(item, "fixturenames", ()) if name in FIXTURES}
    names |= {FOLDERS[relative.parts[0]]} if relative.parts[0] in FOLDERS else set()
    names |= {"stores"} if relative.as_posix() in STORES else set()
    return names | ({"fast"} if is_fast(item.path) and not names else set())


def place(item: pytest.Item) -> int:
    return next(
        (position for position, end in enumerate(FIRST) if item.path.as_posix().endswith(f"/{end}")), len(FIRST)
    )
