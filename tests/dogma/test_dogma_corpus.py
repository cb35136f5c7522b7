"""docs/parquet.dogma over real files: every byte is claimed once, with the kind that `parquetext layout` gives."""

from __future__ import annotations

import pytest
from support.corpus_files import readable

import parquetext
from dogma.document import Mismatch
from dogma.parquet import layout_claims, parquet

MANY_PAGES = (  # 40,000 and 8,000
    "parquet-testing/data/overflow_i16_page_cnt.parquet",
    "parquet-testing/data/alltypes_tiny_pages_plain.parquet",
)

# Files that are there because their structure is damaged, and the byte at which the description fails.
DAMAGED = {
    "impala/testdata/data/bad_compressed_dict_page_size.parquet": 17,
    "impala/testdata/data/bad_compressed_size.parquet": 4,
    "impala/testdata/data/bad_dict_page_offset.parquet": 10000,
    "impala/testdata/data/bad_magic_number.parquet": 0,
    "impala/testdata/data/bad_metadata_len.parquet": 233,
    "impala/testdata/data/corrupt_footer_len_decr.parquet": 122,
    "impala/testdata/data/corrupt_footer_len_incr.parquet": 312,
    "parquet-testing/bad_data/ARROW-GH-41317.parquet": 49313,
    "parquet-testing/bad_data/ARROW-GH-41321.parquet": 1380,
    "parquet-testing/bad_data/ARROW-RS-GH-6229-DICTHEADER.parquet": 4,
    "parquet-testing/bad_data/PARQUET-1481.parquet": 307,
}
# Kinds of findings about parts that the description does not cover.
NOT_DESCRIBED = {"offset-index", "column-index", "page-counts", "page-values", "chunk-values", "chunk-codec"}
# Defects that a layout does not check: levels above the highest one, and a type that no enumeration has.
ONLY_DESCRIBED = {"parquet-testing/bad_data/ARROW-GH-41317.parquet", "parquet-testing/bad_data/PARQUET-1481.parquet"}


def check(path) -> None:
    layout = parquetext.layout(path)
    assert parquet().claims(path.read_bytes()) == layout_claims(layout)


@pytest.mark.slow
def test_every_byte_of_readable_files_is_claimed_once_as_in_their_layout(corpus, expected):
    for path in readable(corpus, expected):
        if path.relative_to(corpus).as_posix() not in MANY_PAGES:
            check(path)


@pytest.mark.parametrize("file", MANY_PAGES)
def test_every_byte_of_files_of_very_many_pages_is_claimed_once(long, corpus, file):
    check(corpus / file)


def test_other_files_are_matched_if_their_layout_is_valid_and_refused_otherwise(corpus, expected):
    for entry in expected:
        path = corpus / entry["file"]
        if entry["class"] == "readable":
            continue
        layout = parquetext.layout(path)
        wrong = {finding.kind for finding in layout.findings if not finding.is_note}
        if wrong <= NOT_DESCRIBED and not layout.unclaimed and entry["file"] not in ONLY_DESCRIBED:
            assert parquet().claims(path.read_bytes()) == layout_claims(layout), path
        else:
            with pytest.raises(Mismatch):
                parquet().claims(path.read_bytes())


@pytest.mark.parametrize("file", DAMAGED)
def test_damaged_structure_is_reported_at_its_position(corpus, file):
    with pytest.raises(Mismatch) as failed:
        parquet().claims((corpus / file).read_bytes())
    assert failed.value.offset == DAMAGED[file]
