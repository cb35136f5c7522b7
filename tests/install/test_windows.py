"""The wheel for Windows under Wine: its compiled kernels work, and agree with their twin."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from install.conftest import only
from support.embedding import example, run

ROOT = Path(__file__).parents[2]
WINE = shutil.which("wine64", path=f"{os.environ['PATH']}{os.pathsep}/usr/lib/wine")
PYTHON = os.environ.get("PARQUETEXT_WINDOWS_PYTHON")  # made by wheels/windows-python.sh

pytestmark = [
    pytest.mark.skipif(not WINE, reason="needs wine64"),
    pytest.mark.skipif(
        not PYTHON, reason="needs wheels/windows-python.sh FOLDER, and PARQUETEXT_WINDOWS_PYTHON=FOLDER"
    ),
]


@pytest.fixture(scope="module")
def site(built, tmp_path_factory) -> Path:
    """Return a folder with the wheel and the requirements of its tests."""
    site = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "-q", "--target", site, "--only-binary", ":all:"]
    wheel = only(built, "*-abi3-win_amd64.whl")
    requirements = f"{wheel}[dev]", "colorama"  # pip evaluates the markers of requirements for this system
    subprocess.run([*command, "--platform", "win_amd64", "--python-version", "3.13", *requirements], check=True)
    return site


@pytest.fixture(scope="module")
def wine(site):
    """Return a function that runs a program for Windows, and returns its output."""
    with tempfile.TemporaryDirectory() as prefix:  # outside the checkout: it has a link to the root directory
        # Python asks wbemprox for the version of Windows; Wine 8 does not implement all of it, and aborts.
        variables = {"WINEPREFIX": prefix, "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml,wbemprox="}
        variables |= {"PYTHONPATH": f"Z:{site}".replace("/", "\\"), "PYTHONDONTWRITEBYTECODE": "1"}
        environment = os.environ | variables
        subprocess.run([WINE, "wineboot", "--init"], env=environment, check=True, capture_output=True)

        def wine(program: Path, *arguments: object) -> str:
            command = [WINE, program, *arguments]
            options = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
            done = subprocess.run(command, cwd=ROOT, env=environment, **options)
            assert done.returncode == 0, done.stdout[-5000:] + done.stderr
            return done.stdout

        try:
            yield wine
        finally:
            subprocess.run([Path(WINE).with_name("wineserver64"), "--kill", "--wait"], env=environment)


@pytest.fixture
def windows(wine):
    """Return a function that runs Python for Windows."""
    return partial(wine, Path(PYTHON, "python.exe"), "-P")


def test_the_kernels_are_compiled_for_windows(windows):
    assert windows("wheels/smoke.py").startswith("native kernels on AMD64")


def test_a_file_is_written_upgraded_and_read(windows, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import pathlib, sys, parquetext, pyarrow as pa\n"
        "path = pathlib.Path(sys.argv[0]).with_name('small.parquet')\n"
        "parquetext.write_table(pa.table({'x': [1, 2, 3]}), path)\n"
        "print(parquetext.upgrade(path, form='flat').outcome)\n"
        "with parquetext.open(path) as file:\n"
        "    print(file.form, file.read(['x'])['x'].to_pylist(), parquetext.implementation())\n"
        "print(parquetext.strip(path).outcome)\n"
    )
    assert windows(program).splitlines() == ["upgraded", "flat [1, 2, 3] native", "stripped"]


def test_a_program_in_c_is_linked_to_the_static_library(site, wine, windows, tmp_path):
    code = "from parquetext import c_library as c; print(c.include().as_posix(), c.library().as_posix())"
    include, library = (path.removeprefix("Z:") for path in windows("-c", code).split())
    (tmp_path / "rows.c").write_text(example("c", "rows.c"))
    pq.write_table(pa.table({"x": [1, 2, 3]}), tmp_path / "small.parquet")
    pytest.importorskip("ziglang")
    compiler = [sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-windows-gnu"]
    run([*compiler, "rows.c", f"-I{include}", library, "-o", "rows.exe"], tmp_path)
    assert wine(tmp_path / "rows.exe", tmp_path / "small.parquet") == "3 rows, 1 columns\n"


def test_a_build_on_windows_recognizes_the_jar_of_the_same_sources(windows):
    code = "from parquetext.spark.jar_build import *; print(build(sources=Path('jvm')))"
    assert windows("-c", code).strip().endswith("parquetext-spark.jar")  # no javac is there to build another one


@pytest.mark.timeout(3600)
def test_the_kernels_pass_their_tests_on_both_implementations(windows, kernel_tests):
    out = windows("-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "fast", *kernel_tests)
    assert " passed" in out and "skipped: the compiled kernels" not in out
