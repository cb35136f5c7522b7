"""Programs that find an installation of `make install` through pkg-config."""

from __future__ import annotations

import os

import pytest
from support.embedding import commands, needs, run

import parquetext

pytestmark = needs("make", "cc", "pkg-config")


@pytest.fixture
def environment(made_prefix) -> dict:
    return os.environ | {"PKG_CONFIG_PATH": str(made_prefix / "lib/pkgconfig")}


def test_a_c_program_links_the_shared_library(program, environment, made_prefix, check):
    run(commands("pkg-config, C"), program, environment)
    assert f"{made_prefix}/lib/libparquetext.so" in run(["ldd", program / "rows"], program)
    check(program / "rows")


@needs("c++")
def test_a_cpp_program_links_the_static_library(program, environment, check):
    run(commands("pkg-config, C++, static"), program, environment)
    assert "libparquetext" not in run(["ldd", program / "rows"], program)
    check(program / "rows")


@needs("cargo")
def test_a_rust_program_links_through_pkg_config(crate, environment, check):
    folder = crate("pkg-config")
    run(["cargo", "build", "-q"], folder, environment)
    check(folder / "target/debug/rows")


def test_the_package_has_one_name_and_the_version_of_the_header(environment, made_prefix):
    assert run("pkg-config --modversion parquetext", made_prefix, environment).strip() == parquetext.__version__
    assert run("pkg-config --libs-only-l parquetext", made_prefix, environment).strip() == "-lparquetext"
    names = {path.name.partition(".")[0] for path in (made_prefix / "lib").iterdir() if path.is_file()}
    assert names == {"libparquetext"}
    assert [path.name for path in (made_prefix / "include").iterdir()] == ["parquetext.h"]


def test_a_prefix_with_spaces_is_one_folder(program, install, check):
    prefix = program / "Program Files"
    install(PREFIX=prefix)
    assert sorted(path.name for path in prefix.iterdir()) == ["include", "lib"]
    environment = os.environ | {"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    command = "eval cc rows.c $(pkg-config --cflags --libs parquetext) -Wl,-rpath,'\"$PWD/Program Files/lib\"' -o rows"
    run(command, program, environment)
    check(program / "rows")


def test_the_staging_folder_is_not_part_of_the_installed_paths(tmp_path, install):
    """Packagers install below DESTDIR, and the files have to name the final folders."""
    install(DESTDIR=tmp_path, PREFIX="/opt/x", LIBDIR="/opt/x/lib64")
    text = (tmp_path / "opt/x/lib64/pkgconfig/parquetext.pc").read_text()
    assert text.startswith("prefix=/opt/x\nlibdir=${prefix}/lib64\nincludedir=${prefix}/include\n")
    assert str(tmp_path) not in text


def test_an_installation_that_was_moved_is_found_with_define_prefix(program, install, environment, check):
    install(PREFIX=program / "built")
    (program / "built").rename(program / "moved")
    environment |= {"PKG_CONFIG_PATH": str(program / "moved/lib/pkgconfig")}
    flags = run("pkg-config --define-prefix --cflags --libs parquetext", program, environment)
    assert flags.split() == [f"-I{program}/moved/include", f"-L{program}/moved/lib", "-lparquetext"]
    run(f"cc rows.c {flags.strip()} -Wl,-rpath,{program}/moved/lib -o rows", program)
    check(program / "rows")


def test_a_library_outside_of_the_prefix_keeps_its_folder(tmp_path, install):
    install(DESTDIR=tmp_path, PREFIX="/opt/x", LIBDIR="/opt/x-libraries")
    text = (tmp_path / "opt/x-libraries/pkgconfig/parquetext.pc").read_text()
    assert "\nlibdir=/opt/x-libraries\n" in text
