"""Many files at once: what paths, directories and globs stand for, and one result for each file."""

from __future__ import annotations

import glob
import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator

from ..errors import ParquetextError
from ..storage import LocalTarget, RemoteTarget, open_source, resolve

__all__ = ["WILDCARD", "each", "expand", "glob_pattern", "is_parquet", "is_skipped", "many"]

Outcome = tuple[object, object | None, Exception | None]

SUFFIXES = (".parquet", ".parq", ".pq")
MAGICS = (b"PAR1", b"PARE", b"PAR3")
WILDCARD = re.compile(r"[*?[]")


def many(paths: Iterable[object] | str, action: Callable, **options) -> Iterator[Outcome]:
    """Apply `action(path, **options)` to every file that `paths` stand for.

    Yields (path, result, None), or (path, None, error) for a file that failed: one bad file does not stop the others.
    """
    return each(expand(paths), lambda path: action(path, **options))


def each(targets: Iterable[object], action: Callable) -> Iterator[Outcome]:
    """`action(target)` for each of them; what it raises becomes that file's error."""
    for target in targets:
        try:
            yield target, action(target), None
        except Exception as error:
            yield target, None, error


def expand(paths: Iterable[object] | str) -> Iterator[object]:
    """The files that paths, directories, globs and URIs stand for, each once, sorted within each of `paths`.

    A directory stands for all Parquet files below it, partitions included: names that end in .parquet, .parq or .pq,
    and names without any suffix whose content ends as Parquet files do. Hidden names and those that begin with ``_``
    are skipped there, and by globs, except directories such as ``_day=1``. A path that is named in full is always
    taken, also if nothing is there: whoever opens it then says so.
    """
    seen = set()
    for path in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
        target = resolve(path)
        local = isinstance(target, LocalTarget)
        for found in _expand_local(target.path) if local else _expand_remote(target):
            if str(found) not in seen:
                seen.add(str(found))
                yield found


def is_skipped(name: str) -> bool:
    """Whether Spark and Hive leave a file or folder of this name alone."""
    return (name.startswith(".") and name not in (".", "..")) or (name.startswith("_") and "=" not in name)


def _expand_local(path: str) -> Iterator[str]:
    if os.path.isdir(path):
        yield from _walk(path)
    elif os.path.lexists(path) or not WILDCARD.search(path):
        yield path
    else:
        base = os.path.dirname(path[:WILDCARD.search(path).start()])
        for found in sorted(glob.glob(path, recursive=True)):
            if any(map(is_skipped, os.path.relpath(found, base or ".").split(os.sep))):
                continue
            yield from _walk(found) if os.path.isdir(found) else [found]


def _walk(folder: str) -> Iterator[str]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not is_skipped(name))
        for name in sorted(files):
            path = os.path.join(parent, name)
            if is_parquet(name, path):
                yield path


def is_parquet(name: str, path: object) -> bool:
    """Whether a directory stands for this file of it; one without a suffix is looked into."""
    if is_skipped(name):
        return False
    if "." in name:
        return name.lower().endswith(SUFFIXES)
    try:
        with open_source(path) as source:
            return source.read_tail(4)[1] in MAGICS
    except (OSError, ParquetextError):
        return False


def _expand_remote(target: RemoteTarget) -> Iterator[RemoteTarget]:
    import pyarrow.fs as pafs

    filesystem, path = target.filesystem, target.path
    wildcard = WILDCARD.search(path)
    if wildcard:
        base, wanted = posixpath.dirname(path[:wildcard.start()]), glob_pattern(path)
    elif filesystem.get_file_info(path).type == pafs.FileType.Directory:
        base, wanted = path, None
    else:
        yield target
        return
    infos = filesystem.get_file_info(pafs.FileSelector(base, recursive=True, allow_not_found=True))
    for info in sorted((info for info in infos if info.is_file), key=lambda info: info.path):
        found = RemoteTarget(filesystem, info.path)
        if any(map(is_skipped, posixpath.relpath(info.path, base or ".").split("/"))):
            continue
        if wanted.fullmatch(info.path) if wanted else is_parquet(info.base_name, found):
            yield found


def glob_pattern(path: str) -> re.Pattern:
    """``*`` and ``?`` stay within a name, ``**`` stands for any number of folders."""
    parts = []
    for piece in re.split(r"(\*\*/|\*\*|\*|\?|\[[^\]]*\])", path):
        translated = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(piece)
        if translated is None:
            is_set = piece.startswith("[") and piece.endswith("]")
            translated = piece.replace("[!", "[^") if is_set else re.escape(piece)
        parts.append(translated)
    return re.compile("".join(parts))
