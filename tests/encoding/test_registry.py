"""Encodings: those of the kernels, and those that a program registers."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext import kernels, wire
from parquetext.encoding import registry
from parquetext.encoding.registry import Encoding, find, register, registered
from parquetext.errors import ParquetextError

NEGATED = Encoding(
    id=1000,
    name="NEGATED",
    uuid=UUID("0a7c6f8e-24f5-4a6c-bb41-5a9ad3b5a6d0"),
    types=frozenset({wire.PHYSICAL_INT32}),
    encode=lambda values, count, type, type_length: bytes(255 - byte for byte in values),
    decode=lambda data, count, type, type_length: bytes(255 - byte for byte in data),
)


@pytest.fixture(autouse=True)
def known(monkeypatch):
    monkeypatch.setattr(registry, "_known", dict(registry._known))


def test_the_encodings_of_the_kernels_are_known(implementation):
    names = {encoding.name for encoding in registered() if encoding.is_built_in}
    assert {"PLAIN", "RLE", "RLE_DICTIONARY", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT", "ALP"} <= names
    plain = find(wire.ENCODING_PLAIN)
    assert bytes(plain.decode(b"\1\0\0\0\2\0\0\0", 2, wire.PHYSICAL_INT32, 0)) == b"\1\0\0\0\2\0\0\0"
    assert bytes(kernels.encoding.decode(plain.id, wire.PHYSICAL_INT32, 0, b"\1\0\0\0", 1)[0]) == b"\1\0\0\0"


def test_a_program_can_register_an_encoding():
    assert find(1000) is None
    register(NEGATED)
    assert find(1000) is NEGATED and not NEGATED.is_built_in
    register(NEGATED)  # once more is no other one
    assert NEGATED in registered()


@pytest.mark.parametrize(
    "changes",
    [
        {"id": wire.ENCODING_PLAIN},
        {"id": 11},
        {"id": -1},
        {"id": 1 << 31},
        {"id": 1001},
        {"name": "OTHER"},
    ],
)
def test_a_used_number_name_or_uuid_is_refused(changes):
    register(NEGATED)
    with pytest.raises(ParquetextError):
        register(replace(NEGATED, **changes))


def test_the_examples_of_the_guide_run(implementation, tmp_path, monkeypatch, capsys):
    guide = Path(__file__).parents[2] / "docs" / "encodings.md"
    if not guide.exists():
        pytest.skip("not in a checkout")
    monkeypatch.chdir(tmp_path)
    table = pa.table({"distance": [None, 1.5, 2.5] * 50})
    pq.write_table(table, "trips.parquet", write_page_checksum=True)
    examples = re.findall(r"```python\n(.*?)```", guide.read_text(), re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        exec(compile(example, str(guide), "exec"), {"__name__": "example"})
    assert find(1000).name == "BYTE_STEPS"
    pq.write_table(pa.table({"number": pa.array([1, None, 3, 2] * 9, pa.int32())}), "numbers.parquet")
    parquetext.encode("numbers.parquet", {"number": "byte_steps"})
    with parquetext.open("numbers.parquet") as file:
        assert file.read(engine="parquetext").equals(pq.read_table("numbers.parquet")) and not file.findings
    assert "RLE_DICTIONARY 150 (4," in capsys.readouterr().out


def test_the_package_has_the_names_of_the_registry():
    import parquetext
    from parquetext.encoding import registry

    assert "encoding" in parquetext.__all__
    assert parquetext.encoding.register is registry.register and parquetext.encoding.find is registry.find
