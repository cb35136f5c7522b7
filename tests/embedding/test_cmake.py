"""Programs that CMake builds with an installed library, and with one that is a part of their own build."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from support.embedding import CSRC, ROOT, commands, example, needs, run

pytestmark = [needs("cmake", "make", "cc", "c++"), pytest.mark.slow]
DEBUG = "-DCMAKE_BUILD_TYPE=Debug"  # compiles four times as fast


@pytest.fixture(scope="module")
def cmake_prefix(tmp_path_factory) -> Path:
    """Return a folder into which CMake has installed a shared library, by the commands of the page."""
    work = tmp_path_factory.mktemp("cmake")
    (work / "csrc").symlink_to(CSRC)
    lines = commands("CMake, install").replace("-S csrc", f"-S csrc {DEBUG} -DBUILD_SHARED_LIBS=ON")
    run(f"set -e\nPREFIX={work / 'prefix'}\n{lines}", work)
    return work / "prefix"


def build(folder: Path, *options: object) -> Path:
    run(["cmake", "-S", folder, "-B", folder / "build", DEBUG, *options], folder)
    run(["cmake", "--build", folder / "build", "--parallel", "2"], folder)
    return folder / "build"


def test_programs_find_an_installation_of_cmake(program, cmake_prefix, check):
    (program / "CMakeLists.txt").write_text(example("cmake", "CMakeLists.txt, installed"))
    built = build(program, f"-DCMAKE_PREFIX_PATH={cmake_prefix}")
    assert f"{cmake_prefix}/" in run(["ldd", built / "rows"], program)
    check(built / "rows")
    check(built / "rows-cpp")


def test_programs_find_an_installation_of_make_also_after_it_was_moved(program, made_prefix, tmp_path, check):
    moved = tmp_path / "moved"
    run(["cp", "-a", made_prefix, moved], tmp_path)
    (program / "CMakeLists.txt").write_text(example("cmake", "CMakeLists.txt, installed"))
    built = build(program, f"-DCMAKE_PREFIX_PATH={moved}")
    assert f"{moved}/" in run(["ldd", built / "rows"], program)
    check(built / "rows")
    check(built / "rows-cpp")


@needs("pkg-config")
@pytest.mark.parametrize("prefix", ["other folder", "relative"])
def test_pkg_config_finds_an_installation_below_the_prefix_of_its_command(cmake_prefix, tmp_path, prefix):
    run(["cmake", "--install", cmake_prefix.parent / "build", "--prefix", prefix], tmp_path)
    environment = os.environ | {"PKG_CONFIG_PATH": f"{tmp_path}/{prefix}/lib/pkgconfig"}
    for folder, name in (("libdir", "libparquetext.so"), ("includedir", "parquetext.h")):
        found = run(["pkg-config", f"--variable={folder}", "parquetext"], tmp_path, environment).strip()
        assert found.startswith(f"{tmp_path}/{prefix}/") and Path(found, name).is_file()


@pytest.mark.usefixtures("long")
def test_programs_build_the_library_with_fetch_content(program, check):
    (program / "CMakeLists.txt").write_text(example("cmake", "CMakeLists.txt, fetched"))
    built = build(program, f"-DFETCHCONTENT_SOURCE_DIR_PARQUETEXT={ROOT}")
    check(built / "rows")
    check(built / "rows-cpp")


@pytest.mark.usefixtures("long")
@needs("cargo")
def test_a_rust_program_builds_the_library_with_cmake(crate, check):
    folder = crate("CMake")
    (folder / "parquetext").symlink_to(ROOT)
    run(["cargo", "build", "-q"], folder)
    check(folder / "target/debug/rows")


def find(folder: Path, prefix: Path, wanted: str = "") -> subprocess.CompletedProcess:
    """Configure a project that needs a version of the library."""
    text = f"cmake_minimum_required(VERSION 3.16)\nproject(p LANGUAGES C)\nfind_package(parquetext {wanted} REQUIRED)\n"
    (folder / "CMakeLists.txt").write_text(text)
    command = ["cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}"]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("wanted", "is_found"),
    [("", True), ("0.1", True), ("0.1.0 EXACT", True), ("0.0", False), ("0.2", False), ("0.1.99", False), ("1", False)],
)
def test_a_program_finds_only_compatible_versions(tmp_path, made_prefix, wanted, is_found):
    done = find(tmp_path, made_prefix, wanted)
    assert (done.returncode == 0) == is_found, done.stderr


def test_an_installation_without_its_library_is_not_found(tmp_path, made_prefix):
    broken = tmp_path / "broken"
    run(["cp", "-a", made_prefix, broken], tmp_path)
    for library in broken.glob("lib/libparquetext.*"):
        library.unlink()
    done = find(tmp_path, broken)
    assert done.returncode != 0
    assert "no library or no parquetext.h" in " ".join(done.stderr.split())
