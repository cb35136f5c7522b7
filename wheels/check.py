"""Check the contents of a wheel:  python wheels/check.py [--optional-jar] WHEEL...

It has one compiled library, of the stable ABI or of one free-threaded Python, and the C library with its header, for
programs that embed it. The wheel for any platform has neither. Otherwise a wheel has only Python files, the parts of
the layout's page, the jar of Spark's scan (with --optional-jar: or its sources) and the wheel's own records.
"""

from __future__ import annotations

import re
import sys
import zipfile
from pathlib import Path, PurePosixPath

import static_library

ROOT = Path(__file__).parents[1]
ALLOWED = {".py", ".pyi", ".typed"}
DATA = "parquetext/inspection/layout/report"
NATIVE = PurePosixPath("parquetext/_native")
LIBRARIES = re.compile(r"core\.abi3\.so|core\.cpython-\d+t-.*\.so|core(\.cp\d+t-.*)?\.pyd")
ARCHIVE = NATIVE / "lib/libparquetext.a"
REASON = NATIVE / "not_built.txt"
HEADER = PurePosixPath("parquetext/_native/include/parquetext.h")
JAR = PurePosixPath("parquetext/spark/jars/parquetext-spark.jar")
JAR_SOURCES = PurePosixPath("parquetext/spark/jars/sources.zip")  # in place of the jar, if there was no javac


def problems(wheel: Path, needs_jar: bool = True) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        names = [PurePosixPath(name) for name in archive.namelist() if not name.endswith("/")]
        static = [archive.read(str(ARCHIVE))] if ARCHIVE in names else []
    found = [f"its static library {problem}" for each in static for problem in static_library.problems(each)]
    tag = re.search(r"-(cp311-abi3|cp\d+-cp\d+t|py3-none)-[^-]+\.whl$", wheel.name)
    if not tag:
        found.append("its name states neither cp311-abi3, nor a free-threaded Python, nor py3-none")
    libraries = [name for name in names if name.suffix in (".so", ".pyd")]
    jar = JAR if needs_jar or JAR_SOURCES not in names else JAR_SOURCES
    data = {PurePosixPath(DATA, file.name) for file in (ROOT / DATA).iterdir()} | {jar}
    if tag and tag[1] == "py3-none":
        is_right = not libraries
        data |= {REASON}
    else:
        is_right = len(libraries) == 1 and libraries[0].parent == NATIVE and LIBRARIES.fullmatch(libraries[0].name)
        data |= {HEADER, ARCHIVE}
    if not is_right:
        found.append(f"compiled libraries: {', '.join(map(str, libraries)) or 'none'}")
    if absent := data - set(names):
        found.append(f"without {', '.join(sorted(map(str, absent)))}")
    packages = {name.parts[0] for name in names if not name.parts[0].endswith(".dist-info")}
    if packages != {"parquetext", "pyspark_parquetext"}:
        found.append(f"top-level names {', '.join(sorted(packages))}")
    for name in names:
        if name.parts[0] == "parquetext" and name.suffix not in ALLOWED and name not in (*libraries, *data):
            found.append(f"unexpected file {name}")
    return found


def main(arguments: list[str]) -> int:
    failed = 0
    wheels = [each for each in arguments if each != "--optional-jar"]
    for wheel in map(Path, wheels):
        found = problems(wheel, needs_jar="--optional-jar" not in arguments)
        failed += bool(found)
        print(f"{wheel.name}: {'; '.join(found) or 'fine'}")
    return 1 if failed or not wheels else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
