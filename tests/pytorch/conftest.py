"""Files for the tests of parquetext.torch."""

from __future__ import annotations

import gc
import importlib
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext

ROWS = 3000

if os.environ.get("PARQUETEXT_REQUIRE_TORCH") == "1":  # a missing module is an error, and no reason to skip tests
    for name in ("torch", "torchdata.stateful_dataloader"):
        importlib.import_module(name)


@pytest.fixture(scope="session")
def lake(tmp_path_factory) -> str:
    """A folder of three files of 3,000 rows in all."""
    folder = tmp_path_factory.mktemp("lake")
    for number, (begin, end) in enumerate([(0, 1100), (1100, 1101), (1101, ROWS)]):
        table = pa.table(
            {
                "n": range(begin, end),
                "half": pa.array([row / 2 for row in range(begin, end)], pa.float32()),
                "text": [f"row {row}" for row in range(begin, end)],
                "pair": pa.array([[row, -row] for row in range(begin, end)], pa.list_(pa.int16(), 2)),
                "maybe": [None if row % 3 else row for row in range(begin, end)],
            }
        )
        options = {"row_group_size": 700, "data_page_size": 512, "write_page_index": True}
        pq.write_table(table, folder / f"{number}.parquet", **options)
    return str(folder)


@pytest.fixture
def damaged(tmp_path) -> str:
    """A file whose pages are overwritten."""
    path = tmp_path / "damaged.parquet"
    pq.write_table(pa.table({"n": range(ROWS)}), path, use_dictionary=False, compression="snappy")
    data = bytearray(path.read_bytes())
    begin = pq.read_metadata(path).row_group(0).column(0).data_page_offset
    data[begin : begin + 500] = b"\xff" * 500
    path.write_bytes(data)
    parquetext.open(path).close()  # its footer is good
    return str(path)


@pytest.fixture(scope="module")
def impatient():
    """Let loaders end their workers after an error soon; PyTorch waits 5 seconds for each of them."""
    patch = pytest.MonkeyPatch()
    patch.setattr("torch.utils.data._utils.MP_STATUS_CHECK_INTERVAL", 0.2)
    yield
    gc.collect()
    patch.undo()
