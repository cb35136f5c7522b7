"""Spark reads the pages of our encoders with the same values, and levels with the most significant bit first."""

from __future__ import annotations

import datetime
import struct
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from support.encoded_files import COLUMNS, encoded_file
from support.pages import Column, data_page, parquet_file

from parquetext import kernels, wire

pytestmark = pytest.mark.usefixtures("implementation")

VECTORIZED = "spark.sql.parquet.enableVectorizedReader"


@contextmanager
def reading(spark, *, vectorized: bool) -> Iterator[None]:
    before = spark.conf.get(VECTORIZED)
    spark.conf.set(VECTORIZED, str(vectorized).lower())
    try:
        yield
    finally:
        spark.conf.set(VECTORIZED, before)


def plain(values: list) -> list:
    """Floats as text, for the sign of zeros; times as seconds."""
    return [
        str(value)
        if isinstance(value, float)
        else value.replace(tzinfo=datetime.UTC).timestamp()
        if isinstance(value, datetime.datetime)
        else value
        for value in values
    ]


@pytest.mark.parametrize("vectorized", [True, False], ids=["vectorized", "row by row"])
@pytest.mark.parametrize("version", [1, 2])
def test_every_type_in_every_encoding_is_read(spark, tmp_path, version, vectorized):
    path = tmp_path / "encoded.parquet"
    file, expected = encoded_file(version)
    path.write_bytes(file)
    with reading(spark, vectorized=vectorized):
        rows = spark.read.parquet(str(path)).collect()
    assert len(expected) == len(COLUMNS) == 26
    for name, values in expected.items():
        assert plain([row[name] for row in rows]) == plain(values), name


def test_levels_most_significant_bit_first_are_read(spark, tmp_path):
    values = [None if n % 3 else n for n in range(100)]
    present = [value for value in values if value is not None]
    levels = struct.pack("<100H", *(value is not None for value in values))
    bits = kernels.encode.levels(levels, 100, 1, wire.ENCODING_BIT_PACKED)
    body = struct.pack(f"<{len(present)}i", *present)
    page = data_page(body, 100, wire.ENCODING_PLAIN, definition=bits, level_encoding=wire.ENCODING_BIT_PACKED)
    path = tmp_path / "msb.parquet"
    column = Column("x", wire.PHYSICAL_INT32, [page], repetition=wire.REPETITION_OPTIONAL)
    path.write_bytes(parquet_file([column], 100))
    with reading(spark, vectorized=False):  # the other reader takes no such levels
        assert [row.x for row in spark.read.parquet(str(path)).collect()] == values
