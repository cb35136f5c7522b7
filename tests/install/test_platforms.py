"""The platforms for which wheels are built."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLATFORMS = {
    "linux": ["manylinux_x86_64", "manylinux_aarch64", "musllinux_x86_64", "musllinux_aarch64"],
    "macos": ["macosx_x86_64", "macosx_arm64"],
    "windows": ["win_amd64"],
}
CIBUILDWHEEL = shutil.which("cibuildwheel", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")

pytestmark = pytest.mark.skipif(not CIBUILDWHEEL, reason="needs cibuildwheel")


@pytest.mark.parametrize("system", PLATFORMS)
def test_each_platform_has_a_wheel_for_all_pythons_and_one_for_free_threaded_ones(system):
    command = [CIBUILDWHEEL, "--print-build-identifiers", "--platform", system, ROOT]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    expected = {f"{python}-{platform}" for python in ("cp311", "cp314t") for platform in PLATFORMS[system]}
    assert set(done.stdout.split()) == expected
