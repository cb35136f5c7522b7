"""Folders of tables with logs: a sidecar only on request, and a warning for readers of the folder."""

from __future__ import annotations

import warnings
from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext import sidecar
from parquetext.errors import Refused
from parquetext.sidecar.table_formats import is_logged, membership, table_among

LOGS = {
    "Delta Lake": "_delta_log/00000000000000000000.json",
    "Hudi": ".hoodie/hoodie.properties",
    "Iceberg": "metadata/00000-5d0f.metadata.json",
}


@pytest.fixture(params=LOGS)
def table(request, tmp_path) -> tuple[str, Path]:
    """A table of the format, and a file of it."""
    log = tmp_path / "table" / LOGS[request.param]
    log.parent.mkdir(parents=True)
    log.write_text("{}")
    path = tmp_path / "table" / "day=1" / "x.parquet"
    path.parent.mkdir()
    pq.write_table(pa.table({"a": [1, 2]}), path)
    return request.param, path


def test_a_first_sidecar_is_refused_there_unless_forced(table):
    kind, path = table
    for make in (sidecar.build, sidecar.update):
        with pytest.raises(Refused, match=rf"{kind} table at .*/table.*not know a sidecar \(ignore 'table-format'"):
            make(path)
    assert [each.name for each in path.parent.iterdir()] == ["x.parquet"]
    assert sidecar.build(path, ignore="table-format").outcome == "built"
    assert sidecar.build(path).outcome == "built"  # one is there: it was asked for


def test_no_refusal_recommends_a_sidecar(table):
    with pytest.raises(Refused) as refused:
        parquetext.upgrade(table[1], "flat")
    assert "sidecar" not in str(refused.value)


def test_reading_the_folder_warns_that_the_log_is_not_followed(table):
    kind, path = table
    root = str(path.parents[1])
    remote = pafs.SubTreeFileSystem(root, pafs.LocalFileSystem()), "/"
    for position in (
        [path.parent] if kind == "Iceberg" else [path.parent, root, remote]
    ):  # its folder of metadata is read
        with pytest.warns(UserWarning, match=rf"{kind} table, whose log is not followed here: rows .* come back"):
            assert parquetext.dataset(position).count_rows() == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parquetext.dataset([path]).count_rows() == 2  # which the log lists, perhaps


def test_a_log_is_found_among_the_names_of_a_listing():
    assert table_among("b/t", ["b/t/x.parquet", "b/t/_delta_log/0.json"]) == ("Delta Lake", "b/t")
    assert table_among("b", ["b/t/.hoodie/hoodie.properties"]) == ("Hudi", "b/t")
    assert table_among("", ["t/metadata/1.metadata.json"]) == ("Iceberg", "t")
    assert table_among("b", ["b/metadata/notes.json", "b/x_delta_log/y", "b/_delta_log"]) is None


def test_only_tables_with_a_clean_up_are_logged():
    assert is_logged(membership("Hudi", "s3://b/a table at, whose"))
    assert not is_logged(membership("QuestDB", "/x")) and not is_logged("")
