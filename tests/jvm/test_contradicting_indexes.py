"""Slices for scans that skip pages leave out column indexes that cannot be right, by the rule of reads."""

from __future__ import annotations

import random

import pytest
from support.changed_metadata import with_indexes
from support.contradicting_indexes import (
    CONTRADICTIONS,
    ROWS_OF_PAGE,
    TABLE,
    D,
    N,
    change_column_index,
    write_indexed,
)
from support.flat_files import ADD_FORM
from support.java_slices import Request
from support.page_indexes import why_untrusted

import parquetext
from parquetext import thrift

NAMES = [name.encode() for name in TABLE.column_names]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "x.parquet"
    write_indexed(path)
    return path


def indexed(ask, path, form: str, filtered: list[bytes]) -> list[list[bool]]:
    """Return for each row group which columns of the slice have a column index; statistics stay in all cases."""
    copy = path.with_name(f"{form}.parquet")
    copy.write_bytes(ADD_FORM[form](path.read_bytes()))
    (answer,) = ask([Request(copy, NAMES, what="slice", filtered=filtered)])
    assert answer.form == form
    groups = [group["columns"] for group in thrift.read("FileMetaData", answer.footer)["row_groups"]]
    for chunk in (chunk for group in groups for chunk in group):
        assert "statistics" in chunk["meta_data"] and chunk["offset_index_length"] > 0
        assert ("column_index_offset" in chunk) == ("column_index_length" in chunk)
    return [["column_index_offset" in chunk for chunk in group] for group in groups]


def contradicted(path, leaf: int) -> list[bool]:
    """Return for each row group whether reads ignore the column index of a leaf."""
    with parquetext.open(path) as file:
        column = file.column(TABLE.column_names[leaf])
        pages = [ROWS_OF_PAGE] * 4
        return [bool(why_untrusted(file._source, column.chunks, column.node, group, pages)) for group in (0, 1)]


def without(leaf: int, absent: list[bool]) -> list[list[bool]]:
    return [[number != leaf or not is_absent for number in range(len(NAMES))] for is_absent in absent]


@pytest.mark.parametrize("form", ADD_FORM)
@pytest.mark.parametrize("leaf, change", CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_a_column_index_with_a_contradiction_is_left_out(ask, path, form, leaf, change):
    change_column_index(path, leaf, change)
    absent = contradicted(path, leaf)
    assert any(absent)
    assert indexed(ask, path, form, [NAMES[leaf]]) == without(leaf, absent)


@pytest.mark.parametrize("form", ADD_FORM)
def test_indexes_that_no_page_is_skipped_by_are_not_read(ask, path, form):
    leaf, change = CONTRADICTIONS["a flag less"]
    change_column_index(path, leaf, change)
    for filtered in ([], [NAMES[D], b"absent"]):
        assert indexed(ask, path, form, filtered) == without(leaf, [False, False])
    assert indexed(ask, path, form, NAMES) == without(leaf, [True, True])


@pytest.mark.parametrize("form", ADD_FORM)
def test_sound_column_indexes_stay(ask, path, form):
    assert indexed(ask, path, form, NAMES) == without(N, [False, False])


def moved_rows(places: dict, page: int, row: int) -> dict:
    pages = [dict(position) for position in places["page_locations"]]
    pages[page]["first_row_index"] = row
    return places | {"page_locations": pages}


PLACES = {
    "rows that do not ascend": lambda places: moved_rows(places, 2, 20),
    "rows after the row group": lambda places: moved_rows(places, 3, 200),
    "a first page that begins later": lambda places: moved_rows(places, 0, 10),
    "a page less": lambda places: places | {"page_locations": places["page_locations"][:-1]},
    "no pages": lambda places: places | {"page_locations": []},
    "no struct": lambda places: b"\xff" * 20,
}


@pytest.mark.parametrize("form", ADD_FORM)
@pytest.mark.parametrize("change", PLACES.values(), ids=PLACES)
def test_a_column_index_with_a_wrong_offset_index_is_omitted(ask, path, form, change):
    with_indexes(path, N, lambda group, bounds, places: (bounds, change(places)))
    assert indexed(ask, path, form, [NAMES[N]]) == without(N, [True, True])


def changed_anyhow(index: dict, random: random.Random) -> dict:
    """Return a column index of which one or two entries are others."""
    made = {name: list(value) if isinstance(value, list) else value for name, value in index.items()}
    for _ in range(random.randint(1, 2)):
        name, page = random.choice(sorted(made)), random.randrange(3)
        if name == "boundary_order":
            made[name] = random.randrange(-1, 4)
        elif name == "null_pages":
            made[name][page] = not made[name][page]
        elif name == "null_counts":
            made[name][page] = random.choice([0, 1, 49, 50, 51, -1, 1 << 62])
        elif made[name] and isinstance(made[name][0], bytes):
            made[name][page] = random.choice([random.choice(index[name]), bytes(random.randint(0, 9)), b"\xff" * 8])
    return made


def test_any_column_index_has_the_rule_of_reads(ask, path):
    """Both row groups get other indexes, of every column in turn; most changes contradict something."""
    original, chance, kept = path.read_bytes(), random.Random(28), 0
    for turn in range(200):
        leaf = turn % len(NAMES)
        path.write_bytes(original)
        change_column_index(path, leaf, lambda index: changed_anyhow(index, chance))
        absent = contradicted(path, leaf)
        form = chance.choice(sorted(ADD_FORM))
        assert indexed(ask, path, form, [NAMES[leaf]]) == without(leaf, absent), turn
        kept += absent.count(False)
    assert 20 < kept < 380
