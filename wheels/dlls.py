"""Check which DLLs the modules of a wheel for Windows load:  python wheels/dlls.py WHEEL..."""

from __future__ import annotations

import re
import sys
import zipfile

from pefile import DIRECTORY_ENTRY, PE

# Windows and every Python have these: no library of a compiler is needed.
EXPECTED = re.compile(r"kernel32\.dll|ucrtbase\.dll|api-ms-win-crt-[a-z0-9-]+\.dll|python3(\d+t)?\.dll")


def imported(module: bytes) -> list[str]:
    """Return the names of the DLLs that a module loads."""
    file = PE(data=module, fast_load=True)
    file.parse_data_directories([DIRECTORY_ENTRY["IMAGE_DIRECTORY_ENTRY_IMPORT"]])
    return sorted(each.dll.decode("ascii").lower() for each in file.DIRECTORY_ENTRY_IMPORT)


def main(wheels: list[str]) -> int:
    failed = not wheels
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if name.endswith(".pyd"):
                    found = imported(archive.read(name))
                    failed |= not all(map(EXPECTED.fullmatch, found))
                    print(f"{wheel}: {name} loads {', '.join(found)}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
