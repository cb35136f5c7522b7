"""The paths of a file's sidecar: beside it, under a name that Spark, Hive and pyarrow's datasets ignore."""

from __future__ import annotations

import os
import posixpath
import re

from ..storage import Target, resolve

ALONE, OF_ALONE = "data.parquet", "_pm"
OURS = re.compile(r"_(.+)\.pm", re.DOTALL)  # names that only parquetext gives; the group is the file
SUFFIXES = (".parquet", ".parq", ".pq")


def likeliest(path: str) -> str:
    """Return the first path to try for the sidecar of a local file."""
    folder, name = _split(path)
    return f"{folder}_{name}.pm"


def candidates(path: object) -> list[Target]:
    """Return the possible paths of the sidecar of the file at `path`, the likelier one first.

    ``_NAME.pm``, and for ``data.parquet`` also ``_pm``.

    Parameters
    ----------
    path : str, os.PathLike, or (pyarrow.fs.FileSystem, str)
        As `parquetext.open` takes it.

    Returns
    -------
    list of Target

    Examples
    --------
    >>> from parquetext import sidecar
    >>> [str(place) for place in sidecar.candidates("lake/data.parquet")]
    ['lake/_data.parquet.pm', 'lake/_pm']
    """
    target = resolve(path)
    folder, name = _split(target.path, is_local=target.is_local)
    positions = [f"{folder}_{name}.pm", *([folder + OF_ALONE] if name == ALONE else [])]
    return [_like(target, position) for position in positions]


def sidecar_path(path: object) -> Target:
    """Return the path to write: ``_pm`` for a ``data.parquet`` without other Parquet files, else ``_NAME.pm``.

    Parameters
    ----------
    path
        As for `candidates`.

    Returns
    -------
    Target

    Raises
    ------
    OSError
        If the folder cannot be listed.

    Examples
    --------
    >>> from parquetext import sidecar
    >>> os.path.basename(str(sidecar.sidecar_path("wide.parquet")))
    '_wide.parquet.pm'
    """
    target = resolve(path)
    folder, name = _split(target.path, is_local=target.is_local)
    alone = name == ALONE and not any(map(_is_another, _names(target, folder)))
    return _like(target, folder + OF_ALONE if alone else f"{folder}_{name}.pm")


def _is_another(name: str) -> bool:
    return name != ALONE and name.endswith(SUFFIXES) and not name.startswith(("_", "."))


def _split(path: str, *, is_local: bool = True) -> tuple[str, str]:
    """Return the folder with its separator, and the name."""
    name = (os.path if is_local else posixpath).basename(path)
    return path[: len(path) - len(name)], name


def _like(target: Target, path: str) -> Target:
    """Return another path of the same filesystem."""
    return target.at(path)


def _names(target: Target, folder: str) -> list[str]:
    if target.is_local:
        return os.listdir(folder or ".")
    import pyarrow.fs as pafs

    infos = target.arrow_filesystem.get_file_info(pafs.FileSelector(folder.rstrip("/"), allow_not_found=True))
    return [info.base_name for info in infos]
