"""Write the library as one header and one compilation unit:  python csrc/bundle.py FOLDER

FOLDER gets `parquetext.h`, the public header, and `parquetext.c`, which contains all sources and internal headers, and
is both C11 and C++11. All functions and objects are static, except those of the public header (`-DPQX_PRIVATE=` makes
them global for tests; in C++, `-DPQX_PRIVATE='extern "C"'`). The same sources make the same bytes.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Container, Iterator
from pathlib import Path

CSRC = Path(__file__).resolve().parent
LAYERS = "base", "thrift", "encoding", "page", "arrow", "footer", "flat", "index", "packed", "modular", "sidecar"
PUBLIC = "parquetext.h"
TOP = """\
/* parquetext {version}: all C sources in one file, made by csrc/bundle.py. Do not edit.
 *     cc -std=c11 -O3 -c parquetext.c
 *     c++ -std=c++11 -O3 -x c++ -c parquetext.c
 * SPDX-License-Identifier: Apache-2.0 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "parquetext.h"

#if !defined(PQX_PRIVATE)
#define PQX_PRIVATE static
#endif
#if defined(__GNUC__)
/* Functions for other CPUs are not defined, and those of the Python package are not used. */
#pragma GCC diagnostic ignored "-Wunused-function"
#if defined(__cplusplus)
/* C's {0} sets all members to 0, and C's enumerators are integers. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wmissing-braces"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wpedantic" /* compound literals */
#if !defined(__clang__)
/* For C++, immintrin.h of GCC 12 reads variables that it does not set. */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif
#endif
"""

KEYWORDS = {"void", "enum", "struct", "union"}
NOT_CODE = r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'"""
NAME = re.compile(rf"{NOT_CODE}|(?:\.|->)\s*[A-Za-z_]\w*|[A-Za-z_]\w*", re.DOTALL)
TOKEN = re.compile(rf"{NOT_CODE}|(\w+|[^\s\w])", re.DOTALL)
INCLUDE = re.compile(r'^#include (?:"(.+)"|<(.+)>)$')
MACRO = re.compile(r"^#\s*define (\w+)", re.MULTILINE)
DIRECTIVE = re.compile(r"^#(?:\\\n|[^\n])*", re.MULTILINE)
QUALIFIER = re.compile(r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)|PQX_ATOMIC\([^()]*\)")
ENUMERATION = re.compile(r"\benum\b[^{};]*\{([^}]*)\}")
STRUCTURE = re.compile(r"\b(?:struct|union)\b[^{};()]*\{[^{}]*\}")
PROTOTYPE = re.compile(r"^(?!typedef|static)(?=[a-z][\w *\n]*?\bpqx_\w+\([^;{}]*\);)", re.MULTILINE)
PUBLIC_FUNCTION = re.compile(r"^PQX_API [^(;]*?\b(pqx_\w+)\(", re.MULTILINE)
OBJECT = re.compile(r"^const (?=\w+ (pqx_\w+))", re.MULTILINE)
DECLARED_OBJECT = re.compile(r"^extern const \w+ (pqx_\w+)[^;]*;\n", re.MULTILINE)


def headers() -> dict[str, str]:
    """Return the text of each internal header by the name by which it is included."""
    found = {path.name: path for path in (CSRC / "include").glob("*.h") if path.name != PUBLIC}
    found |= {path.relative_to(CSRC / "src").as_posix(): path for path in (CSRC / "src").glob("*/*.h")}
    return {name: found[name].read_text("utf-8") for name in sorted(found)}


def sources(layers: Container[str]) -> dict[str, str]:
    """Return the text of each source of these layers: lower ones first, in each those first that define shared objects.

    C++ has no tentative definitions, so that a static object cannot be declared before it is defined. Sources with the
    headers of a system are last, because these define macros with common names, such as `near` on Windows.
    """
    found = {path: path.read_text("utf-8") for path in (CSRC / "src").glob("*/*.c") if path.parent.name in layers}

    def place(path: Path) -> tuple[bool, int, bool, str]:
        is_port, layer = path.name.startswith("port_"), LAYERS.index(path.parent.name)
        return is_port, layer, not OBJECT.search(found[path]), path.name

    return {path.relative_to(CSRC / "src").as_posix(): found[path] for path in sorted(found, key=place)}


