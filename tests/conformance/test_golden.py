"""Golden files: every implementation reads them as they expect, and writes their bytes again."""

from __future__ import annotations

import hashlib
import json
import shutil

import pyarrow.parquet as pq
import pytest
from support.conformance import FOLDER, module
from support.samples import some

import parquetext

FILES = FOLDER / "files"
NAMES = sorted(path.stem for path in FILES.glob("*.json"))


make, expectations = module("make"), module("expectations")


def expected(name: str) -> dict:
    return json.loads((FILES / f"{name}.json").read_text())


def of_source(expectation: dict) -> dict:
    """Return the part that does not depend on the form."""
    return {key: value for key, value in expectation.items() if key not in ("form", "made", "findings", "verify")}


def test_there_is_a_file_for_each_case_and_no_other():
    assert sorted(make.cases()) == NAMES
    assert sorted(path.stem for path in FILES.glob("*.parquet")) == NAMES


def test_frozen_files_are_as_they_were():
    """The v1 layouts are frozen: another layout takes another version or UUID, and files of its own."""
    lines = (FOLDER / "frozen.sha256").read_text().splitlines()
    frozen = {name: digest for digest, name in map(str.split, lines)}
    found = {name: hashlib.sha256((FILES / name).read_bytes()).hexdigest() for name in frozen}
    assert found == frozen
    assert len(frozen) >= 64


SOUND = [name for name in NAMES if not expected(name)["damage"]]
SLOW = {*SOUND} - {*some(SOUND, 3)}  # for the Python kernels, which without --long do not decode their values twice


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_read_as_it_expects(implementation, name):
    deep = implementation == "native" or name not in SLOW
    found = expectations.expected_of(str(FILES / f"{name}.parquet"), deep=deep)
    assert found == {key: value for key, value in expected(name).items() if key not in ("source", "made", "damage")}


COMPACT = [name for name in SOUND if expected(name)["made"] == "flat-compact"]


@pytest.mark.parametrize("name", SOUND)
def test_every_form_contains_the_values_of_the_thrift_footer(name):
    thrift, form = expected(f"{expected(name)['source']}-thrift"), expected(name)
    if name in COMPACT:
        pairs = zip(form["columns"], thrift["columns"], strict=True)
        form["columns"] = [column | bounds_of(whole) for column, whole in pairs]
    assert of_source(form) == of_source(thrift)
    assert form["verify"] == (["unknown-block"] if "foreign" in name else [])


def bounds_of(column: dict) -> dict:
    return {key: column[key] for key in ("min", "max", "min_is_exact", "max_is_exact")}


@pytest.mark.parametrize("name", COMPACT)
def test_compact_bounds_enclose_the_whole_ones(name):
    thrift = expected(f"{expected(name)['source']}-thrift")
    shortened = 0
    for column, whole in zip(expected(name)["columns"], thrift["columns"], strict=True):
        for row_group, (low, high) in enumerate(zip(whole["min"], whole["max"], strict=True)):
            compact_low, compact_high = column["min"][row_group], column["max"][row_group]
            if (compact_low, compact_high) != (low, high):
                shortened += 1
                assert compact_low is None or bytes.fromhex(compact_low) <= bytes.fromhex(low)
                assert compact_high is None or bytes.fromhex(compact_high) >= bytes.fromhex(high)
                assert column["min_is_exact"][row_group] is not True or compact_low == low
                assert column["max_is_exact"][row_group] is not True or compact_high == high
    assert shortened or "types" not in name


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("-thrift")])
def test_expected_values_are_those_that_pyarrow_reads(name):
    metadata, expectation = pq.read_metadata(FILES / f"{name}.parquet"), expected(name)
    assert (metadata.num_rows, metadata.created_by) == (expectation["num_rows"], expectation["created_by"])
    assert len(expectation["row_groups"]) == metadata.num_row_groups
    for leaf, column in enumerate(expectation["columns"]):
        assert ".".join(column["path"]) == metadata.schema.column(leaf).path
        for row_group in range(metadata.num_row_groups):
            chunk = metadata.row_group(row_group).column(leaf)
            assert column["data_page_offset"][row_group] == chunk.data_page_offset
            assert column["total_compressed_size"][row_group] == chunk.total_compressed_size
            assert column["num_values"][row_group] == chunk.num_values


@pytest.mark.parametrize("name", SOUND)
def test_the_bytes_of_a_form_are_pinned(implementation, name, tmp_path):
    """Writing the form again onto the bare file gives the golden file."""
    if "packed" in name and not make.has_their_zstd():
        pytest.skip("this zstd compresses to other bytes than the one of the files")
    again, bare = tmp_path / "again.parquet", FILES / f"{expected(name)['source']}-thrift.parquet"
    shutil.copyfile(bare, again)
    make.FORMS[expected(name)["made"]](again)
    assert again.read_bytes() == (FILES / f"{name}.parquet").read_bytes()


@pytest.mark.parametrize("name", [name for name in NAMES if expected(name)["damage"]])
def test_damage_never_gives_a_wrong_answer(name):
    sound, damaged = expected(f"{expected(name)['source']}-thrift"), expected(name)
    assert "error" in damaged or of_source(damaged) | {"damage": None} == of_source(sound)
    assert damaged["verify"]


@pytest.mark.parametrize("name", [name for name in SOUND if expected(name)["made"] != "parx"])
def test_the_original_comes_back(name, tmp_path):
    copy = tmp_path / "copy.parquet"
    shutil.copyfile(FILES / f"{name}.parquet", copy)
    if expected(name)["form"] == "par3":
        parquetext.restore(copy, form="thrift")
    parquetext.strip(copy, kinds="all")
    assert copy.read_bytes() == (FILES / f"{expected(name)['source']}-thrift.parquet").read_bytes()
