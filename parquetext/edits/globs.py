"""Match path patterns with Hadoop's semantics."""

from __future__ import annotations

import functools
import itertools
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

_SPECIAL = re.compile(r"[*?\[{\\]")
_TOKEN = re.compile(
    r"""\\(?P<escaped>.)
                      | \[(?P<negated>[!^]?)(?P<set>\](?:\\.|[^\]\\/])*|(?:\\.|[^\]\\/])+)\]
                      | (?P<any>\*+|\?)
                      | .""",
    re.DOTALL | re.VERBOSE,
)
_IN_SET = re.compile(r"\\(?P<escaped>.)|(?<=.)(?P<range>-)(?=.)|(?P<other>.)", re.DOTALL)
_NAME = "[^/]"
# No wildcard matches the start of a hidden name, or of one that begins with an underscore and is not a partition.
_VISIBLE = r"(?!(?<![^/])(?:\.|_[^=/]*(?:/|\Z)))"
_FOLDERS = f"(?:{_VISIBLE}{_NAME}+/)*"
_ROOT = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/]*")


class Glob(NamedTuple):
    """A folder, and the pattern to match below it; if the pattern is empty, the path is literal."""

    path: str
    pattern: str


def is_pattern(path: str) -> bool:
    """Return True if a path has special characters; a file with exactly this name takes precedence over the pattern."""
    return _SPECIAL.search(path) is not None


def places(path: str) -> list[Glob]:
    r"""Return the folders to search for a pattern.

    ``*``, ``?``, ``[a-c]`` and ``[!a]`` or ``[^a]`` match within a name; ``{a,b}`` matches either alternative, which
    may span names and be nested; ``\`` escapes a character; ``**`` alone matches any number of folders. Hidden names,
    and those that begin with ``_`` unless they contain ``=``, match only patterns that begin with that character.

    Return an empty list if a bracket, brace or escape is not closed: the path is not a pattern.

    Notes
    -----
    Alternatives that span names are separate entries, and may match the same file; those within a name match it once.
    Alternatives in folders before all wildcards are expanded, because a named folder is cheaper than a search.
    """
    url = _ROOT.match(path)
    root = "" if url is None else url[0]
    try:
        spelled_out = _spelled_out(path[len(root) :], lambda choices: "/" in choices)
        found = [position for each in spelled_out for position in dict.fromkeys(_places(each))]
    except re.error:
        return []
    return [position._replace(path=f"{root}{position.path}".rstrip("/")) for position in found] if root else found


def meant(path: str, is_there: Callable[[str], bool]) -> list[Glob]:
    """Return the places to search: the path itself if it exists, is not a pattern, or if no place is found."""
    if not is_pattern(path) or is_there(path):
        return [Glob(path, "")]
    return [position for position in places(path) if position.pattern or is_there(position.path)] or [Glob(path, "")]


def matching(
    glob: Glob, entries: Callable[[str, bool], Iterable[tuple[str, bool]]], is_there: Callable[[str], bool]
) -> Iterator[str]:
    """Yield the paths of matching files and folders in a place, found name by name.

    Parameters
    ----------
    glob : Place
    entries : callable
        Returns the names in a folder, each with True if it is a folder. Its second argument is True to follow links to
        folders, which may be cyclic. It returns nothing if the folder does not exist.
    is_there : callable
        Returns True if a path exists.
    """
    if not glob.pattern:
        if is_there(glob.path):
            yield glob.path
        return
    name, _, rest = glob.pattern.partition("/")
    if (plain := _literal(name)) is not None:
        yield from matching(Glob(posixpath.join(glob.path, plain), rest), entries, is_there)
        return
    if name == "**":
        yield from matching(Glob(glob.path, rest or "*"), entries, is_there)
    wanted = matcher("*" if name == "**" else name)
    for entry, is_folder in entries(glob.path, name != "**"):
        if wanted.fullmatch(entry):
            path = posixpath.join(glob.path, entry)
            if name == "**":
                if is_folder:
                    yield from matching(Glob(path, glob.pattern), entries, is_there)
            elif not rest:
                yield path
            elif is_folder:
                yield from matching(Glob(path, rest), entries, is_there)


