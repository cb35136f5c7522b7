"""Programs that use the header and the static library of the installed package."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.embedding import SMALL_CARGO, commands, declarations, needs, run

from parquetext import c_library
from parquetext.errors import Unsupported

pytestmark = needs("cc", "c++")


def has_library() -> bool:
    try:
        return c_library.library().exists()
    except Unsupported:
        return False


needs_library = pytest.mark.skipif(not has_library(), reason="the package was installed without the C library")


@pytest.fixture
def environment(tmp_path) -> dict:
    """Return an environment whose commands are those of an environment with the package under test."""
    return environment_of(tmp_path / "bin", Path(c_library.__file__).parents[1])


@pytest.fixture
def odd_environment(tmp_path) -> dict:
    """Return the same for a package in a folder whose name has spaces and other letters."""
    package = tmp_path / "größe in m"
    package.mkdir()
    run(["cp", "-r", Path(c_library.__file__).parent, package], tmp_path)
    return environment_of(tmp_path / "odd-bin", package)


def environment_of(folder: Path, package: Path) -> dict:
    """Write the commands `python` and `parquetext` for a package, and return an environment that has them on PATH."""
    folder.mkdir()
    for name, module in (("python", ""), ("parquetext", "-m parquetext")):
        (folder / name).write_text(f'#!/bin/sh\nPYTHONPATH="{package}" exec {sys.executable} {module} "$@"\n')
        (folder / name).chmod(0o755)
    return os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}


@needs_library
@pytest.mark.parametrize("language", ["C", "C++"])
def test_a_program_links_the_static_library_of_the_package(program, environment, check, language):
    run(commands(f"wheel, {language}"), program, environment)
    assert "libparquetext" not in run(["ldd", program / "rows"], program)
    check(program / "rows")


@needs_library
@needs("cargo")
def test_a_rust_program_links_the_static_library_of_the_package(crate, odd_environment, check):
    folder = crate("wheel", SMALL_CARGO)
    run(["cargo", "build", "-q"], folder, odd_environment)
    check(folder / "target/debug/rows")


@needs_library
def test_the_flags_for_a_folder_with_spaces_are_for_a_shell(program, odd_environment, check):
    run("eval cc rows.c $(parquetext --c-include) $(parquetext --c-libs) -o rows", program, odd_environment)
    check(program / "rows")


@needs_library
def test_the_static_library_can_be_part_of_a_shared_library(tmp_path):
    """This needs code that is independent of its position."""
    whole = ["-Wl,--whole-archive", c_library.library(), "-Wl,--no-whole-archive"]
    run(["cc", "-shared", "-Wl,-z,defs", "-Wl,-z,text", *whole, "-o", tmp_path / "plugin.so"], tmp_path)


THROWING = """\
#include <parquetext.h>
static int read(void *, uint64_t, size_t, uint8_t *) { throw 7; }
int main()
{
    pqx_source source{read, nullptr, 1000};
    pqx_footer *footer;
    pqx_error error;
    try {
        pqx_footer_open(&source, 0, &footer, &error);
    } catch (int thrown) {
        return thrown == 7 ? 0 : 1;
    }
    return 1;
}
"""


@needs_library
def test_an_exception_of_a_source_passes_through_the_library(tmp_path):
    """This needs tables for unwinding, which the Python module does not have."""
    (tmp_path / "throwing.cpp").write_text(THROWING)
    library = c_library.library()
    run(["c++", "throwing.cpp", f"-I{c_library.include()}", library, "-o", "throwing"], tmp_path)
    run([tmp_path / "throwing"], tmp_path)


@needs_library
@needs("nm")
def test_the_static_library_defines_only_the_functions_of_the_header(tmp_path):
    listing = run(["nm", "-g", "--defined-only", c_library.library()], tmp_path)
    assert set(re.findall(r" T (\w+)", listing)) == declarations(c_library.include() / "parquetext.h").keys()
    assert not re.findall(r" [A-SU-Z] \w+", listing)


@needs_library
def test_the_header_of_the_package_compiles_as_strict_c_and_cpp(tmp_path):
    (tmp_path / "empty.c").write_text("#include <parquetext.h>\n")
    flags = ["-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{c_library.include()}", "-c", "-o", "/dev/null"]
    for compiler in (["cc", "-std=c11"], ["c++", "-std=c++11", "-x", "c++"], ["c++", "-std=c++20", "-x", "c++"]):
        run([*compiler, *flags, "empty.c"], tmp_path)


@needs_library
def test_the_flags_name_a_folder_whose_letters_the_locale_lacks(tmp_path):
    package = tmp_path / "größe"
    package.mkdir()
    run(["cp", "-r", Path(c_library.__file__).parent, package], tmp_path)
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONPATH": str(package)}
    done = subprocess.run(
        [sys.executable, "-m", "parquetext", "--c-libs"], cwd=tmp_path, env=plain, capture_output=True
    )
    assert f"-L{package}/parquetext/_native/lib".encode() in done.stdout, done.stderr


def test_a_package_without_the_library_says_so_in_one_line(tmp_path, monkeypatch):
    """The package is copied without compiled files, as a wheel that was built without a compiler."""
    package = Path(c_library.__file__).parent
    run(["cp", "-r", package, tmp_path], tmp_path)
    for folder in ("include", "lib"):
        run(["rm", "-rf", tmp_path / "parquetext/_native" / folder], tmp_path)
    for option in ("--c-include", "--c-libs"):
        environment = os.environ | {"PYTHONPATH": str(tmp_path)}
        command = [sys.executable, "-m", "parquetext", option]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.count("\n") == 1 and "has no C library" in done.stderr
    monkeypatch.setattr(c_library, "_FOLDER", tmp_path / "parquetext/_native")
    for find in (c_library.include, c_library.library):
        with pytest.raises(Unsupported, match="has no C library"):
            find()
