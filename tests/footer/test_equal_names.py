"""Many columns of one name in the forms with a table of names that is probed slot by slot."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.errors import Unsupported
from parquetext.footer.jump_table import jump_table_form, name_hash

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


def test_slots_in_a_row_are_counted_from_the_last_one_to_the_first_one_too():
    half = name_hash.MOST_PROBES // 2
    slots = 4 * name_hash.MOST_PROBES
    hashes = [*range(slots - half, slots), *range(half - 1)]
    assert name_hash.placed(hashes, slots).count(0) == slots - len(hashes)
    with pytest.raises(Unsupported, match="1024 slots"):
        name_hash.placed([*hashes, half - 1], slots)
