"""The wheels under test: those of the folder that PARQUETEXT_WHEELS names, made by wheels/build.py."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def kernel_tests(request) -> list[str]:
    """Return the tests that run under emulation: without --long, those of the kernels with vector code."""
    names = "checksum", "encoding", "encoding_delta", "fsst", "levels", "values", "varint"
    if request.config.getoption("--long"):
        return ["tests/kernels"]
    return [f"tests/kernels/test_{name}.py" for name in names]


@pytest.fixture(scope="session")
def built() -> Path:
    """Return the folder with the wheels and the source distribution."""
    folder = os.environ.get("PARQUETEXT_WHEELS")
    if not folder:
        pytest.skip("needs wheels: python wheels/build.py, and PARQUETEXT_WHEELS=wheels/built")
    return Path(folder).resolve()


def only(folder: Path, pattern: str) -> Path:
    """Return the file that matches a pattern, and no other."""
    (found,) = folder.glob(pattern)
    return found


@pytest.fixture(scope="session")
def wheel(built) -> Path:
    """Return the wheel for this machine."""
    return only(built, f"*-abi3-*_{os.uname().machine}.whl")


@pytest.fixture(scope="session")
def pure_wheel(built) -> Path:
    return only(built, "*-none-any.whl")


@pytest.fixture(scope="session")
def sdist(built) -> Path:
    return only(built, "*.tar.gz")
