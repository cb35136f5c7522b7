"""Mutated PARX metadata, jump tables and modular footers end every verb with a result or an error."""

from __future__ import annotations

import io
from pathlib import Path
from random import Random

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.footers import footer_of
from support.jump_tables import index_of, with_index
from support.modular_files import modular_payload
from support.mutants import TABLE
from support.parx_files import parx_end
from support.thrift_trees import mutate, parse
from support.verbs import CHANGES, READS

import parquetext
from parquetext import kernels
from parquetext.errors import ParquetextError
from parquetext.footer.jump_table import jump_table_form

ALLOWED = (ParquetextError, pa.ArrowException, OSError, duckdb.Error, pl.exceptions.PolarsError)
MUTANTS = 12
MANY = 400


def plain_bytes() -> bytes:
    sink = io.BytesIO()
    pq.write_table(TABLE, sink, row_group_size=4, write_page_index=True)
    return sink.getvalue()


PLAIN = plain_bytes()
THRIFT = footer_of(PLAIN)
DATA = PLAIN[4 : -8 - len(THRIFT)]


def parx_mutant(random: Random) -> bytes:
    """A PARX file whose metadata are changed."""
    tree, _ = parse(THRIFT)
    return b"PARX" + DATA + parx_end(mutate(tree, random, random.randrange(1, 4)), random.choice((0, 0, 2, 4)))


def jump_table_mutant(random: Random) -> bytes:
    """A file whose index, or whose pointer to it, is changed."""
    index = bytearray(index_of(THRIFT))
    if random.random() < 0.4:
        tree, _ = parse(bytes(index))
        return with_index(PLAIN, mutate(tree, random, random.randrange(1, 4)))
    if random.random() < 0.7:
        for _ in range(random.randrange(1, 4)):
            index[random.randrange(len(index))] = random.choice((0, 1, 127, 128, 255, random.randrange(256)))
        return with_index(PLAIN, bytes(index))
    data = bytearray(with_index(PLAIN, bytes(index)))
    begin = len(data) - 8 - len(footer_of(bytes(data)))
    data[begin + random.randrange(2, 27)] = random.randrange(256)
    return bytes(data)


def modular_mutant(random: Random) -> bytes:
    """A file with a modular footer alone, of which some bytes are changed."""
    payload = bytearray(modular_payload(THRIFT, 4 + len(DATA)))
    for _ in range(random.randrange(1, 4)):
        payload[random.randrange(len(payload))] = random.choice((0, 1, 127, 128, 255, random.randrange(256)))
    return b"PAR1" + DATA + bytes(payload) + b"MFP1"


def check_verbs(data: bytes, path: Path) -> None:
    for name, verb in (READS | CHANGES).items():
        path.write_bytes(data)
        try:
            verb(path)
        except ALLOWED:
            pass
        except Exception as error:
            error.add_note(f"in {name}")
            raise


@pytest.mark.parametrize("make", [parx_mutant, jump_table_mutant, modular_mutant])
@pytest.mark.parametrize("number", range(MUTANTS))
def test_no_verb_raises_a_bare_error(tmp_path, monkeypatch, make, number):
    monkeypatch.setattr(jump_table_form, "LOCAL_SHARE", 0)
    check_verbs(make(Random(number)), tmp_path / "x.parquet")


@pytest.mark.parametrize("implementation", ["native", "pure"], indirect=True)
def test_no_mutated_jump_table_gives_a_wrong_answer(monkeypatch, implementation):
    monkeypatch.setattr(jump_table_form, "LOCAL_SHARE", 0)
    used = 0
    for number in range(MANY if kernels.implementation() == "native" else MANY // 10):
        with parquetext.open(jump_table_mutant(Random(number))) as file:
            assert file.column("number").max.to_pylist() == [3, 5], number
            assert file.column("struct.a").leaf == 5 and file.num_rows == TABLE.num_rows, number
            assert file.read(["text", "struct"]).equals(TABLE.select(["text", "struct"])), number
            assert (file.form == "jump-table") == (file.findings == []), number
            used += file.form == "jump-table"
    assert used
