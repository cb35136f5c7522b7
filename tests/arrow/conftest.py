"""The file that several modules read, of the table that each of them makes."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest
from support.flat_files import write_with_flat_footer


@pytest.fixture(params=["thrift", "flat"])
def path(request, tmp_path, table, implementation) -> str:
    path = tmp_path / "table.parquet"
    pq.write_table(table, path, row_group_size=10)
    if request.param == "flat":
        return write_with_flat_footer(path, tmp_path / "flat.parquet")
    return str(path)
