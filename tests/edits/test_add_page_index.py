"""Adding page indexes keeps the form of the footer, and strip restores the original file."""

from __future__ import annotations

import base64

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.errors import ParquetextError

TABLE = pa.table({"n": pa.array(range(3000), pa.int64()), "t": [f"text {row % 9}" for row in range(3000)]})


@pytest.fixture
def path(tmp_path):
    pq.write_table(TABLE, tmp_path / "x.parquet", row_group_size=1000, data_page_size=512, write_batch_size=64)
    return tmp_path / "x.parquet"


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize(
    ("form", "placement"), [("flat", "aside"), ("flat", "in-struct"), ("index", "aside"), ("index", "after-stop")]
)
def test_the_form_and_placement_stay_and_strip_restores_the_original(path, form, placement, in_place):
    original = path.read_bytes()
    parquetext.upgrade(path, form, placement=placement)
    result = parquetext.add_page_index(path, bloom="n", in_place=in_place)
    assert (result.outcome, result.form_after) == ("indexed", form)
    assert pq.read_table(path).equals(TABLE)
    assert not parquetext.verify(path, deep=True).findings
    assert parquetext.add_page_index(path, bloom="n").outcome == "unchanged"
    parquetext.strip(path, in_place=in_place)
    assert path.read_bytes() == original


@pytest.mark.parametrize("form", ["modular", "arrow"])
@pytest.mark.parametrize("is_first", [True, False])
def test_strip_leaves_no_form_of_the_file_with_indexes(path, form, is_first):
    original = path.read_bytes()
    if is_first:
        parquetext.upgrade(path, form)
    parquetext.add_page_index(path)
    parquetext.upgrade(path, form)
    parquetext.upgrade(path, "packed")
    parquetext.strip(path)
    assert path.read_bytes() == original


def test_strip_restores_a_file_with_copies(path):
    parquetext.encode(path, {"n": "pfor"})
    encoded = path.read_bytes()
    parquetext.add_page_index(path)
    assert not parquetext.verify(path, deep=True).findings
    parquetext.strip(path)
    assert path.read_bytes() == encoded


def test_a_damaged_page_header_leaves_the_file_unchanged(path):
    with parquetext.open(path) as file:
        at = file.column("n").data_page_offset[0]
    data = bytearray(path.read_bytes())
    data[at : at + 8] = b"\xff" * 8
    path.write_bytes(data)
    with pytest.raises(ParquetextError, match="row group 0, column n"):
        parquetext.add_page_index(path)
    assert path.read_bytes() == data


def test_a_folder_gets_one_result_for_each_file(path):
    assert [result.outcome for result in parquetext.add_page_index(path.parent)] == ["indexed"]


ENCODE = {"columns": {"n": "pfor"}}


@pytest.mark.parametrize(
    "steps",
    [
        [("upgrade", {"form": "flat"}), ("strip", {})],
        [("add_page_index", {"bloom": "t"}), ("strip", {})],
        [("finalize", {"confirm": True}), ("restore", {}), ("strip", {})],
        [("encode", ENCODE), ("strip", {}), ("strip", {})],
    ],
    ids=lambda steps: " ".join(verb for verb, _ in steps),
)
def test_strip_restores_the_original_after_further_changes(path, steps):
    original = path.read_bytes()
    parquetext.add_page_index(path)
    for verb, options in steps:
        assert not parquetext.verify(path, deep=True).findings
        getattr(parquetext, verb)(path, **options)
        assert parquetext.read_table(path).equals(TABLE)
    assert path.read_bytes() == original


def test_chunks_keep_the_index_that_they_have(path):
    pq.write_table(TABLE, path, row_group_size=1000, write_page_index=True)
    before = path.read_bytes()
    assert parquetext.add_page_index(path).outcome == "unchanged"
    assert path.read_bytes() == before
    assert parquetext.add_page_index(path, bloom="n").message.startswith(
        "0 offset indexes and 0 column indexes; 3 Bloom"
    )


def test_strip_refuses_a_damaged_original_footer(path):
    end = path.stat().st_size
    parquetext.add_page_index(path)
    data = bytearray(path.read_bytes())
    data[end - 20] ^= 1
    path.write_bytes(data)
    with pytest.raises(ParquetextError, match="the original footer has the checksum"):
        parquetext.strip(path)
    assert path.read_bytes() == data


def test_strip_refuses_a_damaged_record_which_verify_reports(path):
    parquetext.add_page_index(path)
    data = bytearray(path.read_bytes())
    at = data.rindex(base64.b64encode(bytes([1, 0, 0]))) + 8  # the record begins with its version
    data[at] = ord("A") if data[at] != ord("A") else ord("B")
    path.write_bytes(data)
    assert parquetext.verify(path).findings
    with pytest.raises(ParquetextError):
        parquetext.strip(path)
    assert path.read_bytes() == data
