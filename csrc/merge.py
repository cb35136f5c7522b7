"""Write the Cython modules of the kernels as one module:  python csrc/merge.py FOLDER

FOLDER gets `core.pyx`, `core.pxd`, and a copy of each source, which `core` includes. Apart, the modules would take
twice the time to compile and twice the space, because Cython adds the same code to each. Names that several modules
define get the name of their module in front. Lines keep their numbers, for tracebacks. `core.EXPORTS` has a line for
each module: its name and its exports, each as `name` or `name=name_in_core`.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

NATIVE = Path(__file__).resolve().parents[1] / "parquetext" / "_native"
NOT_CODE = r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#[^\n]*'
NAME = re.compile(rf"{NOT_CODE}|(?<![\w.])[A-Za-z_]\w*", re.DOTALL)
IMPORT = re.compile(r"^from \.(\w+) (c?import) (\([^)]*\)|.*)\n", re.MULTILINE)
EXPORTS = re.compile(r"^__all__ = (\[.*?\])\n", re.MULTILINE | re.DOTALL)
DEFINITIONS = (
    re.compile(r"^(?:cdef |ctypedef )?(?:def|class|struct|enum) (\w+)", re.MULTILINE),
    re.compile(r"^cdef (?!class |struct |enum|extern )[^(=\n]*?\b(\w+)(?: = |\(|$)", re.MULTILINE),
    re.compile(r"^ctypedef [^\n]*\(\*(\w+)\)", re.MULTILINE),
)
ASSIGNED = re.compile(r"^((?:[A-Za-z_]\w*(?:, | = ))+)(?<= = )", re.MULTILINE)
CONSTANTS = re.compile(r"^cdef enum:\n((?:    .*\n)+)", re.MULTILINE)


class Module(NamedTuple):
    """A module: its declarations and its code, and the names of other modules that it imports, with their module."""

    declarations: str
    code: str
    imported: dict[str, str]

    def exported(self) -> list[str]:
        return ast.literal_eval(EXPORTS.search(self.code)[1])

    def defined(self) -> set[str]:
        text = self.declarations + "\n" + self.code
        found = {name for pattern in DEFINITIONS for name in pattern.findall(text)}
        found |= {name for names in ASSIGNED.findall(text) for name in re.findall(r"\w+", names)}
        found |= {name for body in CONSTANTS.findall(text) for name in re.findall(r"^ +(\w+)", body, re.MULTILINE)}
        return found - {"__all__"}


def modules() -> dict[str, Module]:
    """Return the modules by name, each one after those that it imports."""
    codes = {path.stem: path.read_text("utf-8") for path in sorted(NATIVE.glob("*.pyx"))}
    found: dict[str, Module] = {}

    def add(name: str) -> None:
        if name in found:
            return
        declarations = NATIVE / f"{name}.pxd"
        text = declarations.read_text("utf-8") if declarations.exists() else ""
        imported = {
            each: source
            for source, _, names in IMPORT.findall(text + codes[name])
            if source in codes
            for each in re.findall(r"\w+", names)
        }
        for source in sorted(set(imported.values())):
            add(source)
        found[name] = Module(text, codes[name], imported)

    for name in codes:
        add(name)
    return found


def new_names(found: dict[str, Module]) -> dict[str, dict[str, str]]:
    """Return for each module the names that get another one in `core`."""
    defined = {name: module.defined() for name, module in found.items()}
    counts = Counter(each for names in defined.values() for each in names)
    own = {
        name: {each: f"{name}_{each}" for each in names if counts[each] > 1 or hasattr(builtins, each)}
        for name, names in defined.items()
    }
    return {
        name: own[name] | {each: own[source][each] for each, source in module.imported.items() if each in own[source]}
        for name, module in found.items()
    }


def merged(text: str, names: dict[str, str], others: set[str]) -> str:
    """Return the text of a module with the new names, and without imports of other modules."""

    def new_name(match: re.Match) -> str:
        return names.get(match[0], match[0])

    def without(match: re.Match) -> str:
        return "\n" * match[0].count("\n") if match[1] in others else match[0]

    text = IMPORT.sub(without, EXPORTS.sub(lambda match: "\n" * match[0].count("\n"), text))
    return NAME.sub(new_name, text)


def export_line(name: str, module: Module, names: dict[str, str]) -> str:
    exports = (each if each not in names else f"{each}={names[each]}" for each in module.exported())
    return " ".join([name, *exports])


def main(arguments: list[str]) -> int:
    """Write all files; files that would not change are not touched."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    found = modules()
    names = new_names(found)
    files = {}
    for name, module in found.items():
        files[f"{name}.pyx"] = merged(module.code, names[name], set(found))
        files[f"{name}.inc"] = merged(module.declarations, names[name], set(found))
    exports = "\n".join(export_line(name, module, names[name]) for name, module in found.items())
    files["core.pyx"] = "".join(f'include "{name}.pyx"\n' for name in found) + f'\nEXPORTS = """{exports}"""\n'
    files["core.pxd"] = "".join(f'include "{name}.inc"\n' for name, module in found.items() if module.declarations)
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        path = folder / file
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
