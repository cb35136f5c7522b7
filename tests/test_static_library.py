"""The check of the static library that a wheel contains."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.skipif(not (shutil.which("cc") and shutil.which("ar")), reason="needs cc and ar")


@pytest.fixture
def problems_of(tmp_path):
    """Return a function that makes an archive, and returns its problems."""
    problems = runpy.run_path(str(ROOT / "wheels/static_library.py"))["problems"]

    def problems_of(text: str, *flags: str, mode: str = "rcsD") -> list[str]:
        source = tmp_path / "src/base/one.c"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text)
        subprocess.run(["cc", *flags, "-c", "src/base/one.c"], cwd=tmp_path, check=True)
        subprocess.run(["ar", mode, "one.a", "one.o"], cwd=tmp_path, check=True)
        archive = (tmp_path / "one.a").read_bytes()
        (tmp_path / "one.a").unlink()
        return problems(archive)

    return problems_of


def test_a_deterministic_archive_has_no_problems(problems_of):
    assert problems_of("int one = 1;\n", "-g0") == []


def test_times_and_owners_are_found(problems_of):
    assert problems_of("int one = 1;\n", "-g0", mode="rcsU") == ["members have times or owners (use ar with D)"]


def test_an_archive_with_times_and_owners_is_made_plain(tmp_path):
    """As on macOS, whose ar always stores them; programs are linked to it as before."""
    (tmp_path / "one.c").write_text("int one(void) { return 1; }\n")
    (tmp_path / "a_long_name_of_a_source.c").write_text("int two(void) { return 2; }\n")
    (tmp_path / "main.c").write_text("int one(void), two(void);\nint main(void) { return one() + two() - 3; }\n")
    script = ROOT / "csrc/package/plain_archive.py"
    for command in (
        ["cc", "-g0", "-c", "one.c", "a_long_name_of_a_source.c"],
        ["ar", "rcsU", "both.a", "one.o", "a_long_name_of_a_source.o"],
        [sys.executable, script, "both.a"],
        ["cc", "main.c", "both.a", "-o", "main"],
        ["./main"],
    ):
        subprocess.run(command, cwd=tmp_path, check=True)
    problems = runpy.run_path(str(ROOT / "wheels/static_library.py"))["problems"]
    assert problems((tmp_path / "both.a").read_bytes()) == []


def test_debug_information_is_found(problems_of):
    assert "has debug information" in problems_of("int one = 1;\n", "-g")


def test_paths_of_the_build_are_found(problems_of):
    assert problems_of("const char *one = __FILE__;\n", "-g0") == ["contains paths of its build"]


def test_temporary_files_of_the_compiler_are_found(problems_of):
    text = 'const char *one = "/home/user/.cache/zig/tmp/7c28d85176df6b98-one.obj";\n'
    assert problems_of(text, "-g0") == ["contains paths of its build"]


def test_other_files_are_found():
    problems = runpy.run_path(str(ROOT / "wheels/static_library.py"))["problems"]
    assert problems(b"MZ") == ["is no archive"]
