"""Where a file's sidecar is: beside it, under a name that Spark, Hive and pyarrow's datasets pass over."""

from __future__ import annotations

import os
import posixpath

from ..storage import LocalTarget, RemoteTarget, resolve

__all__ = ["candidates", "sidecar_path"]

ALONE, OF_ALONE = "data.parquet", "_pm"
SUFFIXES = (".parquet", ".parq", ".pq")

Target = LocalTarget | RemoteTarget


def candidates(path: object) -> list[Target]:
    """Where the sidecar of the file at `path` may be, the likelier place first.

    ``_NAME.pm``, and for ``data.parquet`` also ``_pm``.
    """
    target = resolve(path)
    folder, name = _split(target)
    names = [f"_{name}.pm", OF_ALONE] if name == ALONE else [f"_{name}.pm"]
    return [_beside(target, folder, other) for other in names]


def sidecar_path(path: object) -> Target:
    """Where to write it: ``_pm`` beside a ``data.parquet`` that is the only Parquet file there, else ``_NAME.pm``."""
    target = resolve(path)
    folder, name = _split(target)
    alone = name == ALONE and not any(map(_is_another, _names(target, folder)))
    return _beside(target, folder, OF_ALONE if alone else f"_{name}.pm")


def _is_another(name: str) -> bool:
    return name != ALONE and name.endswith(SUFFIXES) and not name.startswith(("_", "."))


def _split(target: Target) -> tuple[str, str]:
    return (os.path if isinstance(target, LocalTarget) else posixpath).split(target.path)


def _beside(target: Target, folder: str, name: str) -> Target:
    if isinstance(target, LocalTarget):
        return LocalTarget(os.path.join(folder, name))
    return RemoteTarget(target.filesystem, posixpath.join(folder, name))


def _names(target: Target, folder: str) -> list[str]:
    if isinstance(target, LocalTarget):
        return os.listdir(folder or ".")
    import pyarrow.fs as pafs

    infos = target.filesystem.get_file_info(pafs.FileSelector(folder, allow_not_found=True))
    return [info.base_name for info in infos]
