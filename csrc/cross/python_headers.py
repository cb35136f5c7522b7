"""Copy this Python's headers for modules of the limited API on another system:  python python_headers.py FOLDER

The copy has `python_target.h` as its `pyconfig.h`, which describes the target instead of this machine.
"""

from __future__ import annotations

import shutil
import sys
import sysconfig
from pathlib import Path

TARGET = Path(__file__).with_name("python_target.h")


def copy_headers(folder: Path) -> None:
    """Write the headers into a folder, which need not exist."""
    shutil.copytree(sysconfig.get_path("include"), folder, dirs_exist_ok=True)
    shutil.copyfile(TARGET, folder / "pyconfig.h")


if __name__ == "__main__":
    copy_headers(Path(sys.argv[1]))
