"""Sidecars as QuestDB writes them: without our note, or with one that only came along from the commit before."""

from __future__ import annotations

from pathlib import Path

from parquetext import kernels, sidecar
from parquetext.sidecar.append_blocks import advanced, outdated
from parquetext.sidecar.building import footer_bytes, sidecar_bytes
from parquetext.storage import open_source


def build_foreign(path: str | Path, position: str | Path | None = None) -> Path:
    """Write a sidecar of the file at `path` without any note; its path is returned."""
    with open_source(str(path)) as source:
        made, _ = sidecar_bytes(source)
    reader = kernels.sidecar.Reader(made)
    empty = kernels.sidecar.Writer.on(reader).finish(*reader.parquet_footer, scratchpad=[])
    position = Path(sidecar.sidecar_path(str(path)).path if position is None else position)
    position.write_bytes(_committed(made + empty))
    return position


def commit_on_top(path: str | Path, position: str | Path, *, keeps_notes: bool = True) -> None:
    """Append the current rows of its file to a sidecar, as QuestDB does.

    Its newer writer carries the notes of the commit before along, its older ones know of none.
    """
    data = Path(position).read_bytes()
    old = kernels.sidecar.Reader(data)
    with open_source(str(path)) as source:
        new = kernels.sidecar.Reader(sidecar_bytes(source)[0])
        scan = kernels.scan.scan(footer_bytes(source)[2])
        notes = {} if keeps_notes else {"scratchpad": []}
        tail = advanced(old, len(data), source, scan, new, outdated(old, new), unused_bytes=0, **notes)
    Path(position).write_bytes(_committed(data + tail))


def _committed(data: bytes) -> bytes:
    return len(data).to_bytes(8, "little") + data[8:]
