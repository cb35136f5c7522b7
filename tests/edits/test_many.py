"""Many files at once: the files that a path denotes, and one result per file."""

from __future__ import annotations

from pathlib import Path

import pyarrow.fs as pafs
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from support.lakes import NAMES
from support.parquet_bytes import parquet_bytes

from parquetext import edits

ORIGINAL = parquet_bytes()


@pytest.fixture
def lake(tmp_path) -> Path:
    for name in NAMES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(ORIGINAL)
    (tmp_path / "README").write_text("no magic")
    (tmp_path / "notes.txt").write_bytes(ORIGINAL)
    return tmp_path


def names(lake: Path, *paths: object) -> list[str]:
    return [str(Path(found).relative_to(lake)) for found in edits.expand(paths)]


def test_a_directory_means_the_parquet_files_below_it(lake):
    assert names(lake, lake) == ["000000_0", "_part=3/d.parq", "day=1/a.parquet", "day=1/b.parquet", "day=2/c.PARQUET"]


def test_a_glob_skips_hidden_files(lake):
    assert names(lake, lake / "day=1" / "*") == ["day=1/a.parquet", "day=1/b.parquet"]
    assert names(lake, f"{lake}/**/*.parquet") == ["day=1/a.parquet", "day=1/b.parquet"]
    assert names(lake, f"{lake}/day=*") == ["day=1/a.parquet", "day=1/b.parquet", "day=2/c.PARQUET"]
    assert names(lake, f"{lake}/nothing*") == []


def test_braces_select_alternatives_and_include_named_hidden_files(lake):
    expected = ["_temporary/e.parquet", "day=1/a.parquet", "day=2/c.PARQUET"]
    assert names(lake, f"{lake}/{{day=*/[ac],_temporary/e}}.{{PARQUET,parquet}}") == expected
    assert names(lake, f"{lake}/{{day=1/a,absent}}.parquet") == ["day=1/a.parquet"]
    assert names(lake, f"{lake}/{{also,absent}}.parquet") == ["{also,absent}.parquet"]  # for whoever opens it to say so
    (lake / "day={1,2}").mkdir()
    assert names(lake, f"{lake}/day={{1,2}}") == []  # its very name


def test_folders_at_any_depth_are_no_linked_ones(lake):
    (lake / "day=1" / "back").symlink_to(lake)
    (lake / "day=1" / ".loop").symlink_to(".loop")
    assert names(lake, f"{lake}/**/c.PARQUET") == ["day=2/c.PARQUET"]
    assert names(lake, f"{lake}/day=1/*/day=2") == ["day=1/back/day=2/c.PARQUET"]


def test_a_file_named_in_full_is_accepted_with_any_name(lake):
    assert names(lake, lake / ".hidden.parquet", f"file://{lake}/notes.txt", lake / "absent") == [
        ".hidden.parquet",
        "notes.txt",
        "absent",
    ]


def test_a_file_comes_once(lake):
    assert names(lake, lake / "day=1" / "b.parquet", lake / "day=1") == ["day=1/b.parquet", "day=1/a.parquet"]


def test_one_path_needs_no_list(lake):
    assert list(edits.expand(str(lake / "000000_0"))) == [str(lake / "000000_0")]


def test_a_filesystem_lists_the_same_files(lake):
    filesystem = pafs.PyFileSystem(pafs.FSSpecHandler(__import__("fsspec").filesystem("file")))

    def found(path):
        return [str(Path(target.path).relative_to(lake)) for target in edits.expand([(filesystem, path)])]

    assert found(str(lake)) == names(lake, lake)
    assert found(f"{lake}/day=1/*") == ["day=1/a.parquet", "day=1/b.parquet"]
    assert found(f"{lake}/**/[!b].parquet") == ["day=1/a.parquet"]
    assert found(f"{lake}/.hidden.parquet") == [".hidden.parquet"]
    for pattern in ("{day=*/[ac],_temporary/e}.{PARQUET,parquet}", "day=*", "{day=1/a,absent}.parquet", "{a,b}", "{a"):
        assert found(f"{lake}/{pattern}") == names(lake, f"{lake}/{pattern}")


def test_an_object_that_cannot_be_looked_into_is_no_other_file():
    class Failing(MemoryFileSystem):
        cachable = False

        def cat_file(self, path, *range, **options):
            raise OSError("the network is gone")

    files = Failing()
    files.pipe_file("/failing/000000_0", b"PAR1")
    results = list(edits.many([(files, "/failing")], edits.upgrade))
    files.rm("/failing", recursive=True)
    assert [str(error) for _, _, error in results] == ["the network is gone"]


def test_one_bad_file_does_not_stop_the_others(lake):
    (lake / "day=1" / "a.parquet").write_bytes(b"not at all")
    results = list(edits.many([lake, lake / "absent.parquet"], edits.upgrade, form="flat", dry_run=True))
    assert [type(error).__name__ if error else result.outcome for _, result, error in results] == [
        "would-upgrade",
        "would-upgrade",
        "Malformed",
        "would-upgrade",
        "would-upgrade",
        "FileNotFoundError",
    ]
