"""The library as one header and one compilation unit."""

from __future__ import annotations

import runpy
import shutil
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


@pytest.mark.slow
@pytest.mark.parametrize("language", ["C", pytest.param("C++", marks=needs("c++"))])
def test_a_program_links_the_bundle(bundled, check, language):
    run(commands(f"bundle, {language}").replace("-O3", "-O0"), bundled)
    check(bundled / "rows")


@pytest.mark.slow
@needs("cargo")
def test_a_rust_program_compiles_the_bundle(crate, bundle, check):
    folder = crate("bundle")
    for name in ("parquetext.c", "parquetext.h"):
        shutil.copy(bundle / name, folder)
    run(["cargo", "build", "-q"], folder)
    check(folder / "target/debug/rows")


def check_visible_functions(bundle, folder, compiler, language):
    """Compile the bundle without warnings, and compare its visible functions with the header's."""
    if not shutil.which(compiler):
        pytest.skip(f"needs {compiler}")
    source = shutil.copy(bundle / "parquetext.c", folder / ("unit.cpp" if "+" in language else "unit.c"))
    warnings = ["-Wall", "-Wextra", "-Werror", *([] if language == "c++11" else ["-pedantic"])]
    level = "-O1" if compiler.startswith("g") else "-O0"  # only gcc has warnings that need its optimizer
    run([compiler, f"-std={language}", level, *warnings, f"-I{bundle}", "-c", source], folder)
    listing = run(["nm", "-g", "--defined-only", "unit.o"], folder).splitlines()
    visible = [line.split()[-1] for line in listing if line.split()[-2] not in "VW"]  # weak: of the C++ library
    assert sorted(visible) == sorted(declarations(bundle / "parquetext.h"))


@pytest.mark.slow
@needs("nm")
@pytest.mark.parametrize(("compiler", "language"), [("gcc", "c11"), ("clang++", "c++20")])
def test_only_the_functions_of_the_header_are_visible_and_nothing_is_warned_about(bundle, tmp_path, compiler, language):
    check_visible_functions(bundle, tmp_path, compiler, language)


@needs("nm")
@pytest.mark.parametrize(
    ("compiler", "language"), [("clang", "c11"), ("g++", "c++20"), ("g++", "c++11"), ("clang++", "c++11")]
)
@pytest.mark.usefixtures("long")
def test_other_compilers_see_the_same_functions(bundle, tmp_path, compiler, language):
    check_visible_functions(bundle, tmp_path, compiler, language)


def test_the_same_sources_make_the_same_bundle(bundle, tmp_path):
    copy = shutil.copytree(CSRC, tmp_path / "elsewhere", ignore=shutil.ignore_patterns("build"))
    run([sys.executable, copy / "bundle.py", tmp_path / "again"], tmp_path)
    for name in ("parquetext.c", "parquetext.h"):
        assert (tmp_path / "again" / name).read_bytes() == (bundle / name).read_bytes()
    assert str(CSRC) not in (bundle / "parquetext.c").read_text()


ONE = """\
#include "parquetext_internal.h"
#include "base/atomics.h"
#define LIMIT 1
enum { STEP = LIMIT, ONLY_HERE };
typedef struct state { int step; } state;
/* step is not a call */
static int step(state *s) { return s->step + STEP; }
static PQX_ATOMIC(int) calls;
int pqx_one(void) { calls++; state s = {.step = ONLY_HERE}; return step(&s); }
"""
TWO = """\
#include "parquetext_internal.h"
#include "base/atomics.h"
#define LIMIT 10
enum { STEP = LIMIT };
static const char state[] = "state";
static int step(const char *text) { return STEP + text[0] - 's'; }
static PQX_ATOMIC(int) calls;
int pqx_two(void) { calls++; return step(state); }
"""
BOTH = "int pqx_one(void);\nint pqx_two(void);\nint main(void) { return pqx_one() == 3 && pqx_two() == 10 ? 0 : 1; }\n"


@pytest.mark.parametrize("compiler", ["cc -std=c11", pytest.param("c++ -std=c++11 -x c++", marks=needs("c++"))])
def test_names_that_two_sources_define_stay_apart(tmp_path, compiler):
    shutil.copytree(CSRC / "include", tmp_path / "csrc/include")
    shutil.copy(CSRC / "bundle.py", tmp_path / "csrc")
    (tmp_path / "csrc/src/base").mkdir(parents=True)
    shutil.copy(CSRC / "src/base/atomics.h", tmp_path / "csrc/src/base")
    (tmp_path / "csrc/src/base/one.c").write_text(ONE)
    (tmp_path / "csrc/src/base/two.c").write_text(TWO)
    run([sys.executable, tmp_path / "csrc/bundle.py", tmp_path], tmp_path)
    text = (tmp_path / "parquetext.c").read_text()
    assert "/* step is not a call */" in text and '"state"' in text and "ONLY_HERE_in" not in text
    (tmp_path / "both.c").write_text(BOTH)
    run([*compiler.split(), "-Wall", "-Wextra", "-Werror", "parquetext.c", "both.c", "-o", "both"], tmp_path)
    run([tmp_path / "both"], tmp_path)


def test_the_bundle_is_ordered_by_layers():
    layers = runpy.run_path(str(CSRC / "bundle.py"))["LAYERS"]
    assert set(layers) == {folder.name for folder in (CSRC / "src").iterdir() if folder.is_dir()}
