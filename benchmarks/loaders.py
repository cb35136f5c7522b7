"""Compare loaders of PyTorch that read random rows in workers with that of Lance."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

import parquetext
from parquetext.cli.output import tell

from . import row_shapes
from .cases import OURS, Row, rows_of
from .peers import is_installed
from .timing import Contender, compare
from .workspace import Workspace

__all__ = ["measure"]

NEEDED = {"torch": "torch", "lance": "pylance"}
ROWS = 1_024_000  # 200 batches for each share
BATCH, WORKERS = 256, 2
SHARE = 20  # a run reads this part of the rows
WINDOWS, TENSORS = "parquetext, shuffled in windows", "lance, take as tensors"


def measure(workspace: Workspace, rounds: int, rows: int = ROWS) -> Iterator[list[Row]]:
    """Read batches of random rows by two workers that live for all rounds; tell if a package is missing."""
    missing = [package for name, package in NEEDED.items() if not is_installed(name)]
    if missing:
        tell(f"skipped: loaders of PyTorch need pip install {' '.join(missing)}", is_error=True)
        return
    workspace.progress("writing the files")
    path, lance_path = _files(workspace.folder, rows)
    workspace.progress("random rows by loaders of PyTorch")
    count = rows // SHARE
    loaders = _loaders(path, lance_path, count)
    batches = -(-count // BATCH)

    def contender(name: str, loader: Any) -> Contender:
        def run(_: int) -> None:
            read = sum(1 for _ in loader)
            if read != batches:
                raise RuntimeError(f"{name}: {read} batches instead of {batches}")

        return Contender(name, run)

    timings = compare([contender(*each) for each in loaders.items()], rounds, alternating=True)
    subject = f"{count:,} of {rows:,} rows × 20 columns, batches of {BATCH}, {WORKERS} workers"
    yield list(rows_of("DataLoader, shuffled", subject, timings, {"lance": 1.0}))


def _files(folder: Path, rows: int) -> tuple[str, str]:
    """Write a table without nulls and times, which `default_collate` of Lance's rows refuses."""
    import lance

    path, lance_path = str(folder / f"loaders-{rows}.parquet"), str(folder / f"loaders-{rows}.lance")
    if not os.path.exists(path) or not os.path.exists(lance_path):
        table = row_shapes.table(rows)
        for name, column in (("time", table["time"].cast(pa.int64())), ("flag", pc.fill_null(table["flag"], False))):
            table = table.set_column(table.schema.get_field_index(name), name, column)
        parquetext.write_table(table, path, optimize_for="random_access")
        lance.write_dataset(table, lance_path, mode="overwrite")
    return path, lance_path


def _loaders(path: str, lance_path: str, count: int) -> dict[str, Any]:
    """Return loaders whose iterations read some random rows."""
    from lance.torch.data import SafeLanceDataset
    from torch.utils.data import DataLoader, RandomSampler

    from parquetext.torch import MapDataset, ShuffledDataset

    workers = {"num_workers": WORKERS, "persistent_workers": True}
    shuffled = ShuffledDataset(path, BATCH, ranks=(0, SHARE))
    loaders = {WINDOWS: DataLoader(shuffled, batch_size=None, **workers)}
    for name, rows, method in (
        (OURS, MapDataset(path), None),
        ("lance", SafeLanceDataset(lance_path), "spawn"),  # as `get_safe_loader` starts them: Lance cannot be forked
        (TENSORS, _TensorsOfLance(lance_path), "spawn"),
    ):
        options = workers | {"sampler": RandomSampler(rows, num_samples=count), "multiprocessing_context": method}
        collate = {"collate_fn": _as_it_is} if name == TENSORS else {}
        loaders[name] = DataLoader(rows, batch_size=BATCH, **options, **collate)
    return loaders


class _TensorsOfLance:
    """Rows of Lance by our conversion to tensors, to compare the reading alone."""

    def __init__(self, path: str):
        import lance

        self._path, self._count, self._open = path, lance.dataset(path).count_rows(), None

    def __len__(self) -> int:
        return self._count

    def __getitems__(self, rows: Sequence[int]) -> dict:
        import lance

        from parquetext.torch.sending import SentTogether
        from parquetext.torch.tensors import tensors_of

        self._open = self._open or lance.dataset(self._path)
        return SentTogether(tensors_of(self._open.take(rows)))


def _as_it_is(batch: dict) -> dict:
    return batch