def names_in(text: str) -> set[str]:
    """Return the names that a file defines outside of functions, apart from macros and the functions `pqx_…`."""
    code = QUALIFIER.sub("", DIRECTIVE.sub("", text))
    tokens = [token for token in TOKEN.findall(code) if token]
    constants = ENUMERATION.findall(" ".join(tokens))
    names = {name for each in constants for name in re.findall(r"(?:^|,) *([A-Za-z]\w*)", each)}
    depth = 0
    for before, token, following, argument in zip(["", *tokens], tokens, tokens[1:], [*tokens[2:], ""]):  # noqa: B905
        depth += (token in "({[") - (token in ")}]")
        if depth or before == "=" or following not in "([={;" or not re.match("[A-Za-z]", token):
            continue
        if token.isupper() and following == "(":
            names.add(argument)  # the name of the function that a macro defines
        elif not (following == "(" and token.startswith("pqx_")):
            names.add(token)
    return names - KEYWORDS


def ambiguous(files: dict[str, str], shared: dict[str, str]) -> dict[str, set[str]]:
    """Return the names of each source that another source or a header also defines."""
    objects = {name for text in shared.values() for name in DECLARED_OBJECT.findall(text)}
    taken = {name for text in shared.values() for name in (*names_in(text), *MACRO.findall(text))} - objects
    own = {path: names_in(text) for path, text in files.items()}
    counts = Counter(name for names in own.values() for name in names)
    return {path: {name for name in names if counts[name] > 1 or name in taken} for path, names in own.items()}


def renamed(text: str, names: set[str], source: str) -> str:
    """Add the name of the source to names, except in comments and strings, and of members."""
    structures = [found.span() for found in STRUCTURE.finditer(text)]

    def new_name(found: re.Match) -> str:
        is_inside = any(start < found.start() < end for start, end in structures)
        is_member = is_inside and text[found.end() :].lstrip()[:1] in (";", ",", "[", ":")
        return f"{found[0]}_in_{source}" if found[0] in names and not is_member else found[0]

    return NAME.sub(new_name, text)


def change_of_depth(line: str) -> int:
    """Return how a line changes the number of open conditions."""
    return 1 if line.startswith("#if") else -1 if line.startswith("#endif") else 0


def unconditional_includes(text: str, depth: int = 0) -> Iterator[str]:
    """Yield the project's headers that a file includes for every CPU; `depth` is -1 if it has an include guard."""
    for line in text.splitlines():
        depth += change_of_depth(line)
        found = INCLUDE.match(line)
        if found and found[1] and not depth:
            yield found[1]


class Unit:
    """The compilation unit, while it is written."""

    def __init__(self, shared: dict[str, str]) -> None:
        self.shared = shared
        self.included = {PUBLIC}
        self.parts: list[str] = []

    def add_header(self, name: str) -> None:
        """Add a header after those that it includes, if the unit does not have it."""
        if name not in self.included:
            self.included.add(name)
            for other in unconditional_includes(self.shared[name], depth=-1):
                self.add_header(other)
            self.add(name, PROTOTYPE.sub("PQX_PRIVATE ", DECLARED_OBJECT.sub("", self.shared[name])))

    def add(self, name: str, text: str) -> None:
        """Add a file without the includes that the unit already has."""
        self.parts.append(f"\n/* ======== {name} ======== */\n{OBJECT.sub('PQX_PRIVATE const ', self._resolved(text))}")

    def _resolved(self, text: str) -> str:
        lines = []
        depth = 0
        for line in text.splitlines(keepends=True):
            depth += change_of_depth(line)
            found = INCLUDE.match(line.rstrip())
            name = found and (found[1] or found[2])
            if not found:
                lines.append(line)
            elif name not in self.included:
                lines.append(self._resolved(self.shared[name]) if found[1] else line)
                if not depth:
                    self.included.add(name)
        return "".join(lines)


def unit(layers: Container[str] = LAYERS) -> str:
    """Return a compilation unit of all layers, or of some of them."""
    shared, files = headers(), sources(layers)
    made = Unit(shared)
    for text in files.values():
        for name in unconditional_includes(text):
            made.add_header(name)
    names = ambiguous(files, shared)
    for path, text in files.items():
        made.add(path, renamed(text, names[path], Path(path).stem))
        made.parts += [f"#undef {macro}\n" for macro in dict.fromkeys(MACRO.findall(text))]
    version = re.search(r'PQX_VERSION "(.+)"', (CSRC / "include" / PUBLIC).read_text("utf-8"))[1]
    return TOP.replace("{version}", version) + "".join(made.parts)


def public_functions() -> list[str]:
    """Return the names of the functions of the public header."""
    return PUBLIC_FUNCTION.findall((CSRC / "include" / PUBLIC).read_text("utf-8"))


def main(arguments: list[str]) -> int:
    """Write both files."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "parquetext.c").write_text(unit(), "utf-8", newline="\n")
    (folder / PUBLIC).write_bytes((CSRC / "include" / PUBLIC).read_bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
