"""Installing from source: one abi3 wheel, the twin where there is no compiler, an error where that is not wanted."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
OPTIONS = ["-v", "--no-deps", "--no-build-isolation"]
LIVE = "from parquetext import kernels; print(kernels.implementation(), kernels.reason())"

pytestmark = pytest.mark.skipif(
    subprocess.run([*PIP, "--version"], capture_output=True).returncode != 0, reason="needs pip"
)


@pytest.fixture(scope="module")
def translated(tmp_path_factory) -> Path:
    """Return a copy of the files needed to build; only Cython has run, here or already in the checkout."""
    folder = tmp_path_factory.mktemp("source")
    ignored = shutil.ignore_patterns("*.so", "__pycache__", "build", "*.egg-info")
    for name in ("parquetext", "pyspark_parquetext", "benchmarks", "csrc", "jvm", "tests", "docs", "wheels"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / name)
    if (ROOT / "build/cython").is_dir():
        shutil.copytree(ROOT / "build/cython", folder / "build/cython", ignore=shutil.ignore_patterns("*.o"))
    subprocess.run([sys.executable, "setup.py", "--version"], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture
def quick_compiler(tmp_path) -> str:
    """Return a compiler that ignores optimization options; clang takes half of gcc's time then."""
    compiler = tmp_path / "cc"
    compiler.write_text(f'#!/bin/sh\nexec {shutil.which("clang") or "cc"} "$@" -O0 -g0\n')
    compiler.chmod(0o755)
    return str(compiler)


@pytest.fixture
def source(translated, tmp_path) -> Path:
    """A copy of that for one test."""
    return shutil.copytree(translated, tmp_path / "source")


def pip(*arguments, **variables) -> subprocess.CompletedProcess:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PARQUETEXT_")}
    return subprocess.run([*PIP, *arguments], capture_output=True, text=True, env=environment | variables)


