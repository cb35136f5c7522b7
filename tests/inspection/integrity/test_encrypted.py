"""`verify` reports the kind of sound encrypted and signed files, and the damage of broken ones."""

from __future__ import annotations

import datetime
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe
import pytest

from parquetext import edits
from parquetext.errors import ParquetextError, Refused, outcome_of
from parquetext.inspection import integrity
from parquetext.inspection.integrity.inspection import inspect

pytestmark = pytest.mark.usefixtures("implementation")
TABLE = pa.table({"plain": list(range(500)), "secret": [f"x{n}" for n in range(500)]})
KINDS = {
    "whole": pe.EncryptionConfiguration(footer_key="f", uniform_encryption=True),
    "columns": pe.EncryptionConfiguration(footer_key="f", column_keys={"c": ["secret"]}),
    "CTR": pe.EncryptionConfiguration(footer_key="f", uniform_encryption=True, encryption_algorithm="AES_GCM_CTR_V1"),
    "plain footer": pe.EncryptionConfiguration(footer_key="f", column_keys={"c": ["secret"]}, plaintext_footer=True),
}


class Keys(pe.KmsClient):
    """A key service that wraps keys by nothing."""

    def wrap_key(self, key_bytes, master_key_identifier):
        return key_bytes.hex().encode()

    def unwrap_key(self, wrapped_key, master_key_identifier):
        return bytes.fromhex(wrapped_key.decode())


@pytest.fixture
def write(tmp_path):
    def write(kind: str) -> Path:
        configuration = KINDS[kind]
        configuration.cache_lifetime = datetime.timedelta(minutes=5)
        properties = pe.CryptoFactory(lambda _: Keys()).file_encryption_properties(
            pe.KmsConnectionConfig(), configuration
        )
        path = tmp_path / f"{kind}.parquet"
        with pq.ParquetWriter(path, TABLE.schema, encryption_properties=properties) as writer:
            writer.write_table(TABLE, row_group_size=200)
        return path

    return write


def findings(path: Path, **tiers) -> list:
    return integrity.verify(path, **tiers).findings


@pytest.mark.parametrize("kind", ["whole", "columns", "CTR"])
@pytest.mark.parametrize("tiers", [{}, {"pages": True}, {"deep": True}], ids=["tail", "pages", "deep"])
def test_an_encrypted_footer_that_is_whole_is_a_note(write, kind, tiers):
    [finding] = findings(write(kind), **tiers)
    assert (finding.kind, finding.is_note) == ("encrypted", True)
    assert ("AES-GCM and CTR" if kind == "CTR" else "AES-GCM)") in finding.message


def test_inspection_of_a_whole_encrypted_footer_is_a_note(write):
    fields = inspect(write("whole"))
    [finding] = fields.findings
    assert (finding.kind, finding.is_note, fields.form) == ("encrypted", True, None)


def test_inspection_of_a_broken_encrypted_footer_is_a_finding(write):
    path = write("whole")
    path.write_bytes(BREAKS["length"](path.read_bytes()))
    assert [finding.is_note for finding in inspect(path).findings] == [False]


def test_inspection_of_a_signed_file_reports_that_upgrade_refuses_it(write):
    path = write("plain footer")
    assert inspect(path).auto == "nothing: the footer is signed, and upgrade refuses the file"
    with pytest.raises(Refused, match="signed"):
        edits.upgrade(path)


def test_a_signed_footer_is_a_note_and_its_plain_columns_are_checked(write):
    path = write("plain footer")
    [finding] = findings(path)
    assert (finding.kind, finding.is_note) == ("signed", True)
    for tiers in ({"pages": True}, {"deep": True}):
        report = integrity.verify(path, **tiers)
        assert report.ok and [each.kind for each in report.findings] == ["signed", "encrypted"]
        assert "3 column chunks are encrypted" in report.findings[1].message
        assert report.pages >= 3


def test_28_bytes_after_a_footer_without_encryption_are_stray(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(TABLE, path)
    data = path.read_bytes()
    length = int.from_bytes(data[-8:-4], "little") + 28
    path.write_bytes(data[:-8] + bytes(28) + length.to_bytes(4, "little") + b"PAR1")
    assert [finding.kind for finding in findings(path) if not finding.is_note] == ["stray-bytes"]


def footer_length(data: bytes) -> int:
    return int.from_bytes(data[-8:-4], "little")


BREAKS = {
    "cut": lambda data: data[:-1000] + data[-8:],
    "longer": lambda data: data[:-8] + b"?" + (footer_length(data) + 1).to_bytes(4, "little") + b"PARE",
    "length": lambda data: data[:-8] + (1 << 30).to_bytes(4, "little") + b"PARE",
    "no struct": lambda data: data[: -8 - footer_length(data)] + b"\xff" * footer_length(data) + data[-8:],
    "other magic": lambda data: b"PAR1" + data[4:],
    "nothing else": lambda data: data[-8:] * 2,
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_encrypted_footer_is_a_finding(write, name):
    path = write("whole")
    path.write_bytes(BREAKS[name](path.read_bytes()))
    [finding] = findings(path)
    assert (finding.kind, finding.is_note) == ("tail", False)


def test_no_mutation_of_an_encrypted_footer_is_more_than_findings(write):
    path = write("whole")
    data, chance = path.read_bytes(), random.Random(7)
    for _ in range(300):
        mutated = bytearray(data)
        for _ in range(chance.randint(1, 4)):
            mutated[chance.randrange(len(data) - footer_length(data) - 8, len(data) - 4)] = chance.randrange(256)
        path.write_bytes(mutated)
        assert findings(path)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("verb", [edits.upgrade, edits.strip, edits.restore])
def test_a_change_of_such_a_file_is_a_refusal(write, kind, verb):
    path = write(kind)
    before = path.read_bytes()
    with pytest.raises(ParquetextError) as caught:
        verb(path)
    assert isinstance(caught.value, Refused) and outcome_of(caught.value) == "refused"
    assert path.read_bytes() == before


def test_the_corpus_has_no_damaged_encrypted_file(corpus):
    files = sorted(corpus.rglob("*.parquet.encrypted"))
    assert len(files) >= 13
    for path in files:
        for tiers in ({}, {"deep": True}):
            assert integrity.verify(path, **tiers).ok, path
