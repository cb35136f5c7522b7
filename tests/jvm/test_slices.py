"""Slices made in Java equal those of the C library byte for byte, and match the golden files."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.c_slices import opened, sliced, top_level
from support.corpus_files import readable
from support.golden_files import FOLDER, expectation, with_block
from support.java_slices import Request, sliced_file

from parquetext import edits

CONFORMANCE = Path(__file__).parents[1] / "conformance"
WAYS = [(form, placement) for form in ("flat", "index", "packed") for placement in ("aside", "in-struct", "after-stop")]


OURS = with_block()


def projections(columns: list) -> list[list]:
    """Each of the first columns, all of them, every other one, and none."""
    return [*([column] for column in columns[:20]), columns, columns[::2], []]


def assert_slices_are_those_of_c(ask, paths: list[Path]) -> None:
    requests, expected = [], []
    for path in paths:
        with opened(path) as (form, reader):
            for columns in projections(top_level(reader)):
                requests.append(Request(path, [column.name for column in columns]))
                expected.append((form, sliced(reader, columns)))
    answers = ask(requests)
    assert [request for request, answer in zip(requests, answers, strict=True) if answer.footer is None] == []
    assert [(answer.form, answer.footer) for answer in answers] == expected


def test_slices_of_golden_files_are_those_of_c(ask):
    assert len(OURS) > 30
    assert_slices_are_those_of_c(ask, OURS)


@pytest.fixture(scope="module")
def expected_of():
    sys.path.insert(0, str(CONFORMANCE))
    try:
        from expectations import expected_of
    finally:
        sys.path.remove(str(CONFORMANCE))
    return expected_of


def test_readers_of_slices_find_the_values_of_golden_files(ask, expected_of, tmp_path):
    """Bounds, counts, offsets and values; and Spark's key-values, which these files do not have."""
    names = [
        list(dict.fromkeys(column["path"][0].encode() for column in expectation(path)["columns"])) for path in OURS
    ]
    answers = ask([Request(path, some, what="slice") for path, some in zip(OURS, names, strict=True)])
    for path, answer in zip(OURS, answers, strict=True):
        found, expected = expected_of(str(sliced_file(path, answer, tmp_path))), expectation(path)
        for fact in ("num_rows", "version", "created_by", "columns", "names", "values"):
            assert found[fact] == expected[fact], (path.name, fact)
        assert found["key_values"] == {}


def test_damaged_and_plain_golden_files_are_not_sliced(ask):
    others = [path for path in FOLDER.glob("*.parquet") if path not in OURS]
    answers = dict(zip(others, ask([Request(path, [b"c0"], what="slice") for path in others]), strict=True))
    assert {path.stem for path, answer in answers.items() if answer.footer is not None} == set()
    reasons = {path.stem: answer.reason for path, answer in answers.items()}
    assert reasons["wide-thrift"] == reasons["wide-flat-damaged-uuid"] == "NO_BLOCK"
    assert reasons["wide-flat-damaged-encrypted"] == "ENCRYPTED"
    assert reasons["wide-flat-aside-damaged-column"] == reasons["wide-index-damaged-thrift-chunk"] == "DAMAGED"
    assert reasons["wide-packed-damaged-placement"] == reasons["wide-packed-damaged-areas"] == "DAMAGED"
    assert reasons["wide-flat-aside-damaged-moved"] == reasons["wide-flat-damaged-tail-block"] == "DAMAGED"


def upgraded(path: Path, folder: Path, ways: list[tuple[str, str]]) -> list[Path]:
    """Copies of a file in these forms and placements."""
    copies = []
    for form, placement in ways:
        copies.append(folder / f"{len(list(folder.iterdir()))}-{form}-{placement}.parquet")
        shutil.copyfile(path, copies[-1])
        edits.upgrade(copies[-1], form=form, placement=placement)
    return copies


def test_slices_of_real_files_are_those_of_c(ask, corpus, expected, tmp_path):
    """Each in one of the forms and placements, by turns."""
    paths = [path for path in readable(corpus, expected) if path.stat().st_size < 1_000_000]
    copies = [copy for at, path in enumerate(paths) for copy in upgraded(path, tmp_path, [WAYS[at % len(WAYS)]])]
    assert len(copies) > 300
    assert_slices_are_those_of_c(ask, copies)


def test_slices_of_real_files_are_those_of_c_in_all_forms(long, ask, corpus, expected, tmp_path):
    copies = [copy for path in readable(corpus, expected) for copy in upgraded(path, tmp_path, WAYS)]
    assert_slices_are_those_of_c(ask, copies)


def tables() -> dict[str, pa.Table]:
    """Tables whose footers are unlike each other."""
    struct = {"x": 1, "list": [{"y": "a", "z": [1.5]}, None], "s": {"t": {"u": b"\0\1", "v": 2}}}
    pairs = pa.array([[("k", 1.5)], None, []], pa.map_(pa.string(), pa.float64()))
    long = "a name of more than thirty-two bytes, as XXH64 takes them"
    return {
        "nested": pa.table(
            {"plain": [1, 2, 3], "struct": [struct, None, struct], "map": pairs, "end": [[["a"], []], None, [[None]]]}
        ),
        "names": pa.table({name: [1, None] for name in ("ü", "数", "a.b", "🦆", "A", "a", " ", long, "a,b", "")}),
        "wide": pa.table({f"c{i}": [i] for i in range(700)}),
        "structs": pa.table({f"s{i}": [{f"f{j}": j for j in range(40)}] for i in range(20)}),
        "texts": pa.table({"text": ["x" * 300, "", None, "ä" * 40], "blob": [b"", None, b"\xff" * 20, b"a"]}),
        "types": pa.table(
            {"b": [True, None], "f": [1.5, float("nan")], "d": pa.array([None, None], pa.decimal128(20, 2))}
        ),
    }


@pytest.mark.parametrize("rows_of_group", [1, 1000])
def test_slices_of_made_files_are_those_of_c(ask, rows_of_group, tmp_path):
    copies = []
    for name, table in tables().items():
        pq.write_table(table, tmp_path / name, row_group_size=rows_of_group, write_page_index=name != "texts")
        copies += upgraded(tmp_path / name, tmp_path, WAYS)
    assert_slices_are_those_of_c(ask, copies)


def test_slices_of_many_row_groups_are_those_of_c(ask, tmp_path):
    """More row groups than a cell holds: 64."""
    table = pa.table({"n": range(200), "text": [str(i) for i in range(200)], "list": [[i] for i in range(200)]})
    pq.write_table(table, tmp_path / "many", row_group_size=1)
    assert_slices_are_those_of_c(ask, upgraded(tmp_path / "many", tmp_path, WAYS))


def test_slices_of_ten_thousand_columns_are_those_of_c(ask, tmp_path):
    table = pa.table({f"column_{i}": [i] for i in range(10_000)})
    pq.write_table(table, tmp_path / "wide", compression="none", use_dictionary=False)
    assert_slices_are_those_of_c(ask, upgraded(tmp_path / "wide", tmp_path, [WAYS[0], WAYS[4]]))


def test_slices_of_encoded_files_are_those_of_c(ask, tmp_path):
    """Their footers contain a block as text before the reference, and row groups whose first chunk is last."""
    path = tmp_path / "encoded"
    table = pa.table({name: [float(i) for i in range(3000)] for name in "abcd"})
    pq.write_table(table, path, row_group_size=1000, use_dictionary=False)
    edits.encode(path, {"c": "ALP"})
    assert_slices_are_those_of_c(ask, upgraded(path, tmp_path, WAYS))
