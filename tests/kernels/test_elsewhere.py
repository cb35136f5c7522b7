"""Code for other CPUs, run under qemu or with a replaced instruction."""

from __future__ import annotations

import importlib.util
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CSRC = Path(__file__).parents[2] / "csrc"
FLAGS = ["-std=c11", "-O2", "-D_GNU_SOURCE", f"-I{CSRC / 'include'}", f"-I{CSRC / 'src'}"]
BASE = CSRC / "src" / "base"
CHECKSUMS = [*sorted(BASE.glob("crc32*.c")), BASE / "xxh64.c", BASE / "port_posix.c"]
LOOPS = [
    path
    for name in ("bits", "encode_arm", "encode_choice", "encode_split", "expand", "loops", "scale", "split", "sums")
    for path in (CSRC / "src" / "encoding").glob(f"{name}*.c")
]
SKIPPED = 77


def build(compiler: list[str], test: str, folder: Path, library: list[Path]) -> Path:
    program = folder / Path(test).stem
    subprocess.run([*compiler, *FLAGS, CSRC / "tests" / test, *library, "-o", program], check=True)
    return program


def run(*command) -> subprocess.CompletedProcess:
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode in (0, SKIPPED), result.stdout + result.stderr
    return result


def need(tool: str) -> str:
    return shutil.which(tool) or pytest.skip(f"{tool} is not installed: these routines were not run")


def test_the_wide_fold_with_its_instruction_replaced(tmp_path):
    library = [CSRC / "src" / "base" / "crc32.c", CSRC / "src" / "base" / "crc32_x86.c"]
    result = run(build([need("cc")], "test_crc32_wide.c", tmp_path, library))
    if result.returncode == SKIPPED:
        pytest.skip("this CPU has no AVX2: the wide fold was not run")
    assert "the_wide_fold_equals_the_portable_routine" in result.stdout


@pytest.mark.skipif(platform.machine() != "x86_64", reason="needs a compiler for x86-64")
def test_the_wide_fold_with_its_instruction_emulated(tmp_path):
    qemu = need("qemu-x86_64-static")
    result = run(qemu, "-cpu", "max", build([need("cc"), "-static"], "test_checksum.c", tmp_path, CHECKSUMS))
    assert "routine pclmul" in result.stdout
    if "routine vpclmul" not in result.stdout:
        pytest.skip("this qemu emulates no VPCLMULQDQ: the instruction itself was not run")


def run_on_arm(test: str, folder: Path, library: list[Path]) -> list[str]:
    """The lines that a C test prints on ARMv8, emulated."""
    qemu = need("qemu-aarch64-static")
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("ziglang is not installed: the routines of ARMv8 were not run")
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-linux-musl", "-static"]
    return run(qemu, "-cpu", "max", build(zig, test, folder, library)).stdout.splitlines()


@pytest.mark.usefixtures("long")
def test_the_checksums_of_armv8_under_emulation(tmp_path):
    output = run_on_arm("test_checksum.c", tmp_path, CHECKSUMS)
    assert "ok parts_combine_at_every_cut" in output
    routines = [line.split()[1] for line in output if line.startswith("routine")]
    assert routines == ["pmull", "armv8", "slice16"]


@pytest.mark.usefixtures("long")
def test_the_loops_of_neon_under_emulation(tmp_path):
    output = run_on_arm("test_loops.c", tmp_path, LOOPS)
    assert output[:4] == ["loops neon", "loops portable", "encode neon", "encode portable"]
    assert {"ok unpacking_is_alike", "ok joining_is_alike", "ok sums_are_alike", "ok splitting_is_alike"} <= set(output)
