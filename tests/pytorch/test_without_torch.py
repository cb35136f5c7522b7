"""Without torch, everything else works, and the datasets say what to install."""

from __future__ import annotations

import subprocess
import sys


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_importing_the_packages_does_not_import_torch():
    assert run("import sys, parquetext.torch; parquetext.dataset; print('torch' in sys.modules)") == "False\n"


def test_a_dataset_without_torch_names_the_command_that_installs_it():
    program = """if True:
        import sys
        sys.modules["torch"] = None
        import parquetext
        try: parquetext.torch.MapDataset
        except parquetext.errors.Unsupported as error: print(error)"""
    assert run(program) == "parquetext.torch needs torch: pip install 'parquetext[torch]'\n"
