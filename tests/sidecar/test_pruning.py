"""`sidecar.prune` removes our sidecars of deleted files, and nothing else."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
from support.foreign_sidecars import build_foreign
from support.typer_runner import CliRunner

from parquetext import sidecar
from parquetext.cli.app import app


@pytest.fixture
def lake(tmp_path) -> Path:
    """Two files with sidecars in different folders, and a ``data.parquet`` that is alone."""
    for name in ("a.parquet", "day=1/b.parquet", "alone/data.parquet"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        pq.write_table(pa.table({"a": range(10)}), path)
        sidecar.build(path)
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() or path.is_symlink())


def outcomes(found) -> dict[str, str]:
    return {os.path.basename(each.path): each.outcome for each in found}


def test_sidecars_of_files_that_are_there_stay(implementation, lake):
    before = names(lake)
    assert [*sidecar.prune(lake)] == [] and names(lake) == before


def test_orphans_are_removed_at_every_depth(implementation, lake):
    for name in ("a.parquet", "day=1/b.parquet", "alone/data.parquet"):
        (lake / name).unlink()
    before = names(lake)
    orphans = ["_a.parquet.pm", "_b.parquet.pm", "_pm"]
    assert outcomes(sidecar.prune(lake, dry_run=True)) == dict.fromkeys(orphans, "orphan")
    assert names(lake) == before
    found = [*sidecar.prune(lake)]
    assert outcomes(found) == dict.fromkeys(orphans, "removed")
    assert all(each.bytes > 0 for each in found) and names(lake) == []
    assert [*sidecar.prune(lake)] == []


def test_uncertain_files_are_kept_with_a_reason(implementation, lake):
    """It keeps damaged sidecars, others' notes, plain files, links, and the contents of hidden folders."""
    (lake / "_notes.pm").write_text("minutes of the meeting")
    (lake / "_empty.pm").touch()
    (lake / "_folder.parquet.pm").mkdir()
    ours = (lake / "_a.parquet.pm").read_bytes()
    (lake / "_damaged.parquet.pm").write_bytes(ours[: len(ours) // 2])
    (lake / "_link.parquet.pm").symlink_to(lake / "_a.parquet.pm")
    (lake / ".staging").mkdir()
    (lake / ".staging" / "_new.parquet.pm").write_bytes(ours)
    theirs = lake / "theirs"
    theirs.mkdir()
    pq.write_table(pa.table({"a": [1]}), theirs / "data.parquet")
    build_foreign(theirs / "data.parquet")
    (theirs / "data.parquet").unlink()
    before = names(lake)
    found = [*sidecar.prune(lake)]
    kept = ["_notes.pm", "_empty.pm", "_folder.parquet.pm", "_damaged.parquet.pm", "_link.parquet.pm", "_pm"]
    assert outcomes(found) == dict.fromkeys(kept, "kept")
    assert all(each.message for each in found) and names(lake) == before


def test_a_dangling_link_counts_as_the_file(implementation, lake):
    (lake / "a.parquet").unlink()
    (lake / "a.parquet").symlink_to(lake / "elsewhere.parquet")
    assert [*sidecar.prune(lake)] == []


def test_a_file_that_comes_back_keeps_its_sidecar(lake, monkeypatch):
    """In the moment before its sidecar would go."""
    (lake / "a.parquet").unlink()
    monkeypatch.setattr("parquetext.sidecar.pruning._is_there", lambda position, of: True)
    (found,) = sidecar.prune(lake)
    assert (found.outcome, found.message) == ("kept", "a.parquet has come back")
    assert (lake / "_a.parquet.pm").exists()


def test_other_filesystems(lake):
    (lake / "a.parquet").unlink()
    filesystem = pafs.SubTreeFileSystem(str(lake), pafs.LocalFileSystem())
    assert outcomes(sidecar.prune((filesystem, "/"))) == {"_a.parquet.pm": "removed"}
    assert "_a.parquet.pm" not in names(lake)


def test_a_file_is_no_directory(lake):
    with pytest.raises(NotADirectoryError):
        next(sidecar.prune(lake / "a.parquet"))


def test_the_command_reports_and_a_dry_run_removes_nothing(lake):
    (lake / "a.parquet").unlink()
    (lake / "_notes.pm").write_text("minutes")
    run = CliRunner().invoke
    dry = run(app, ["sidecar", "prune", "--dry-run", "--json", str(lake)])
    message = {os.path.basename(each["path"]): each["outcome"] for each in map(json.loads, dry.stdout.splitlines())}
    assert message == {"_a.parquet.pm": "orphan", "_notes.pm": "kept"} and dry.exit_code == 0
    assert (lake / "_a.parquet.pm").exists()
    done = run(app, ["sidecar", "prune", str(lake)])
    assert done.exit_code == 0 and "1 removed, 1 kept" in done.stdout
    assert not (lake / "_a.parquet.pm").exists() and (lake / "_notes.pm").exists()
    assert run(app, ["sidecar", "prune", str(lake / "nowhere")]).exit_code == 2
