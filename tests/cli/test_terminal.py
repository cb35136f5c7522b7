"""The command line in a terminal: the progress bar, the results and the errors share its lines."""

from __future__ import annotations

import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.terminal import in_terminal

FILES = 12


@pytest.fixture
def lake(tmp_path):
    for number in range(FILES):
        pq.write_table(pa.table({"a": [number]}), tmp_path / f"part-{number:02}.parquet")
    (tmp_path / "part-05.parquet").write_bytes(b"not a Parquet file")
    (tmp_path / "part-07.parquet").unlink()
    (tmp_path / "part-07.parquet").symlink_to("nowhere")
    return tmp_path


@pytest.mark.parametrize("apart", [False, True], ids=["one terminal", "two terminals"])
def test_the_bar_leaves_every_line_whole(lake, apart):
    code, lines = in_terminal([sys.executable, "-m", "parquetext", "verify", str(lake)], 200, apart=apart)
    good = [number for number in range(FILES) if number not in (5, 7)]
    assert code == 1
    assert [line for line in lines if line.startswith("ok")] == [
        f"ok  {lake}/part-{number:02}.parquet  (thrift footer, no checksums)" for number in good
    ]
    assert [line[:24] for line in lines if "part-05" in line] == [f"findings  {lake}"[:24]]
    assert lines[-1] == f"{FILES} files: {FILES - 2} fine, 1 with findings, 1 unreadable"
    told = [line for line in lines if "part-07" in line]
    assert [line.startswith("FileNotFoundError: [Errno 2]") for line in told] == ([] if apart else [True])
    assert len(lines) == FILES + 2 - apart


def test_a_narrow_terminal_wraps_lines_and_loses_none(lake):
    code, lines = in_terminal([sys.executable, "-m", "parquetext", "upgrade", "--dry-run", str(lake)], 40)
    assert code == 1
    text = "".join(lines)
    assert all(f"part-{number:02}.parquet" in text for number in range(FILES))
    assert text.endswith("12 files: 10 unchanged, 2 failed")
