"""Golden files of columns in other encodings: every implementation reads them as they expect."""

from __future__ import annotations

import hashlib
import json
import shutil

import pyarrow.parquet as pq
import pytest
from support.conformance import FOLDER, module

import parquetext

FILES = FOLDER / "copies"


make_copies = module("make_copies")
NAMES = sorted(make_copies.CASES)


def expected(name: str) -> dict:
    return json.loads((FILES / f"{name}.json").read_text())


def digest(values: list) -> str:
    return hashlib.sha256(repr(values).encode()).hexdigest()


def test_there_is_a_file_for_each_case_and_no_other():
    assert sorted(path.stem for path in FILES.glob("*.parquet")) == NAMES
    assert sorted(path.stem for path in FILES.glob("*.json")) == NAMES


def test_frozen_files_are_as_they_were():
    lines = (FILES / "frozen.sha256").read_text().splitlines()
    frozen = {name: found for found, name in map(str.split, lines)}
    assert frozen == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in FILES.glob("*.parquet")}


@pytest.mark.parametrize("name", NAMES)
def test_copies_are_found_and_read_as_the_file_expects(implementation, name):
    found = make_copies.expected_of(FILES / f"{name}.parquet")
    assert found == {key: value for key, value in expected(name).items() if key != "original"}
    assert found["findings"] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_values_are_those_of_the_table(name):
    table = make_copies.CASES[name][0]()
    assert expected(name)["values"] == digest(table.to_pylist())
    if expected(name)["form"] != "par3":
        assert digest(pq.read_table(FILES / f"{name}.parquet").to_pylist()) == digest(table.to_pylist())


@pytest.mark.parametrize("name", NAMES)
def test_every_copy_alone_gives_the_values_of_its_chunk(implementation, name, tmp_path):
    """With the chunk's bytes destroyed the values are still there."""
    data = bytearray((FILES / f"{name}.parquet").read_bytes())
    for copy in expected(name)["copies"] or []:
        begin = copy["chunk_offset"]
        data[begin : begin + copy["chunk_length"]] = bytes(copy["chunk_length"])
    path = tmp_path / "x.parquet"
    path.write_bytes(data)
    with parquetext.open(path) as file:
        assert digest(file.read(engine="parquetext").to_pylist()) == expected(name)["values"]
        assert file.findings == []


@pytest.mark.parametrize("name", NAMES)
def test_the_original_comes_back(name, tmp_path):
    path = tmp_path / "x.parquet"
    shutil.copyfile(FILES / f"{name}.parquet", path)
    if expected(name)["form"] == "par3":
        parquetext.restore(path)
    while hashlib.sha256(path.read_bytes()).hexdigest() != expected(name)["original"]:
        assert parquetext.strip(path).outcome != "unchanged"
