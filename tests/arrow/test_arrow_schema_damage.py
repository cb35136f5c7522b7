"""A damaged ARROW:schema: left out where its form is broken, and one error of ours where pyarrow alone refuses it."""

from __future__ import annotations

import base64
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.parquet_bytes import footer_of, with_footer

import parquetext
from parquetext import thrift, wire
from parquetext.errors import Malformed

TABLE = pa.table({"n": pa.array([1, 2], pa.int64()), "text": ["x", None]}).replace_schema_metadata({"owner": "me"})
STORED = TABLE.schema.serialize().to_pybytes()
OF_64_BITS, OF_100_BITS = (bits.to_bytes(4, "little") for bits in (64, 100))


def file_with(folder: Path, text: str) -> Path:
    path = folder / "x.parquet"
    pq.write_table(TABLE, path)
    footer = thrift.read("FileMetaData", footer_of(path))
    footer["key_value_metadata"] = [{"key": "ARROW:schema", "value": text}, {"key": "owner", "value": "me"}]
    path.write_bytes(with_footer(path.read_bytes(), thrift.write("FileMetaData", footer)))
    return path


@pytest.mark.parametrize(
    "stored",
    [b"no schema at all....", STORED[:40], STORED[:8] + bytes(byte ^ 0xFF for byte in STORED[8:]), b""],
    ids=["text", "cut", "flipped", "empty"],
)
def test_a_broken_arrow_schema_counts_for_nothing(implementation, tmp_path, stored):
    path = file_with(tmp_path, base64.b64encode(stored).decode())
    with pytest.raises((pa.ArrowException, OSError)):
        pq.read_schema(path)
    with parquetext.open(path) as file:
        assert file.schema.equals(TABLE.schema)
        assert file.read().equals(TABLE)
    assert [finding.kind for finding in parquetext.verify(path).findings] == ["arrow-schema"]


def test_an_arrow_schema_that_pyarrow_alone_refuses_is_malformed(implementation, tmp_path):
    assert STORED.count(OF_64_BITS) == 1
    path = file_with(tmp_path, base64.b64encode(STORED.replace(OF_64_BITS, OF_100_BITS)).decode())
    with pytest.raises(pa.ArrowException, match="more than 64 bits"):
        pq.read_schema(path)
    with parquetext.open(path) as file:
        for read in (lambda: file.schema, file.read, lambda: file.read(["n"]), lambda: list(file.iter_batches())):
            with pytest.raises(Malformed, match=r"ARROW:schema: .* more than 64 bits") as caught:
                read()
            assert (caught.value.code, caught.value.file) == (wire.ARROW_SCHEMA, str(path))
        for engine in ("parquetext", "auto"):
            assert file.read(engine=engine).equals(TABLE)
