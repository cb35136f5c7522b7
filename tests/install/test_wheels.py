"""Wheels and the source distribution, each installed in a fresh environment by the tools that users have."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROOT = Path(__file__).parents[2]


def installed_pythons() -> dict[str, str]:
    """Return the Pythons from 3.11 on that are on PATH or that pyenv has, by version."""
    found = [shutil.which(f"python3.{minor}") for minor in range(11, 16)]
    found += [*map(str, Path.home().glob(".pyenv/versions/3.1?.*/bin/python")), sys.executable]
    code = "import sys; print(*sys.version_info[:2], sys._base_executable)"
    pythons = {}
    for python in filter(None, found):
        done = subprocess.run([python, "-c", code], capture_output=True, text=True)
        if done.returncode == 0:  # unlike the name of a Python that pyenv does not use here
            major, minor, executable = done.stdout.split(None, 2)
            pythons[int(major), int(minor)] = executable.strip()
    return {".".join(map(str, version)): python for version, python in pythons.items() if version >= (3, 11)}


PYTHONS = installed_pythons()
PROGRAM = """
import sys, parquetext
print(parquetext.implementation())
with parquetext.open(sys.argv[1]) as file:
    print(file.read(["x"])["x"].to_pylist())
print(parquetext.upgrade(sys.argv[1], form="flat").outcome)
"""


@pytest.fixture
def file(tmp_path) -> Path:
    pq.write_table(pa.table({"x": [1, 2, 3], "y": ["a", "b", "c"]}), tmp_path / "small.parquet")
    return tmp_path / "small.parquet"


def environment() -> dict[str, str]:
    """Return the variables of a user, who has not set any of this package or of Python."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PARQUETEXT", "PYTHON"))}


def run(*command: object, cwd: Path, **variables: str) -> subprocess.CompletedProcess:
    """Run a program that succeeds; uv trusts the certificates of the system, as pip does."""
    variables |= {"UV_SYSTEM_CERTS": "1", "UV_NATIVE_TLS": "1"}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=environment() | variables, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def fresh(folder: Path, python: str = sys.executable) -> Path:
    """Return the Python of a fresh virtual environment."""
    run(python, "-m", "venv", folder, cwd=folder.parent)
    return folder / "bin" / "python"


def works(python: Path, file: Path, folder: Path, implementation: str) -> str:
    """Run a program and commands of an installation; return what the program writes to stderr."""
    done = run(python, "-c", PROGRAM, file, cwd=folder)
    assert done.stdout.splitlines() == [implementation, "[1, 2, 3]", "upgraded"]
    command = python.with_name("parquetext")
    assert f"{implementation} kernels" in run(command, "--version", cwd=folder).stdout
    assert "flat" in run(command, "inspect", file, cwd=folder).stdout
    return done.stderr


@pytest.mark.parametrize("version", sorted(PYTHONS))
def test_the_wheel_works_on_each_installed_python(version, wheel, file, tmp_path):
    installed = fresh(tmp_path / "environment", PYTHONS[version])
    run(installed, "-m", "pip", "install", "-q", wheel, cwd=tmp_path)
    assert works(installed, file, tmp_path, "native") == ""
    header = run(installed.with_name("parquetext"), "--c-include", cwd=tmp_path).stdout.strip().removeprefix("-I")
    assert (Path(header) / "parquetext.h").is_file()


@pytest.fixture(scope="module")
def tested(wheel, sdist, tmp_path_factory) -> Path:
    """Return a fresh environment with the wheel and the requirements of its tests, beside the source distribution."""
    folder = tmp_path_factory.mktemp("tested")
    python = fresh(folder / "environment")
    run(python, "-m", "pip", "install", "-q", f"{wheel}[dev]", "pytest-run-parallel", cwd=folder)
    run("tar", "-xzf", sdist, "-C", folder, cwd=folder)
    return python


def test_the_fast_tests_of_the_source_distribution_pass_with_the_wheel(tested):
    """As cibuildwheel runs them, on both implementations."""
    (sources,) = tested.parents[2].glob("parquetext-*")
    done = run(tested, sources / "wheels/test.py", cwd=tested.parents[2])
    assert len(re.findall(r"^\d+ passed", done.stdout, re.MULTILINE)) == 2, done.stdout


