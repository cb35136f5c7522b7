"""Every footer of the corpus that parses: upgraded and stripped again, byte for byte."""

from __future__ import annotations

from pathlib import PurePath

import pyarrow.parquet as pq

from parquetext import edits
from parquetext.errors import ParquetextError, Refused

# What the flat schema cannot say, and no reader makes sense of: enum values beyond a byte, chunks of another type than
# their leaf, elements that are no tree.
UNSAYABLE = {
    *(f"clusterfuzz-testcase-minimized-parquet-arrow-fuzz-{number}" for number in (
        5106889906585600, 5634349073694720, 5638988460785664, 5640198106120192, "5689850864074752.fuzz",
        5749949046456320)),
    *(f"clusterfuzz-testcase-parquet-arrow-fuzz-{number}" for number in (5076612654301184, 5131422543904768)),
    "bad_codec.parquet", "PARQUET-1481.parquet",
}


def test_upgrade_and_strip_of_the_whole_corpus(corpus, expected, tmp_path):
    upgraded, refused = 0, set()
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
            if known["footer"]["trailing_bytes"]:
                assert isinstance(error, Refused), known["file"]
            else:
                refused.add(PurePath(known["file"]).name)
            continue
        upgraded += 1
        assert edits.upgrade(path).outcome == "unchanged", known["file"]
        if known["class"] == "readable":
            assert pq.read_metadata(path).num_rows == known["num_rows"], known["file"]
        edits.strip(path, in_place=bool(upgraded % 2))
        assert path.read_bytes() == original, known["file"]
    assert refused == UNSAYABLE
    assert upgraded == 454 - len(UNSAYABLE)