def live_kernels(folder: Path) -> str:
    """Which kernels the package installed in `folder` runs on, asked by a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", LIVE], env=environment, cwd=folder, check=True, capture_output=True, text=True
    ).stdout


def test_one_abi3_wheel_with_one_library_and_nothing_stale(long, source, tmp_path, quick_compiler):
    stale = source / "build" / f"lib.{sys.platform}-x86_64-cpython-311" / "parquetext" / "_native"
    for folder in (stale, source / "parquetext" / "_native"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "forgotten.cpython-311-x86_64-linux-gnu.so").touch()
    settings = {"PARQUETEXT_REQUIRE_NATIVE": "1", "CC": quick_compiler}
    result = pip("wheel", *OPTIONS, "--wheel-dir", tmp_path / "wheels", source, **settings)
    assert result.returncode == 0, result.stdout + result.stderr
    (wheel,) = (tmp_path / "wheels").iterdir()
    check = [sys.executable, ROOT / "wheels" / "check.py", *([] if can_build_jar() else ["--optional-jar"]), wheel]
    checked = subprocess.run(check, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    assert live_kernels(tmp_path / "site").startswith("native")
    assert embeds_the_c_library(tmp_path / "site", tmp_path)
    if not list((tmp_path / "site").rglob("*.jar")):
        pytest.skip("the wheel is right, and without its jar, which cannot be built here: no javac")


def embeds_the_c_library(site: Path, folder: Path) -> bool:
    """Build a C program with the header and the static library of an installed wheel, and return whether it runs."""
    program = folder / "program.c"
    program.write_text("#include <parquetext.h>\nint main(void) { return pqx_abi_version() != PQX_ABI_VERSION; }\n")
    flags = []
    for option in ("--c-include", "--c-libs"):
        command = [sys.executable, "-m", "parquetext", option]
        environment = os.environ | {"PYTHONPATH": str(site)}
        done = subprocess.run(command, env=environment, cwd=folder, check=True, capture_output=True, text=True)
        assert str(site) in done.stdout
        flags += done.stdout.split()
    subprocess.run(["cc", program, *flags, "-o", folder / "program"], check=True)
    return subprocess.run([folder / "program"]).returncode == 0


def can_build_jar() -> bool:
    """Return True if builds here make the jar; with PARQUETEXT_REQUIRE_JAR=1 they have to."""
    return os.environ.get("PARQUETEXT_REQUIRE_JAR") == "1" or shutil.which("javac") is not None


def test_a_source_distribution_brings_the_jar_which_builds_from_it_copy(long, source, tmp_path):
    """A build from it may find no javac."""
    if not can_build_jar():
        pytest.skip("the jar cannot be built here: no javac")
    jars = source / "parquetext" / "spark" / "jars"
    shutil.rmtree(jars, ignore_errors=True)
    environment = os.environ | {"PARQUETEXT_PURE": "1"}
    subprocess.run([sys.executable, "setup.py", "-q", "sdist"], cwd=source, env=environment, check=True)
    (archive,) = (source / "dist").iterdir()
    with tarfile.open(archive) as files:
        files.extractall(tmp_path / "extracted")
    (extracted,) = (tmp_path / "extracted").iterdir()
    environment |= {"PARQUETEXT_REQUIRE_JAR": "1", "PATH": "/nonexistent"}
    subprocess.run([sys.executable, "setup.py", "-q", "build"], cwd=extracted, env=environment, check=True)
    built = {path.name: path.read_bytes() for path in extracted.glob("build/lib/parquetext/spark/jars/*")}
    assert built == {path.name: path.read_bytes() for path in jars.iterdir()}
    assert sorted(built) == ["parquetext-spark.jar"]


def test_without_javac_the_package_contains_the_sources_of_the_jar(source):
    shutil.rmtree(source / "parquetext" / "spark" / "jars", ignore_errors=True)
    environment = os.environ | {"PARQUETEXT_PURE": "1", "PARQUETEXT_REQUIRE_JAR": "0", "PATH": "/nonexistent"}
    command = [sys.executable, "setup.py", "-q", "build"]
    result = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True, check=True)
    assert "the first session will compile it" in result.stderr
    assert [path.name for path in source.glob("build/lib/parquetext/spark/jars/*")] == ["sources.zip"]


def test_without_javac_the_build_fails_if_the_jar_is_required(source):
    shutil.rmtree(source / "parquetext" / "spark" / "jars", ignore_errors=True)
    environment = os.environ | {"PARQUETEXT_PURE": "1", "PARQUETEXT_REQUIRE_JAR": "1", "PATH": "/nonexistent"}
    command = [sys.executable, "setup.py", "-q", "build"]
    result = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True)
    assert result.returncode != 0 and "there is no javac" in result.stderr


@pytest.mark.slow
def test_without_a_compiler_the_install_succeeds_with_the_twin_and_reports_it(source, tmp_path):
    result = pip("install", *OPTIONS, "--target", tmp_path / "site", source, CC="/bin/false")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "the compiled kernels were not built" in result.stdout + result.stderr
    for suffix in ("so", "a", "h"):
        assert not list((tmp_path / "site").rglob(f"*.{suffix}"))
    assert live_kernels(tmp_path / "site").startswith("pure no compiled kernels for this Python")


def test_without_a_compiler_the_install_fails_if_compiled_kernels_are_required(source, tmp_path):
    required = {"CC": "/bin/false", "PARQUETEXT_REQUIRE_NATIVE": "1"}
    result = pip("install", *OPTIONS, "--target", tmp_path / "site", source, **required)
    assert result.returncode != 0
    assert not (tmp_path / "site" / "parquetext").exists()


def test_the_extra_for_spark_installs_the_requirements_of_map_in_arrow():
    """pandas, that is, without which Spark refuses `mapInArrow`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    required = {each.name: each for each in map(Requirement, project["optional-dependencies"]["spark"])}
    brought = [
        each
        for each in map(Requirement, metadata.requires("pyspark") or ())
        if any(each.marker and each.marker.evaluate({"extra": extra}) for extra in required["pyspark"].extras)
    ]
    assert {"pandas", "pyarrow"} <= {each.name for each in brought}


