"""The library as one header and one compilation unit."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys

import pytest
from support.embedding import CSRC, commands, declarations, needs, run

pytestmark = needs("cc")


@pytest.fixture
def bundled(program, bundle):
    """Return a folder with the programs in C and C++, and the bundle."""
    for name in ("parquetext.c", "parquetext.h"):
        shutil.copy(bundle / name, program)
    return program


@pytest.mark.parametrize("language", ["C", pytest.param("C++", marks=needs("c++"))])
def test_a_program_links_the_bundle(bundled, check, language):
    run(commands(f"bundle, {language}").replace("-O3", "-O1"), bundled)
    check(bundled / "rows")


@needs("cargo")
def test_a_rust_program_compiles_the_bundle(crate, bundle, check):
    folder = crate("bundle")
    for name in ("parquetext.c", "parquetext.h"):
        shutil.copy(bundle / name, folder)
    run(["cargo", "build", "-q"], folder)
    check(folder / "target/debug/rows")


@needs("nm")
def test_only_the_functions_of_the_header_are_visible(bundle, tmp_path):
    run(["cc", "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-c", bundle / "parquetext.c"], tmp_path)
    listing = run(["nm", "-g", "--defined-only", "parquetext.o"], tmp_path)
    declared = declarations(bundle / "parquetext.h")
    assert sorted(line.split()[-1] for line in listing.splitlines()) == sorted(declared)


@needs("c++")
def test_a_cpp_compiler_gets_one_clear_message(bundle, tmp_path):
    command = ["c++", "-x", "c++", "-fsyntax-only", bundle / "parquetext.c"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0 and done.stderr.count("error: ") == 1
    assert "parquetext.c is C: compile it with cc" in done.stderr


def test_the_same_sources_make_the_same_bundle(bundle, tmp_path):
    copy = shutil.copytree(CSRC, tmp_path / "elsewhere", ignore=shutil.ignore_patterns("build"))
    run([sys.executable, copy / "bundle.py", tmp_path / "again"], tmp_path)
    for name in ("parquetext.c", "parquetext.h"):
        assert (tmp_path / "again" / name).read_bytes() == (bundle / name).read_bytes()
    assert str(CSRC) not in (bundle / "parquetext.c").read_text()


ONE = """\
#include "parquetext_internal.h"
#define LIMIT 1
enum { STEP = LIMIT, ONLY_HERE };
typedef struct state { int step; } state;
/* step is not a call */
static int step(state *s) { return s->step + STEP; }
int pqx_one(void) { state s = {.step = ONLY_HERE}; return step(&s); }
"""
TWO = """\
#include "parquetext_internal.h"
#define LIMIT 10
enum { STEP = LIMIT };
static const char state[] = "state";
static int step(const char *text) { return STEP + text[0] - 's'; }
int pqx_two(void) { return step(state); }
"""
BOTH = "int pqx_one(void);\nint pqx_two(void);\nint main(void) { return pqx_one() == 3 && pqx_two() == 10 ? 0 : 1; }\n"


def test_names_that_two_sources_define_stay_apart(tmp_path):
    shutil.copytree(CSRC / "include", tmp_path / "csrc/include")
    shutil.copy(CSRC / "bundle.py", tmp_path / "csrc")
    (tmp_path / "csrc/src/base").mkdir(parents=True)
    (tmp_path / "csrc/src/base/one.c").write_text(ONE)
    (tmp_path / "csrc/src/base/two.c").write_text(TWO)
    run([sys.executable, tmp_path / "csrc/bundle.py", tmp_path], tmp_path)
    text = (tmp_path / "parquetext.c").read_text()
    assert "/* step is not a call */" in text and '"state"' in text and "ONLY_HERE_in" not in text
    (tmp_path / "both.c").write_text(BOTH)
    run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "parquetext.c", "both.c", "-o", "both"], tmp_path)
    run([tmp_path / "both"], tmp_path)


def test_the_bundle_is_ordered_by_layers():
    layers = runpy.run_path(str(CSRC / "bundle.py"))["LAYERS"]
    assert set(layers) == {folder.name for folder in (CSRC / "src").iterdir() if folder.is_dir()}
