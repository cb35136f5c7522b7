"""Check what a wheel holds:  python wheels/check.py [--optional-jar] WHEEL...

Compiled modules are all of the stable ABI, one for each kernel; nothing else is in it but Python files, Cython's
sources, the parts of the layout's page, the jar of Spark's scan and the wheel's own records.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
ALLOWED = {".py", ".pyi", ".pyx", ".pxd", ".typed"}
DATA = "parquetext/inspection/layout/report"
JAR = PurePosixPath("parquetext/spark/jars/parquetext-spark_2.13.jar")


def problems(wheel: Path, needs_jar: bool = True) -> list[str]:
    kernels = {source.stem for source in (ROOT / "parquetext/_native").glob("*.pyx")}
    with zipfile.ZipFile(wheel) as archive:
        names = [PurePosixPath(name) for name in archive.namelist() if not name.endswith("/")]
    found = []
    if "-cp311-abi3-" not in wheel.name:
        found.append("its name does not say cp311-abi3")
    modules = [name for name in names if name.suffix == ".so"]
    for name in modules:
        if not name.name.endswith(".abi3.so") or name.parts[:2] != ("parquetext", "_native"):
            found.append(f"unexpected module {name}")
    if missing := kernels - {name.name.partition(".")[0] for name in modules}:
        found.append(f"no module for {', '.join(sorted(missing))}")
    data = {PurePosixPath(DATA, file.name) for file in (ROOT / DATA).iterdir()} | {JAR}
    if absent := data - set(names) - (set() if needs_jar else {JAR}):
        found.append(f"without {', '.join(sorted(map(str, absent)))}")
    packages = {name.parts[0] for name in names if not name.parts[0].endswith(".dist-info")}
    if packages != {"parquetext", "pyspark_parquetext"}:
        found.append(f"top-level names {', '.join(sorted(packages))}")
    for name in names:
        if name.parts[0] == "parquetext" and name.suffix not in ALLOWED and name not in (*modules, *data):
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
