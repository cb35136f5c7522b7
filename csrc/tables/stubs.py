"""Write type stubs of the compiled kernels: each one lists the exports of its module with the types of the twin.

python csrc/tables/stubs.py            write parquetext/_native/*.pyi
python csrc/tables/stubs.py --check    fail if they have drifted
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
NATIVE = ROOT / "parquetext" / "_native"
PURE = ROOT / "parquetext" / "_pure"
# Modules whose names the twin has in another one.
ELSEWHERE = {
    "reader": "name_table",
    "sidecar_columns": "sidecar_write",
    "sidecar_reader": "sidecar_read",
    "sidecar_writer": "sidecar_write",
}
OF_C_ALONE = {("reader", "FormReader"), ("sidecar_columns", "Columns")}  # shared by modules of C
HEAD = "# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.\n"


def exported(source: Path) -> list[str]:
    """The names that a module of Cython exports."""
    found = re.search(r"^__all__ = (\[.*?\])", source.read_text(), re.MULTILINE | re.DOTALL)
    if found is None:
        raise SystemExit(f"{source}: no __all__")
    return ast.literal_eval(found[1])


def stub(source: Path) -> str:
    """The text of the stub of one module."""
    twin = ELSEWHERE.get(source.stem, source.stem)
    there = (PURE / f"{twin}.py").read_text()
    lines = []
    for name in sorted(exported(source)):
        if (source.stem, name) in OF_C_ALONE:
            continue
        if not re.search(rf"\b{name}\b", there):
            raise SystemExit(f"{source}: the twin's {twin} has no {name}")
        lines.append(f"from .._pure.{twin} import {name} as {name}\n")
    return HEAD + "\n" + "".join(lines)


def main(check: bool) -> int:
    made = {source.with_suffix(".pyi"): stub(source) for source in sorted(NATIVE.glob("*.pyx"))}
    if check:
        there = {path: path.read_text() for path in NATIVE.glob("*.pyi")}
        drifted = sorted(path.name for path in made.keys() | there.keys() if made.get(path) != there.get(path))
        if drifted:
            print(f"run csrc/tables/stubs.py: {', '.join(drifted)} have drifted", file=sys.stderr)
        return bool(drifted)
    for path in {*NATIVE.glob("*.pyi")} - made.keys():
        path.unlink()
    for path, text in made.items():
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
