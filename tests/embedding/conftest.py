"""Programs outside the source tree, which are the examples of docs/embedding.md."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.embedding import CSRC, example, made, run


@pytest.fixture
def program(tmp_path) -> Path:
    """Return a folder with the programs in C and C++."""
    (tmp_path / "rows.c").write_text(example("c", "rows.c"))
    (tmp_path / "rows.cpp").write_text(example("cpp", "rows.cpp"))
    return tmp_path


@pytest.fixture
def crate(tmp_path) -> Callable:
    """Return a function that writes the program in Rust, with the build script and manifest of a title."""

    def write(title: str, manifest: str | None = None) -> Path:
        (tmp_path / "src").mkdir()
        (tmp_path / "src/main.rs").write_text(example("rust", "src/main.rs"))
        (tmp_path / "build.rs").write_text(
            example("rust", f"build.rs, {title}").replace("opt_level(3)", "opt_level(0)")
        )
        (tmp_path / "Cargo.toml").write_text(manifest or example("toml", f"Cargo.toml, {title}"))
        fetched = subprocess.run(["cargo", "fetch"], cwd=tmp_path, capture_output=True, text=True)
        if fetched.returncode:
            pytest.skip(f"crates cannot be downloaded: {fetched.stderr.strip().splitlines()[-1]}")
        return tmp_path

    return write


@pytest.fixture
def check(tmp_path_factory) -> Callable:
    """Return a function that runs a program on a file and on other bytes."""
    folder = tmp_path_factory.mktemp("files")
    pq.write_table(pa.table({name: range(1234) for name in "abc"}), folder / "t.parquet")
    (folder / "other").write_bytes(bytes(100))

    def check(program: Path) -> None:
        assert run([program, folder / "t.parquet"], folder) == "1234 rows, 3 columns\n"
        failed = subprocess.run([program, folder / "other"], capture_output=True, text=True)
        assert (failed.returncode, failed.stdout) == (1, "")
        assert failed.stderr.startswith("rows: ") and "not a Parquet file" in failed.stderr

    return check


@pytest.fixture(scope="session")
def install(tmp_path_factory) -> Callable:
    """Return a function that runs `make install` with variables; the library is compiled once."""

    def install(**variables: object) -> None:
        made(tmp_path_factory, *(f"{name}={value}" for name, value in variables.items()), "install")

    return install


@pytest.fixture(scope="session")
def made_prefix(tmp_path_factory, install) -> Path:
    """Return a folder into which make has installed the library."""
    prefix = tmp_path_factory.mktemp("prefix")
    install(PREFIX=prefix)
    return prefix


@pytest.fixture(scope="session")
def bundle(tmp_path_factory) -> Path:
    """Return a folder with the bundle."""
    folder = tmp_path_factory.mktemp("bundle")
    run([sys.executable, CSRC / "bundle.py", folder], folder)
    return folder
