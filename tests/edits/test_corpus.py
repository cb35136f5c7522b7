"""Every footer of the corpus that parses: upgraded and stripped again, byte for byte."""

from __future__ import annotations

from pathlib import PurePath

import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext import edits
from parquetext.errors import Malformed, ParquetextError, Refused
from parquetext.footer.forms import WRITABLE
from parquetext.inspection import integrity

# Values that the flat tables cannot store and no reader can use: enum values beyond a byte, chunks of another type than
# their leaf, elements that are no tree.
UNSAYABLE = {
    *(
        f"clusterfuzz-testcase-minimized-parquet-arrow-fuzz-{number}"
        for number in (
            5106889906585600,
            5634349073694720,
            5638988460785664,
            5640198106120192,
            "5689850864074752.fuzz",
            5749949046456320,
        )
    ),
    *(f"clusterfuzz-testcase-parquet-arrow-fuzz-{number}" for number in (5076612654301184, 5131422543904768)),
    "bad_codec.parquet",
    "PARQUET-1481.parquet",
}


NO_TREE = "clusterfuzz-testcase-minimized-parquet-arrow-fuzz-5640198106120192"
BEHIND = {  # of these, those with data that reach into the footer
    *(
        f"clusterfuzz-testcase-minimized-parquet-arrow-fuzz-{number}"
        for number in (5106889906585600, 5634349073694720, 5749949046456320)
    ),
    "clusterfuzz-testcase-parquet-arrow-fuzz-5131422543904768",
}


def test_upgrade_and_strip_of_the_whole_corpus(corpus, expected, tmp_path):
    upgraded, verbatim, behind = 0, set(), set()
    for known in expected:
        if not known["footer"]["parses"]:
            continue
        original, name = (corpus / known["file"]).read_bytes(), PurePath(known["file"]).name
        path = tmp_path / "x.parquet"
        path.write_bytes(original)
        if known["footer"]["trailing_bytes"]:
            with pytest.raises(Refused):
                edits.upgrade(path, form="flat")
            assert path.read_bytes() == original
            continue
        if name == NO_TREE:
            for form in WRITABLE:
                with pytest.raises(Malformed, match="schema tree"):
                    edits.upgrade(path, form=form)
            assert path.read_bytes() == original
            continue
        try:
            edits.upgrade(path, form="flat")
        except Malformed as error:
            assert "leave the data" in error.message and known["class"] != "readable", known["file"]
            assert path.read_bytes() == original
            behind.add(name)
            continue
        upgraded += 1
        assert edits.upgrade(path, form="flat").outcome == "unchanged", known["file"]
        if known["class"] == "readable":
            assert pq.read_metadata(path).num_rows == known["num_rows"], known["file"]
        if _is_verbatim(path):
            verbatim.add(name)
        edits.strip(path, in_place=bool(upgraded % 2))
        assert path.read_bytes() == original, known["file"]
    assert verbatim == UNSAYABLE - {NO_TREE} - BEHIND and behind > BEHIND
    assert (upgraded, len(behind)) == (453 - 51, 51)


def _is_verbatim(path) -> bool:
    """Whether the flat footer only carries the Thrift one, which then is in use."""
    return "flat-verbatim" in {finding.kind for finding in integrity.verify(path).findings}


def test_a_verbatim_footer_is_reported_and_never_alone(corpus, expected, tmp_path):
    for known in expected:
        name = PurePath(known["file"]).name
        if name not in UNSAYABLE - {NO_TREE} - BEHIND:
            continue
        path = tmp_path / name
        path.write_bytes((corpus / known["file"]).read_bytes())
        edits.upgrade(path, form="flat")
        with parquetext.open(path) as file:
            assert (file.form, [finding.kind for finding in file.findings]) == ("thrift", ["flat-verbatim"])
        before = path.read_bytes()
        with pytest.raises(ParquetextError):
            edits.finalize(path, confirm=True)
        assert path.read_bytes() == before
