"""Whether threads read: where the picked rows have many values, or many bytes are read for them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from parquetext import footer
from parquetext.reading.execute.in_threads import is_worth_threads
from parquetext.reading.plan.picks import Picks

ROWS = 200_000


@pytest.fixture
def is_worth(tmp_path):
    """Whether threads read these ranges of rows of 20 columns without an index, or with one."""

    class Leaf:
        leaf = 0

    class Column:
        leaves = (Leaf,) * 20

    def found(ranges: list[tuple[int, int]], *, index: bool = False) -> bool:
        path = tmp_path / "x.parquet"
        pq.write_table(pa.table({"x": np.arange(ROWS)}), path, use_dictionary=False, write_page_index=index)
        return is_worth_threads(footer.scan(str(path)), [Column], [Picks(ranges)], [ROWS])

    return found


def test_many_values_use_threads(is_worth):
    assert is_worth([(0, 20_000)])


def test_few_rows_in_many_bytes_use_threads(is_worth):
    assert is_worth([(ROWS - 10, ROWS)])


def test_few_rows_at_the_begin_are_not(is_worth):
    assert not is_worth([(0, 10)])


def test_few_rows_that_an_index_finds_are_not(is_worth):
    assert not is_worth([(ROWS - 10, ROWS)], index=True)


def test_no_rows_are_not(is_worth):
    assert not is_worth([])
