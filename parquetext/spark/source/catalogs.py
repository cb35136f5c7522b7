"""Plan reads from a stored catalog instead of footers, and on request list files from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa

from ...arrow.datasets.discovery import NO_KEYS, UNKNOWN, Files, Found
from ...catalog.cover import Cover, Kept
from ...catalog.picked_rows import rows_of
from ...errors import Unsupported
from ...masking import is_masked
from ...pruning import Predicate
from ...storage import Target
from ..filesystems import local_path
from .calendars import SWITCH_MOMENT
from .reader_options import Options


def files_of_catalog(options: Options, catalog: Target, targets: Sequence[Target]) -> list[Files]:
    """Return the catalog's files at or below each path, sorted by path."""
    rows = rows_of(catalog).one_per_row_group(["file", "file_size", "modified"])
    known = rows.group_by("file", use_threads=False).aggregate([("file_size", "max"), ("modified", "max")])
    remote = any(not target.is_local for target in targets)
    if masked := next(filter(is_masked, known["file"].to_pylist() if remote else []), None):
        raise Unsupported(f"{masked}: a catalog stores no credentials of URLs, so this file has to be listed")
    path_of = _path_of(options)
    columns = (known[name].to_pylist() for name in ("file", "file_size_max", "modified_max"))
    files = sorted(
        (path_of(file), UNKNOWN if size is None else size, UNKNOWN if modified is None else modified)
        for file, size, modified in zip(*columns, strict=True)
    )
    return [_below(target, files) for target in targets]


def select_by_catalog(
    options: Options,
    catalog: Target,
    files: Sequence[Found],
    predicate: Predicate,
    types: Mapping[str, pa.DataType],
    given: Mapping[str, pa.Array],
) -> tuple[dict[int, Kept], list[int]]:
    """Return the selected row groups of each unchanged file by its number, and the files that the catalog lacks.

    `given` contains, for each file, its partition values.
    """
    listed = ([getattr(file, name) for file in files] for name in ("path", "size", "modified"))
    cover = Cover(catalog, *listed, path_of=_path_of(options), since=SWITCH_MOMENT)
    return cover.left(predicate, types, given), cover.others


def _path_of(options: Options) -> Callable[[str], str]:
    """Return a function from a file's URL to its path in its filesystem; each folder is resolved once."""
    folders: dict[str, str] = {}

    def path_of(url: str) -> str:
        local = url if url.startswith("/") else local_path(url)  # most are plain paths
        if local is not None:
            return local
        folder, _, name = url.rpartition("/")
        if is_masked(url):  # no file has such a path: the file counts as unknown
            return url
        if folder not in folders:
            folders[folder] = options.target(folder).path.rstrip("/")
        return f"{folders[folder]}/{name}"

    return path_of


def _below(target: Target, files: Sequence[tuple[str, int, int]]) -> Files:
    folder = target.path.rstrip("/") + "/"
    chosen = [file for file in files if file[0].startswith(folder) or file[0] == target.path]
    paths, sizes, modified = (list(column) for column in zip(*chosen, strict=True)) if chosen else ([], [], [])
    found = Files()
    filesystem = target.filesystem
    found.extend(filesystem, paths, [NO_KEYS] * len(paths), sizes, modified)
    return found
