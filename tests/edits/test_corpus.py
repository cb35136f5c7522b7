"""Every footer of the corpus that parses: upgraded and stripped again, byte for byte."""

from __future__ import annotations

import pyarrow.parquet as pq

from parquetext import edits
from parquetext.errors import ParquetextError

BROKEN = {"fuzz", "declared_bad", "encrypted"}


def test_upgrade_and_strip_of_the_whole_corpus(corpus, expected, tmp_path):
    upgraded = 0
    for known in expected:
        if not known["footer"]["parses"]:
            continue
        original = (corpus / known["file"]).read_bytes()
        path = tmp_path / "x.parquet"
        path.write_bytes(original)
        try:
            edits.upgrade(path)
        except ParquetextError as error:
            assert path.read_bytes() == original
            assert known["class"] in BROKEN or known["footer"]["trailing_bytes"], f"{known['file']}: {error}"
            continue
        upgraded += 1
        assert edits.upgrade(path).outcome == "unchanged", known["file"]
        if known["class"] == "readable":
            assert pq.read_metadata(path).num_rows == known["num_rows"], known["file"]
        edits.strip(path, in_place=bool(upgraded % 2))
        assert path.read_bytes() == original, known["file"]
    assert upgraded > 400