def _places(path: str) -> Iterator[Glob]:
    named, names = [], path.split("/")
    for depth, name in enumerate(names):
        plain = _literal(name)
        if plain is None:
            break
        if plain or not depth:
            named.append(plain)
    else:
        yield Glob(_joined(named), "")
        return
    rest = "/".join(names[depth:])
    matcher(rest)  # raises if a part is not a pattern
    if any(token["any"] or token["set"] for token in _TOKEN.finditer(name)):
        yield Glob(_joined(named), rest)
        return
    for choice in filter(None, _spelled_out(name, lambda choices: True)):
        yield from _places("/".join([*names[:depth], choice, *names[depth + 1 :]]))


def _joined(names: list[str]) -> str:
    return "/" if names == [""] else "/".join(names)


def _spelled_out(path: str, is_meant: Callable[[str], bool]) -> list[str]:
    """Expand the braces that `is_meant` selects, and return the resulting patterns."""
    depth = 0
    cuts: list[int] = []
    for token in _TOKEN.finditer(path):
        if token[0] == "{":
            cuts, depth = cuts if depth else [token.start()], depth + 1
        elif depth == 1 and token[0] in ",}":
            cuts.append(token.start())
        if token[0] == "}" and depth:
            depth -= 1
            if not depth and is_meant(path[cuts[0] : cuts[-1]]):
                before, after = path[: cuts[0]], path[cuts[-1] + 1 :]
                return [
                    each
                    for begin, end in itertools.pairwise(cuts)
                    for each in _spelled_out(before + path[begin + 1 : end] + after, is_meant)
                ]
    return [path]


def _literal(name: str) -> str | None:
    """Return the name without escapes, or None if it is a pattern."""
    tokens = list(_TOKEN.finditer(name))
    if any(token["any"] or token["set"] or token[0] in ("{", "[", "\\") for token in tokens):
        return None
    return "".join(token["escaped"] or token[0] for token in tokens)


@functools.lru_cache(maxsize=256)
def matcher(pattern: str) -> re.Pattern:
    """Compile a pattern for `fullmatch` with paths relative to its folder; raise `re.error` if it is not a pattern."""
    *folders, last = pattern.split("/")
    parts = [_FOLDERS if name == "**" else f"{_of_name(name)}/" for name in folders]
    return re.compile("".join([*parts, f"{_FOLDERS}{_VISIBLE}{_NAME}+" if last == "**" else _of_name(last)]))


def _of_name(pattern: str) -> str:
    parts, depth, is_begun = [], 0, False
    for token in _TOKEN.finditer(pattern):
        kind = token.lastgroup
        if kind is None and token[0] in "{,}" and (depth or token[0] == "{"):
            parts.append({"{": "(?:", ",": "|", "}": ")"}[token[0]])
            depth += {"{": 1, "}": -1}.get(token[0], 0)
            continue
        if kind is None and token[0] in "[\\":
            raise re.error(f"{token[0]} at {token.start()} of {pattern!r} has no end")
        wild = "" if is_begun else _VISIBLE
        if kind == "any":
            parts.append(wild + _NAME + "*" * (token[0] != "?"))
        elif kind == "set":
            parts.append(f"{wild}(?!/)[{'^' * bool(token['negated'])}{_of_set(token['set'])}]")
        else:
            parts.append(re.escape(token["escaped"] or token[0]))
        is_begun = is_begun or not depth
    if depth:
        raise re.error(f"a brace of {pattern!r} has no end")
    return "".join(parts)


def _of_set(characters: str) -> str:
    tokens = _IN_SET.finditer(characters)
    return "".join("-" if token["range"] else re.escape(token["escaped"] or token["other"]) for token in tokens)
