"""Scripts that end in the middle of a read end in silence."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

BEGUN = {
    "dataset": "it = parquetext.dataset(path).to_batches(batch_size=10)",
    "dataset without threads": "it = parquetext.dataset(path).scanner(batch_size=10, use_threads=False).to_batches()",
    "reader": "it = parquetext.dataset(path).scanner(batch_size=10).to_reader()",
    "file": "it = parquetext.open(path + '/0.parquet').iter_batches(batch_size=10)",
    "ours": "it = parquetext.open(path + '/0.parquet').iter_batches(batch_size=10, engine='parquetext')",
    "auto": "it = parquetext.open(path + '/0.parquet').iter_batches(batch_size=10, engine='auto')",
}


@pytest.mark.parametrize("begun", BEGUN)
@pytest.mark.parametrize("held", ["", "import queue; queue.kept = lambda: it"], ids=["by a name", "by another module"])
def test_a_script_ends_while_it_holds_batches_that_it_has_not_read_to_their_end(tmp_path, begun, held):
    for number in range(4):
        table = pa.table({"n": range(number, number + 100), "list": [[n] for n in range(100)]})
        pq.write_table(table, tmp_path / f"{number}.parquet", row_group_size=50)
    script = f"import parquetext\npath = {str(tmp_path)!r}\n{BEGUN[begun]}\nfor _ in range(3): next(it)\n{held}\n"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stderr) == (0, "")
