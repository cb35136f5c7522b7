"""Check which glibc the libraries of a wheel need:  python wheels/glibc.py --newest 2.17 WHEEL..."""

from __future__ import annotations

import argparse
import io
import sys
import zipfile
from collections.abc import Iterator

from elftools.elf.elffile import ELFFile


def versions(library: bytes) -> Iterator[tuple[int, ...]]:
    """Yield the versions of glibc's symbols that a shared library requires."""
    needed = ELFFile(io.BytesIO(library)).get_section_by_name(".gnu.version_r")
    for _, symbols in needed.iter_versions() if needed else ():
        for symbol in symbols:
            name, _, number = symbol.name.partition("_")
            if name == "GLIBC":
                yield tuple(map(int, number.split(".")))


def main() -> int:
    parser = argparse.ArgumentParser(description="Check which glibc the libraries of wheels need.")
    parser.add_argument("--newest", required=True, help="the newest version that they may need")
    parser.add_argument("wheels", nargs="+", metavar="WHEEL")
    options = parser.parse_args()
    limit, failed = tuple(map(int, options.newest.split("."))), 0
    for wheel in options.wheels:
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if name.endswith(".so"):
                    newest = max(versions(archive.read(name)), default=(0,))
                    failed += newest > limit
                    print(f"{wheel}: {name} needs glibc {'.'.join(map(str, newest))}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
