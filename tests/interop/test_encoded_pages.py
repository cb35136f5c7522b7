"""pyarrow, DuckDB and Polars read the pages of our encoders with the same values (Spark: tests/spark)."""

from __future__ import annotations

import datetime
from pathlib import Path

import duckdb
import polars
import pyarrow.parquet as pq
import pytest
from support.encoded_files import COLUMNS, encoded_file

# Encodings that readers refuse, by reader: no fixed byte arrays in these encodings.
FIXED_SPLIT, FIXED_DELTA = "fixed_len_byte_array byte_stream_split", "fixed_len_byte_array delta_byte_array"
REFUSED = {"pyarrow": set(), "DuckDB": {FIXED_SPLIT}, "Polars": {FIXED_SPLIT, FIXED_DELTA}}

pytestmark = pytest.mark.usefixtures("implementation")


def by_pyarrow(path: Path) -> dict[str, list]:
    return pq.read_table(path, coerce_int96_timestamp_unit="us", page_checksum_verification=True).to_pydict()


def by_duckdb(path: Path) -> dict[str, list]:
    found = duckdb.read_parquet(str(path))
    return dict(zip(found.columns, map(list, zip(*found.fetchall(), strict=True)), strict=True))


def by_polars(path: Path) -> dict[str, list]:
    return polars.read_parquet(path).to_dict(as_series=False)


def plain(values: list) -> list:
    """Floats as text, for the sign of zeros; times without their zone."""
    return [
        str(value)
        if isinstance(value, float)
        else value.replace(tzinfo=None)
        if isinstance(value, datetime.datetime)
        else value
        for value in values
    ]


READERS = {"pyarrow": by_pyarrow, "DuckDB": by_duckdb, "Polars": by_polars}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("optional", [True, False], ids=["optional", "required"])
@pytest.mark.parametrize("version", [1, 2])
def test_every_type_in_every_encoding_is_read(tmp_path, version, optional, reader):
    path = tmp_path / "encoded.parquet"
    file, expected = encoded_file(version, optional=optional, names=[n for n in COLUMNS if n not in REFUSED[reader]])
    path.write_bytes(file)
    found = READERS[reader](path)
    assert list(found) == list(expected) and len(found) == 26 - len(REFUSED[reader])
    for name, values in expected.items():
        assert plain(found[name]) == plain(values), name
        assert (None in values) == optional
