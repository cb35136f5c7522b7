"""The package imported from a zip: compiled if possible, otherwise the twin with the reason."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import parquetext

PACKAGE = Path(parquetext.__file__).parent
ASK = """
import json, parquetext
from parquetext import kernels
print(json.dumps([parquetext.__file__, kernels.implementation(), kernels.reason(), kernels.varint.__file__,
                  kernels.varint.decode32(b"\\x96\\x01")]))
"""
ARCHIVES = "pip install the wheel, or set TMPDIR to a folder of this user"  # where a C compiler is no remedy
AARCH64, MACHINE_OFFSET = 183, 18  # of e_machine in an ELF header


@pytest.fixture(autouse=True, scope="module")
def _compiled():
    if not list((PACKAGE / "_native").glob("*.so")):
        pytest.skip("the compiled kernels are not built")


def zipped(path: Path, machine: int | None = None, folder: str = "") -> Path:
    """Return the package in a folder of a zip; its compiled modules claim to be built for `machine`."""
    with zipfile.ZipFile(path, "w") as archive:
        for file in PACKAGE.rglob("*"):
            if file.suffix in (".py", ".so"):
                content = bytearray(file.read_bytes())
                if machine and file.suffix == ".so":
                    content[MACHINE_OFFSET : MACHINE_OFFSET + 2] = machine.to_bytes(2, "little")
                archive.writestr(folder + file.relative_to(PACKAGE.parent).as_posix(), content)
    return path


def ask(archive: Path, temporary: Path) -> list:
    temporary.mkdir(exist_ok=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PARQUETEXT_")}
    environment |= {"PYTHONPATH": str(archive), "TMPDIR": str(temporary)}
    asked = subprocess.run([sys.executable, "-c", ASK], env=environment, cwd=temporary, capture_output=True, text=True)
    assert asked.returncode == 0, asked.stderr
    assert not asked.stderr or ARCHIVES in asked.stderr, asked.stderr
    return json.loads(asked.stdout)


def test_compiled_kernels_are_copied_out_and_run(tmp_path):
    archive = zipped(tmp_path / "package.zip")
    for _ in range(2):  # the second time they are there already
        file, implementation, reason, module, answer = ask(archive, tmp_path / "tmp")
        assert file.startswith(f"{archive}/")
        assert (implementation, reason, answer) == ("native", "", [150, 2])
        assert module.startswith(f"{tmp_path}/tmp/parquetext-{os.getuid()}/")
    (position,) = (tmp_path / "tmp").glob("parquetext-*/*")
    assert {path.name for path in position.iterdir()} == {path.name for path in (PACKAGE / "_native").glob("*.so")}
    assert position.stat().st_mode & 0o777 == 0o700


def test_the_package_may_be_in_a_folder_of_the_archive(tmp_path):
    archive = zipped(tmp_path / "packages.zip", folder="lib/python/")
    file, implementation, reason, *_ = ask(archive / "lib/python", tmp_path / "tmp")
    assert file == f"{archive}/lib/python/parquetext/__init__.py"
    assert (implementation, reason) == ("native", "")


def test_another_architectures_kernels_give_way_to_the_twin(tmp_path):
    _, implementation, reason, module, answer = ask(zipped(tmp_path / "package.zip", AARCH64), tmp_path / "tmp")
    assert (implementation, answer) == ("pure", [150, 2])
    assert reason.startswith("no compiled kernels for this Python: ")
    assert "_pure" in module


def test_nothing_is_loaded_from_folders_that_others_can_write(tmp_path):
    archive = zipped(tmp_path / "package.zip")
    ask(archive, tmp_path / "tmp")
    (home,) = (tmp_path / "tmp").glob("parquetext-*")
    home.chmod(0o777)
    _, implementation, reason, *_ = ask(archive, tmp_path / "tmp")
    assert implementation == "pure"
    assert f"{home} is not a private directory of this user" in reason
