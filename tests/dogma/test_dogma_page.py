"""The errors in other descriptions that docs/dogma.md lists are proved by the files that it names."""

from __future__ import annotations

from pathlib import Path

import pytest

import parquetext
from dogma.document import Mismatch
from dogma.functions import FUNCTIONS
from dogma.parquet import description, evaluator, parquet
from parquetext import kernels, wire

PAGE = (Path(__file__).parents[2] / "docs" / "dogma.md").read_text(encoding="utf-8")
FOLDER = "parquet-testing/data/"
# A file, the text of the description, and the text if the wrong statement were right.
WRONG_RULES = {
    "bit 0 of a run is 1 for RLE": (
        "rle_boolean_encoding.parquet",
        {"header % 2 = 1: byte{": "header % 2 = 0: byte{", "header % 2 = 0: demand": "header % 2 = 1: demand"},
    ),
    "there are three types of pages": (
        "datapage_v2.snappy.parquet",
        {
            "header.type = PAGE_DATA_PAGE_V2 ": "header.type = PAGE_INDEX_PAGE ",
            "PAGE_DICTIONARY_PAGE = 2": "PAGE_DICTIONARY_PAGE = 1",
        },
    ),
    "a definition level counts optional fields": (
        "datapage_v2.snappy.parquet",
        {"[ repetition = REPETITION_REQUIRED: 0; : 1; ]": "[ repetition = REPETITION_OPTIONAL: 1; : 0; ]"},
    ),
    "a chunk is at its file_offset": (
        "alltypes_plain.parquet",
        {
            "given(chunk.meta_data.dictionary_page_offset, -1)": "-1",
            "given(chunk.meta_data.data_page_offset, -1)": "given(chunk.file_offset, -1)",
        },
    ),
}


def claims_or_none(description, data: bytes):
    try:
        return description.claims(data)
    except Mismatch:
        return None


def footer_of(path: Path):
    data = path.read_bytes()
    return kernels.scan.scan(data[-8 - int.from_bytes(data[-8:-4], "little") : -8])


@pytest.mark.parametrize("statement", WRONG_RULES)
def test_with_the_wrong_rule_the_named_file_is_not_matched(corpus, statement):
    file, changes = WRONG_RULES[statement]
    text, data = description(), (corpus / FOLDER / file).read_bytes()
    assert f"`{file}`" in PAGE
    for right, wrong in changes.items():
        assert text.count(right) == 1, right
        text = text.replace(right, wrong)
    assert claims_or_none(evaluator(text), data) != parquet().claims(data)


def test_the_levels_that_show_the_header_of_runs_take_11_bytes(corpus):
    data = (corpus / FOLDER / "rle_boolean_encoding.parquet").read_bytes()
    levels = next(claim for claim in parquet().claims(data) if claim.owner.kind == "definition-levels")
    assert data[levels.begin : levels.end] == bytes.fromhex("07fb7f7f1c0109fefbbf3f")


def packed_end(data: bytes, *, min_delta_of_each: bool) -> int:
    """Return the end of DELTA_BINARY_PACKED values, or the end if every miniblock had a min_delta and a width."""
    numbers, at = [], 0
    for _ in range(4):
        number, at = kernels.varint.decode64(data, at)
        numbers.append(number)
    block, miniblocks, count, _ = numbers
    size, left = block // miniblocks, count - 1
    while left > 0:
        if min_delta_of_each:
            _, at = kernels.varint.decode64(data, at)
            at += 1 + size * data[at] // 8
            left -= size
            continue
        _, at = kernels.varint.decode64(data, at)
        widths = data[at : at + miniblocks]
        at += miniblocks
        for width in widths[: -(-left // size)]:
            at += size * width // 8
        left -= block
    return at


@pytest.mark.parametrize("leaf", [1, 17, 64])
def test_a_block_of_deltas_has_one_min_delta(corpus, leaf):
    path = corpus / FOLDER / "delta_binary_packed.parquet"
    assert f"`{path.name}`" in PAGE
    data = path.read_bytes()
    begin, end, _ = next(claim for claim in parquet().claims(data) if claim.owner[:3] == ("values", 0, leaf))
    values = data[begin:end]
    assert packed_end(values, min_delta_of_each=False) == len(values)
    with pytest.raises((IndexError, AssertionError, parquetext.errors.Malformed)):
        assert packed_end(values, min_delta_of_each=True) == len(values)


def test_sizes_offsets_and_encodings_are_those_of_the_documentation(corpus):
    tiny = footer_of(corpus / FOLDER / "alltypes_tiny_pages.parquet")
    assert max(tiny.places("column_index_offset")) > 0
    assert set(tiny.places("index_page_offset")) == {-1}
    nested = footer_of(corpus / FOLDER / "nested_lists.snappy.parquet")
    assert (list(nested.row_groups("total_byte_size")), sum(nested.chunks("total_compressed_size"))) == ([155], 160)
    for file, encoding in (
        (FOLDER + "alltypes_dictionary.parquet", wire.ENCODING_PLAIN_DICTIONARY),
        ("impala/testdata/data/alltypes_agg_bitpacked_def_levels.parquet", wire.ENCODING_BIT_PACKED),
    ):
        assert Path(file).name in PAGE
        assert any(bits >> encoding & 1 for bits in footer_of(corpus / file).chunks("encodings"))


def test_the_page_names_each_function_that_prose_describes():
    for name in FUNCTIONS:
        assert f"`{name}`" in PAGE
