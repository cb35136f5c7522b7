"""One table in every form that has checksums, with footers of more than 64 KiB."""

from __future__ import annotations

import shutil
from pathlib import Path
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq

from parquetext import edits

COLUMNS = {f"number_{n}": range(n, n + 24) for n in range(40)} | {f"text_{n}": ["x" * 20] * 24 for n in range(9)}
SLOT = {UUID(int=7): bytes(3000)}


def write_forms(folder: Path, placement: str = "in-struct") -> dict[str, Path]:
    """The same 24 rows in 12 row groups as ``flat``, ``index`` and ``par3``: their paths."""
    plain = folder / "plain.parquet"
    pq.write_table(pa.table(COLUMNS), plain, row_group_size=2, write_page_index=True)
    paths = {form: folder / f"{form}.parquet" for form in ("flat", "index", "par3")}
    for form, path in paths.items():
        shutil.copyfile(plain, path)
        edits.finalize(path, extensions=SLOT, confirm=True) if form == "par3" else edits.upgrade(
            path, form, placement=placement
        )
    return paths
