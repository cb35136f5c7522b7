"""Sidecars of other programs, such as QuestDB's, stay unchanged unless the caller forces a change."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
from support.foreign_sidecars import build_foreign, commit_on_top
from support.growing import grow

import parquetext
from parquetext import sidecar
from parquetext.arrow.planned import open_planned
from parquetext.errors import Damaged, ParquetextError, Refused, Unsupported, outcome_of
from parquetext.pruning import predicate_of

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
        position = build_foreign(file)
        assert position.name == "_pm"
        assert sidecar.is_foreign(position)
        assert sidecar.foreign_beside(file) == str(position)

    def test_ours_are_not(self, file):
        position = Path(sidecar.build(file).sidecar)
        assert not sidecar.is_foreign(position)
        grow(file, rows(100))
        assert sidecar.update(file).outcome == "updated"
        assert not sidecar.is_foreign(position)
        assert sidecar.foreign_beside(file) is None

    @pytest.mark.parametrize("keeps_notes", [True, False])
    def test_a_foreign_commit_on_top_of_ours_makes_it_foreign(self, file, keeps_notes):
        position = Path(sidecar.build(file).sidecar)
        for first in (100, 200):
            grow(file, rows(first))
            commit_on_top(file, position, keeps_notes=keeps_notes)
            assert sidecar.is_foreign(position)

    @pytest.mark.parametrize("keeps_notes", [True, False])
    def test_our_commit_on_top_of_a_foreign_one_makes_it_ours(self, file, keeps_notes):
        position = Path(sidecar.build(file).sidecar)
        grow(file, rows(100))
        commit_on_top(file, position, keeps_notes=keeps_notes)
        sidecar.update(file, ignore="foreign-sidecar")
        assert not sidecar.is_foreign(position)

    @pytest.mark.parametrize(("name", "foreign"), [("_pm", True), ("_data.parquet.pm", False)])
    @pytest.mark.parametrize("data", [b"", b"\xff" * 100], ids=["empty", "damaged"])
    def test_an_unreadable_sidecar_is_classified_by_its_name(self, file, name, foreign, data):
        file.with_name(name).write_bytes(data)
        assert (sidecar.foreign_beside(file) is not None) is foreign

    def test_no_sidecar(self, file):
        assert sidecar.foreign_beside(file) is None
        with pytest.raises(FileNotFoundError):
            sidecar.is_foreign(file.with_name("_pm"))


WRITE = {
    "build": sidecar.build,
    "update": sidecar.update,
    "compact": lambda path, **options: sidecar.compact(path, always=True, **options),
}


class TestLeftAlone:
    """Verbs that write sidecars leave foreign ones unchanged, unless an option includes them."""

    @pytest.mark.parametrize("verb", WRITE)
    @pytest.mark.parametrize("name", ["_pm", "_data.parquet.pm"])
    def test_nothing_of_ours_replaces_it(self, file, verb, name):
        position = build_foreign(file, file.with_name(name))
        before = position.read_bytes()
        grow(file, rows(100))
        with pytest.raises(Refused, match="ignore 'foreign-sidecar'") as caught:
            WRITE[verb](file, sidecar=position)
        assert (caught.value.file, outcome_of(caught.value)) == (str(position), "refused")
        assert position.read_bytes() == before
        assert {path.name for path in file.parent.iterdir()} == {file.name, name}

    @pytest.mark.parametrize(("verb", "outcome"), [("build", "built"), ("update", "updated"), ("compact", "compacted")])
    def test_a_foreign_sidecar_is_replaced_with_force(self, file, verb, outcome):
        build_foreign(file)
        grow(file, rows(100))
        assert WRITE[verb](file, ignore=["foreign-sidecar"]).outcome == outcome
        assert sidecar.foreign_beside(file) is None
        with sidecar.open(file) as plan:
            assert plan.num_rows == 200

    @pytest.mark.parametrize("verb", WRITE)
    def test_a_foreign_commit_on_top_of_ours_is_not_overwritten(self, file, verb):
        position = Path(sidecar.build(file).sidecar)
        grow(file, rows(100))
        commit_on_top(file, position)
        before = position.read_bytes()
        with pytest.raises(Refused):
            WRITE[verb](file)
        assert position.read_bytes() == before

    def test_an_edit_of_the_file_does_not_renew_it(self, file):
        position = Path(sidecar.build(file).sidecar)
        grow(file, rows(100))
        commit_on_top(file, position)
        before = position.read_bytes()
        parquetext.upgrade(file, ignore=["table-format"])
        parquetext.write_table(rows(7), file, ignore=["table-format"])
        assert position.read_bytes() == before

    @pytest.mark.parametrize("verb", WRITE)
    def test_a_refusal_of_another_name_cannot_be_forced(self, file, verb):
        sidecar.build(file)
        with pytest.raises(ParquetextError, match="no such refusal to ignore: foreign"):
            WRITE[verb](file, ignore="foreign")

    def test_one_on_another_filesystem(self, file):
        position = build_foreign(file)
        before = position.read_bytes()
        with pytest.raises(Refused):
            sidecar.build((pafs.LocalFileSystem(), str(file)))
        with pytest.raises(Refused):
            sidecar.update((pafs.LocalFileSystem(), str(file)))
        assert position.read_bytes() == before

    def test_a_store_is_not_begun_over_it(self, tmp_path):
        (tmp_path / "_pm").write_bytes(b"theirs")
        with pytest.raises(Refused):
            sidecar.Store(tmp_path).append(rows(0))
        assert (tmp_path / "_pm").read_bytes() == b"theirs"


class TestForeignCommitOnTopOfOurs:
    """QuestDB appends to a file of which we have made the sidecar, and commits that to the sidecar."""

    @pytest.fixture(params=[True, False], ids=["keeps notes", "no notes"])
    def grown(self, file, request) -> Path:
        position = Path(sidecar.build(file).sidecar)
        grow(file, rows(100))
        commit_on_top(file, position, keeps_notes=request.param)
        return file

    def test_it_is_read_by_the_token(self, grown):
        with sidecar.open(grown, parquet_size=grown.stat().st_size) as plan:
            assert (plan.origin, plan.num_rows) == (None, 200)
            for filters, count in ((None, 200), ([("a", ">=", 150)], 50), ([("a", "=", 3)], 1)):
                assert parquetext.read_table(grown, filters=filters, sidecar=plan).num_rows == count
            assert plan.surviving(predicate_of([("a", ">=", 150)])) == [1]

    def test_without_the_token_it_is_not_used(self, grown):
        with pytest.raises(Unsupported, match="version token"):
            sidecar.open(grown)
        assert parquetext.read_table(grown, filters=[("a", ">=", 150)], sidecar=True).num_rows == 50
        assert parquetext.dataset(grown.parent).to_table(filter=pc.field("a") >= 150).num_rows == 50
        with open_planned(grown) as file:
            assert (file.form, [finding.kind for finding in file.findings]) == ("thrift", ["sidecar-unused"])

    def test_a_foreign_sidecar_is_compared_by_its_content(self, grown):
        assert sidecar.compare(grown) == []

    def test_a_file_of_another_size_than_the_token_is_no_match(self, grown):
        with sidecar.open(grown, parquet_size=grown.stat().st_size) as plan:
            grow(grown, rows(200))
            with pytest.raises(Damaged, match="the plan is of a file of"):
                parquetext.read_table(grown, sidecar=plan)