def test_several_threads_run_the_tests_of_the_kernels_at_the_same_time(tested):
    """As wheels/test.py does on free-threaded Pythons, which are not installed here."""
    options = "-q", "-p", "no:cacheprovider", "-m", "fast", "--parallel-threads=2"
    done = run(tested, "-P", "-m", "pytest", *options, ROOT / "tests/kernels", cwd=ROOT)
    assert "items to run in parallel" in done.stdout and " passed" in done.stdout


def test_the_wheel_for_any_platform_works_and_warns_on_one_line_that_it_is_slow_here(pure_wheel, file, tmp_path):
    installed = fresh(tmp_path / "environment")
    run(installed, "-m", "pip", "install", "-q", pure_wheel, cwd=tmp_path)
    (warning,) = works(installed, file, tmp_path, "pure").splitlines()
    assert "RuntimeWarning: parquetext is slow: no compiled kernels for this Python: PARQUETEXT_PURE was set" in warning
    done = run(installed, "-c", "import parquetext; parquetext.implementation()", cwd=tmp_path, PARQUETEXT_PURE="1")
    assert done.stderr == ""


def test_the_source_distribution_installs_without_a_compiler_and_states_why_it_is_slow(sdist, file, tmp_path):
    installed = fresh(tmp_path / "environment")
    run(installed, "-m", "pip", "install", "-q", sdist, cwd=tmp_path, CC=str(tmp_path / "no-cc"))
    (warning,) = works(installed, file, tmp_path, "pure").splitlines()
    assert "no-cc" in warning and "Install a C compiler, then run pip install" in warning
    assert "no-cc" in run(installed.with_name("parquetext"), "--version", cwd=tmp_path).stdout


def test_pipx_runs_a_command_of_the_wheel(wheel, file, tmp_path):
    installed = fresh(tmp_path / "environment")
    run(installed, "-m", "pip", "install", "-q", "pipx", cwd=tmp_path)
    command = [installed, "-m", "pipx", "run", "--spec", wheel, "parquetext", "inspect", file]
    done = run(*command, cwd=tmp_path, PIPX_HOME=str(tmp_path / "pipx"), PIPX_DEFAULT_PYTHON=str(installed))
    assert "rows" in done.stdout


def test_uv_installs_the_wheel(wheel, file, tmp_path):
    installed = fresh(tmp_path / "environment")
    run(installed, "-m", "pip", "install", "-q", "uv", cwd=tmp_path)
    uv = installed.with_name("uv")
    run(uv, "venv", "-q", "--python", sys.executable, tmp_path / "other", cwd=tmp_path)
    other = tmp_path / "other/bin/python"
    run(uv, "pip", "install", "-q", "--python", other, wheel, cwd=tmp_path)
    assert works(other, file, tmp_path, "native") == ""


def test_the_platforms_of_the_wheels_are_the_oldest_glibc_windows_and_any(built):
    tags = {path.name.split("-", 2)[2] for path in built.glob("*.whl")}
    assert "py3-none-any.whl" in tags
    for tag in tags - {"py3-none-any.whl", "cp311-abi3-win_amd64.whl"}:
        assert tag.startswith("cp311-abi3-") and "manylinux_2_17_" in tag


def test_installed_files_take_less_than_6_mb(built):
    sizes = {}
    for wheel in built.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            sizes[wheel.name] = sum(each.file_size for each in archive.infolist())
    assert {name: size for name, size in sizes.items() if size >= 6_000_000} == {}


def test_a_package_without_the_library_of_this_platform_names_those_that_it_has(wheel, tmp_path):
    """Such as an environment that was copied from a machine of another kind."""
    site = tmp_path / "site"
    run(sys.executable, "-m", "zipfile", "-e", wheel, site, cwd=tmp_path)
    native = site / "parquetext/_native"
    (native / "core.abi3.so").rename(native / "core.abi3-other.so")
    paths = os.pathsep.join([str(site), sysconfig.get_path("purelib")])
    done = run(sys.executable, "-c", "import parquetext.kernels", cwd=tmp_path, PYTHONPATH=paths)
    assert len(done.stderr.splitlines()) == 1
    assert "the package has core.abi3-other.so for another platform" in done.stderr
