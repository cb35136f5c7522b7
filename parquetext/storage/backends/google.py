"""Google Cloud Storage through pyarrow."""

from __future__ import annotations

from ..backend import Capability, Entry
from ..paths import Target
from .arrow_filesystem import ArrowBackend


class GoogleBackend(ArrowBackend):
    """Lists folders from the objects below them: pyarrow omits folders for which there is no object."""

    schemes, type_names = ("gs", "gcs"), ("gcs",)
    capabilities = Capability.REPLACE | Capability.VERSION_TAGS

    def list(self, target: Target, *, recursive: bool = False) -> list[Entry]:
        entries = super().list(target, recursive=True)
        if recursive:
            return entries
        base = f"{target.path.rstrip('/')}/"
        names = [(entry.path.removeprefix(base), entry) for entry in entries]
        folders = {name.partition("/")[0] for name, entry in names if entry.is_folder or "/" in name}
        files = [entry for name, entry in names if not entry.is_folder and "/" not in name]
        return files + [Entry(base + name, True, 0, 0) for name in sorted(folders)]


BACKEND = GoogleBackend()
