"""Sidecars that somebody else has written, such as QuestDB's own, stay as they are unless a caller says otherwise."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.foreign_sidecars import build_foreign, commit_on_top
from support.growing import grow

from parquetext import sidecar

pytestmark = pytest.mark.usefixtures("implementation")


def rows(first: int, count: int = 100) -> pa.Table:
    return pa.table({"a": pa.array(range(first, first + count))})


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "data.parquet"
    pq.write_table(rows(0), path)
    return path


class TestIsForeign:
    def test_a_sidecar_without_our_note_is_foreign(self, file):
        place = build_foreign(file)
        assert place.name == "_pm"
        assert sidecar.is_foreign(place)
        assert sidecar.foreign_beside(file) == str(place)

    def test_ours_are_not(self, file):
        place = Path(sidecar.build(file).sidecar)
        assert not sidecar.is_foreign(place)
        grow(file, rows(100))
        assert sidecar.update(file).outcome == "updated"
        assert not sidecar.is_foreign(place)
        assert sidecar.foreign_beside(file) is None

    @pytest.mark.parametrize("keeps_notes", [True, False])
    def test_a_foreign_commit_on_top_of_ours_makes_it_foreign(self, file, keeps_notes):
        place = Path(sidecar.build(file).sidecar)
        for first in (100, 200):
            grow(file, rows(first))
            commit_on_top(file, place, keeps_notes=keeps_notes)
            assert sidecar.is_foreign(place)

    @pytest.mark.parametrize("keeps_notes", [True, False])
    def test_our_commit_on_top_of_a_foreign_one_makes_it_ours(self, file, keeps_notes):
        place = Path(sidecar.build(file).sidecar)
        grow(file, rows(100))
        commit_on_top(file, place, keeps_notes=keeps_notes)
        sidecar.update(file)
        assert not sidecar.is_foreign(place)

    @pytest.mark.parametrize(("name", "foreign"), [("_pm", True), ("_data.parquet.pm", False)])
    @pytest.mark.parametrize("data", [b"", b"\xff" * 100], ids=["empty", "damaged"])
    def test_one_that_cannot_be_read_goes_by_its_name(self, file, name, foreign, data):
        file.with_name(name).write_bytes(data)
        assert (sidecar.foreign_beside(file) is not None) is foreign

    def test_no_sidecar(self, file):
        assert sidecar.foreign_beside(file) is None
        with pytest.raises(FileNotFoundError):
            sidecar.is_foreign(file.with_name("_pm"))
