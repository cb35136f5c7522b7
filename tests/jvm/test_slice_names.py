"""Which columns a slice has: by names, with case or without, and none."""

from __future__ import annotations

import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.java_slices import Request, columns_of

from parquetext import edits

SMALL = {"Id": [1], "name": ["a"], "NAME": ["b"], "Größe": [1.5], "İd": [2], "list": [[1]], "s": [{"Id": 1, "x": 2}]}
WIDE = {f"column_{i}": [i] for i in range(3000)} | {"Other": [1], "OTHER": [2]}


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    for name, columns in (("small", SMALL), ("wide", WIDE)):
        pq.write_table(pa.table(columns), folder / name)
    return folder


@pytest.fixture(scope="module", params=["flat", "index", "packed", "par3"])
def file(request, plain):
    """Gives the path of one of the tables in one form."""
    for name in ("small", "wide"):
        path = plain / f"{name}-{request.param}"
        shutil.copyfile(plain / name, path)
        edits.upgrade(path, form="flat" if request.param == "par3" else request.param)
        if request.param == "par3":
            edits.finalize(path, confirm=True)
    return lambda name: plain / f"{name}-{request.param}"


@pytest.fixture
def found(ask, file):
    """The columns of the slice of some names."""

    def found(table: str, *names: str, case_sensitive: bool = True) -> list[str]:
        wanted = [name.encode() for name in names]
        (answer,) = ask([Request(file(table), wanted, "as-c", case_sensitive)])
        return columns_of(answer)

    return found


def test_a_name_is_found_as_it_is(found):
    assert found("small", "name", "Größe") == ["name", "Größe"]
    assert found("wide", "column_2999", "column_0") == ["column_0", "column_2999"]


def test_a_name_that_the_file_lacks_is_ignored(found):
    assert found("small", "name", "id", "nothing") == ["name"]
    assert found("small", "name", "nothing", case_sensitive=False) == ["name", "NAME"]
    assert found("wide", "Column_1", "column_1", "nothing") == ["column_1"]


def test_names_are_found_in_other_letters(found):
    assert found("small", "iD", "GRÖSSE", "größe", case_sensitive=False) == ["Id", "Größe"]
    assert found("wide", "COLUMN_2998", "Column_7", case_sensitive=False) == ["column_7", "column_2998"]


def test_all_columns_of_an_ambiguous_name_are_there(found):
    """Spark itself says that the name is ambiguous."""
    assert found("small", "Name", case_sensitive=False) == ["name", "NAME"]
    assert found("small", "name", case_sensitive=False) == ["name", "NAME"]
    assert found("wide", "other", case_sensitive=False) == ["Other", "OTHER"]


def test_a_name_of_a_wide_file_is_ambiguous_although_it_is_found_as_it_is(ask, file):
    """Of PAR3 alone it is not: no other reader of Spark's could say so, and all names are all of the footer."""
    for name in ("Other", "OTHER"):
        (answer,) = ask([Request(file("wide"), [name.encode(), b"column_7"], "slice", case_sensitive=False)])
        both = [name] if answer.form == "par3" else ["Other", "OTHER"]
        assert columns_of(answer) == ["column_0", "column_7", *both]


def test_names_in_other_letters_are_looked_for_within_the_same_requests(ask, file):
    (answer,) = ask([Request(file("wide"), [b"column_1500"], "slice", case_sensitive=False)])
    assert columns_of(answer) == ["column_0", "column_1500"]
    assert answer.reads <= 4 and answer.rounds <= 3


def test_nothing_but_whole_top_level_columns_is_found(found):
    assert found("small", "s.x", "x", "list.list", "schema", "") == ["Id"]
    assert found("small", "list", "s") == ["list", "s"]


def test_no_names_keep_one_leaf(found):
    assert found("small") == ["Id"]
    assert found("wide") == ["column_0"]


def test_a_scans_slice_begins_with_the_first_leaf(ask, file):
    (answer,) = ask([Request(file("small"), [b"s"], "slice")])
    assert columns_of(answer) == ["Id", "s"]


def test_unknown_names_alone_keep_one_leaf(found):
    assert found("wide", "nothing", case_sensitive=False) == ["column_0"]


@pytest.mark.parametrize("share", [0.0, 0.2, 0.6])
def test_more_columns_than_wanted_are_not_sliced(ask, file, share):
    names = [name.encode() for name in SMALL]
    answers = ask([Request(file("small"), names[:count], "slice", most_share=share) for count in range(8)])
    leaves = [1, 1, 2, 3, 4, 5, 6, 8]
    assert [not answer.reason for answer in answers] == [count <= share * 8 for count in leaves]
    assert {answer.reason for answer in answers} <= {"", "TOO_MANY_COLUMNS"}
