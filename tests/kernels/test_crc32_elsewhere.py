"""The CRC-32 routines that this machine's CPU cannot run: under qemu, and with a replaced instruction."""

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
LIBRARY = [*sorted((CSRC / "src" / "base").glob("crc32*.c")), CSRC / "src" / "base" / "xxh64.c"]
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
    return shutil.which(tool) or pytest.skip(f"{tool} is not installed: this CRC-32 routine was not run")


def test_the_wide_fold_with_its_instruction_replaced(tmp_path):
    library = [CSRC / "src" / "base" / "crc32.c", CSRC / "src" / "base" / "crc32_x86.c"]
    result = run(build([need("cc")], "test_crc32_wide.c", tmp_path, library))
    if result.returncode == SKIPPED:
        pytest.skip("this CPU has no AVX2: the wide fold was not run")
    assert "the_wide_fold_equals_the_portable_routine" in result.stdout


@pytest.mark.skipif(platform.machine() != "x86_64", reason="needs a compiler for x86-64")
def test_the_wide_fold_with_its_instruction_emulated(tmp_path):
    qemu = need("qemu-x86_64-static")
    result = run(qemu, "-cpu", "max", build([need("cc"), "-static"], "test_checksum.c", tmp_path, LIBRARY))
    assert "routine pclmul" in result.stdout
    if "routine vpclmul" not in result.stdout:
        pytest.skip("this qemu emulates no VPCLMULQDQ: the instruction itself was not run")


def test_the_routines_of_armv8_under_emulation(tmp_path):
    qemu = need("qemu-aarch64-static")
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("ziglang is not installed: the routines of ARMv8 were not run")
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-linux-musl", "-static"]
    program = build(zig, "test_checksum.c", tmp_path, LIBRARY)
    output = run(qemu, "-cpu", "max", program).stdout
    assert "parts_combine_at_every_cut" in output
    routines = [line.split()[1] for line in output.splitlines() if line.startswith("routine")]
    assert routines == ["pmull", "armv8", "slice16"]