@pytest.mark.parametrize("extra", ["spark", "test"])
def test_extras_with_spark_limit_pandas_to_supported_versions(extra):
    """Spark warns of pandas from 3.0 on, and refuses it before 2.2, at each use of Arrow."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (pandas,) = [each for each in map(Requirement, project["optional-dependencies"][extra]) if each.name == "pandas"]
    assert pandas.specifier.contains("2.2.0") and pandas.specifier.contains("2.3.3")
    assert not pandas.specifier.contains("3.0.0") and not pandas.specifier.contains("2.1.4")


def test_the_message_goes_to_stderr(source):
    command = [sys.executable, "setup.py", "-q", "build"]
    environment = os.environ | {"CC": "/bin/false", "PARQUETEXT_REQUIRE_NATIVE": "0"}
    result = subprocess.run(command, cwd=source, capture_output=True, text=True, env=environment)
    assert result.returncode == 0
    assert "the slower pure-Python ones will be used" in result.stderr
    assert result.stderr.count("the compiled kernels were not built") == 1
    assert "(/bin/false failed with exit code 1)" in result.stderr  # without its arguments
    (reason,) = source.glob("build/lib*/parquetext/_native/not_built.txt")
    assert reason.read_text() == "/bin/false failed with exit code 1\n"


def test_the_source_distribution_contains_the_files_of_a_build_and_its_tests(source, tmp_path):
    result = subprocess.run(
        [sys.executable, "setup.py", "-q", "egg_info", "--egg-base", tmp_path],
        cwd=source,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    listed = set((tmp_path / "parquetext.egg-info" / "SOURCES.txt").read_text().splitlines())
    for name in (
        "csrc/include/parquetext.h",
        "csrc/src/base/internal.h",
        "csrc/src/base/crc32_x86.c",
        "csrc/tables/wire.toml",
        "csrc/check.sh",
        "csrc/Makefile",
        "csrc/CMakeLists.txt",
        "csrc/package/parquetext.pc.in",
        "csrc/package/parquetextConfig.cmake",
        "csrc/bundle.py",
        "parquetext/_native/varint.pyx",
        "parquetext/_native/capi.pxd",
        "parquetext/_native/varint.pyi",
        "parquetext/py.typed",
        "tests/conftest.py",
        "benchmarks/__init__.py",
        "docs/architecture.md",
        "jvm/build.sh",
        "jvm/src/dev/parquetext/spark/Extensions.java",
        "jvm/stubs/scala/Function1.java",
        "wheels/smoke.py",
        "LICENSE",
        "README.md",
    ):
        assert name in listed
    assert not [name for name in listed if name.endswith((".so", ".o", ".pyc")) or name.startswith("build/")]


def test_pip_gets_the_metadata_for_an_older_python_which_it_then_refuses(source):
    """The sources of the kernels cannot be translated there."""
    program = """
import collections, runpy, setuptools, sys
sys.version_info = collections.namedtuple("Version", "major minor micro level serial")(3, 9, 18, "final", 0)
sys.modules["Cython"] = None
sys.argv = ["setup.py", "-q", "dist_info"]
runpy.run_path("setup.py")
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (metadata,) = source.glob("*.dist-info/METADATA")
    assert "Requires-Python: >=3.11" in metadata.read_text().splitlines()


def test_the_extension_declares_that_it_does_not_need_the_gil(tmp_path):
    """Without the declaration, a free-threaded Python enables the GIL when it imports the kernels."""
    build = pytest.importorskip("Cython.Build")
    (directives,) = (
        ast.literal_eval(node.value)
        for node in ast.parse((ROOT / "setup.py").read_text()).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "DIRECTIVES"
    )
    (tmp_path / "small.pyx").write_text("number = 1\n")
    build.cythonize(str(tmp_path / "small.pyx"), compiler_directives=directives, quiet=True)
    code = (tmp_path / "small.c").read_text()
    assert "{Py_mod_gil, __Pyx_FREETHREADING_COMPATIBLE}" in code
    (value,) = re.findall(r"#endif\n#else\n#define __Pyx_FREETHREADING_COMPATIBLE (\w+)", code)
    assert value == "Py_MOD_GIL_NOT_USED"
