"""Fixtures that every suite shares."""

from __future__ import annotations

import getpass
import json
import os
from pathlib import Path

import pytest
from support.benchmarks_package import make_importable
from support.systems import SYSTEMS, take_away, what_it_lacks

from parquetext import kernels

make_importable()

pytest_plugins = ["support.selection", "support.samples", "support.java_fixtures", "support.store_fixtures"]

# No test fails because environment variables describe a terminal.
for _name in ("COLUMNS", "FORCE_COLOR", "LINES", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
    os.environ.pop(_name, None)


def pytest_addoption(parser):
    parser.addoption(
        "--long",
        action="store_true",
        help="also run tests that take minutes or gigabytes, and all cases of tests that try a sample",
    )
    parser.addoption(
        "--slow",
        action="store_true",
        help="also run tests that take more than five seconds, or test a rarer function of the Spark jobs",
    )
    parser.addoption("--system", choices=SYSTEMS, help="remove the functions of Linux that this system lacks")


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    """Remove the functions that a system lacks before tests are imported, because their marks check for them."""
    if system := config.getoption("--system"):
        config._tmp_path_factory.getbasetemp()  # pytest itself asks which system it is by its name
        os.environ.setdefault("USERNAME", getpass.getuser())  # which Windows sets, and has no user ids to ask by
        take_away(system)
        if system == "windows":  # the compiled kernels were built with this system's functions
            kernels.use("pure")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Skip a slow test, unless --slow or --long is given, before any of its fixtures is made."""
    if item.get_closest_marker("slow") and not (item.config.getoption("--slow") or item.config.getoption("--long")):
        pytest.skip("only with --slow")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """With --system, skip a test that calls a missing function itself."""
    outcome = yield
    if call.excinfo is None or not item.config.getoption("--system"):
        return
    lacking = what_it_lacks(call.excinfo.value, call.excinfo.traceback[-1].path)
    report = outcome.get_result()
    if lacking and report.failed:
        path, line, _ = item.location
        report.outcome, report.longrepr = "skipped", (path, line or 0, f"this system {lacking}")


@pytest.fixture(scope="session")  # so that the test is skipped before other fixtures of a session are made
def long(request) -> None:
    """Skip tests that take minutes or gigabytes, unless --long is given."""
    if not request.config.getoption("--long"):
        pytest.skip("only with --long")


def _native_built() -> bool:
    try:
        import parquetext._native.varint  # noqa: F401
    except ImportError:
        return False
    return True


@pytest.fixture(params=["native", "pure"])
def implementation(request):
    """Run the test on both implementations of the kernels."""
    if request.param == "native" and (request.config.getoption("--system") == "windows" or not _native_built()):
        pytest.skip("the compiled kernels are not built")
    before = kernels.implementation()
    kernels.use(request.param)
    yield request.param
    kernels.use(before)


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real files; skips loudly without it."""
    folder = os.environ.get("PARQUETEXT_CORPUS")
    if not folder:
        pytest.skip("PARQUETEXT_CORPUS is not set: the tests on real files do not run")
    return Path(folder)


@pytest.fixture(scope="session")
def expected(corpus) -> list[dict]:
    """Return the known properties of each corpus file (expected.json)."""
    return json.loads((corpus / "expected.json").read_text())["files"]
