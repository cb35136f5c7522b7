"""The wheel for aarch64 under emulation: its compiled kernels agree with their twin."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from install.conftest import only

ROOT = Path(__file__).parents[2]
EMULATOR = shutil.which("qemu-aarch64-static")
SYSTEM = os.environ.get("PARQUETEXT_ARM64_ROOT")  # made by wheels/arm64-root.sh
PLATFORMS = "manylinux_2_28_aarch64", "manylinux_2_17_aarch64", "manylinux2014_aarch64"
# Programs that a test starts are not emulated.
STARTS_PROGRAMS = "not constants_are_those_that_the_script_derives"

pytestmark = [
    pytest.mark.skipif(not EMULATOR, reason="needs qemu-aarch64-static"),
    pytest.mark.skipif(not SYSTEM, reason="needs wheels/arm64-root.sh FOLDER, and PARQUETEXT_ARM64_ROOT=FOLDER"),
]


@pytest.fixture(scope="module")
def emulated(built, tmp_path_factory):
    """Return a function that runs Python for aarch64 with the wheel and the requirements of its tests."""
    site = tmp_path_factory.mktemp("site")
    platforms = [option for platform in PLATFORMS for option in ("--platform", platform)]
    command = [sys.executable, "-m", "pip", "install", "-q", "--target", site, "--only-binary", ":all:", *platforms]
    wheel = only(built, "*-abi3-*_aarch64.whl")
    subprocess.run([*command, "--python-version", "3.11", f"{wheel}[dev]"], check=True)

    def emulated(*arguments: object) -> str:
        python = Path(SYSTEM, "usr/bin/python3.11")
        environment = os.environ | {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [EMULATOR, "-L", SYSTEM, python, "-P", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-5000:] + done.stderr
        return done.stdout

    return emulated


def test_the_kernels_are_compiled_for_aarch64(emulated):
    assert emulated(ROOT / "wheels/smoke.py").startswith("native kernels on aarch64")


@pytest.mark.timeout(3600)
def test_the_kernels_pass_their_tests_on_both_implementations(emulated, kernel_tests):
    out = emulated("-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "fast", "-k", STARTS_PROGRAMS, *kernel_tests)
    assert " passed" in out and "skipped: the compiled kernels" not in out
