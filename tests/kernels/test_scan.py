"""A Thrift footer scanned into arrays: both implementations say the same, and what other readers say."""

from __future__ import annotations

from parquetext._pure import scan as pure
from support.footers import footer_of, scan_facts

PHYSICAL = ["BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"]


def native():
    from parquetext import kernels

    return kernels.scan


def parsing(expected):
    return [entry for entry in expected if entry["footer"]["parses"]]


def test_both_implementations_agree_on_every_footer_of_the_corpus(corpus, expected):
    entries = parsing(expected)
    assert len(entries) == 466
    for entry in entries:
        footer = footer_of(corpus / entry["file"])
        if len(footer) > 300_000:
            continue
        facts = scan_facts(native(), footer)
        assert "error" not in facts, entry["file"]
        assert facts == scan_facts(pure, footer), entry["file"]
        assert facts["end"] == len(footer) - entry["footer"]["trailing_bytes"], entry["file"]
