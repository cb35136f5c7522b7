"""Columns of one name in the forms with a table of names that is probed slot by slot."""

from __future__ import annotations

from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.errors import ColumnError, Unsupported
from parquetext.footer.jump_table import jump_table_form, name_hash
from parquetext.footer.modular import writing

COLUMNS = name_hash.MOST_PROBES + 100
FORMS = pytest.mark.parametrize("form", ["jump-table", "modular"])


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table([pa.array([1])] * COLUMNS, names=["x"] * COLUMNS), path)
    return path


@FORMS
def test_a_table_of_names_that_readers_do_not_probe_to_its_end_is_not_written(path, form):
    before = path.read_bytes()
    with pytest.raises(Unsupported, match="equal names"):
        parquetext.upgrade(path, form=form)
    assert path.read_bytes() == before


@FORMS
def test_all_columns_of_one_name_are_found_if_a_table_leads_to_some_of_them(path, form, monkeypatch, implementation):
    monkeypatch.setattr(jump_table_form, "LOCAL_SHARE", 0)
    with monkeypatch.context() as patched:
        patched.setattr(name_hash, "MOST_PROBES", 1 << 20)
        parquetext.upgrade(path, form=form)
    with parquetext.open(path, form=form) as file:
        assert file.form == form and len(file._form.find_name(b"x")) == COLUMNS


NAMES = {
    "flat": ["y", "x", "x", "n", "x", "x1", "N", "", "", "a.b", "a.b", "Größe", "Größe", "c" * 300, "c" * 300, "d"],
    "nested": ["x", "s", "s", "x", "s.y", "t"],
}


def table_of(kind: str) -> pa.Table:
    structs = pa.array([{"y": 1, "z": {"x": 2}}])
    columns = [structs if name == "s" else pa.array([number]) for number, name in enumerate(NAMES[kind])]
    return pa.table(columns, names=NAMES[kind])


def with_one_of_equal_names(hashes, slots, placed=name_hash.placed, *, last=False):
    """The table of another program, which lists only one of several equal names."""
    numbers = enumerate(hashes) if last else reversed([*enumerate(hashes)])
    listed = {hashed: number for number, hashed in numbers}
    elements = [*listed.values()]
    return [slot and elements[slot - 1] + 1 for slot in placed([*listed], slots)]


def answer(path, form, name):
    """The column of a name, or the message of the error."""
    with parquetext.open(path, form=form) as file:
        assert file.form == form
        try:
            column = file.column(name)
        except ColumnError as error:
            found = str(error)
        else:
            found = column.leaf, column.path, list(column.data_page_offset)
        assert (file.form, file.findings) == (form, [])
        return found, file._form.find_columns([name])[0] is None


@FORMS
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.usefixtures("implementation")
def test_a_name_is_as_ambiguous_as_in_the_thrift_footer_if_a_table_lists_one_of_them(
    tmp_path, form, kind, last, monkeypatch
):
    monkeypatch.setattr(jump_table_form, "LOCAL_SHARE", 0)
    path = tmp_path / "x.parquet"
    pq.write_table(table_of(kind), path)
    with monkeypatch.context() as patched:
        for module in (name_hash, writing):
            patched.setattr(module, "placed", partial(with_one_of_equal_names, last=last))
        parquetext.upgrade(path, form=form)
    for name in {*NAMES[kind], "s.z.x", "s.y", ("x",), ("a.b",), "nothing"}:
        assert answer(path, form, name) == answer(path, "thrift", name), name
    [finding] = parquetext.verify(path).findings
    assert finding.kind == f"{form}-damaged" and "does not lead to" in finding.message


def test_slots_in_a_row_are_counted_from_the_last_one_to_the_first_one_too():
    half = name_hash.MOST_PROBES // 2
    slots = 4 * name_hash.MOST_PROBES
    hashes = [*range(slots - half, slots), *range(half - 1)]
    assert name_hash.placed(hashes, slots).count(0) == slots - len(hashes)
    with pytest.raises(Unsupported, match="1024 slots"):
        name_hash.placed([*hashes, half - 1], slots)
