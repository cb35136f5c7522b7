"""One file in several hands: calls that meet a damaged form at once, and a file that is closed while others read."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.spoiled import spoil_chunks

import parquetext
from parquetext import edits
from parquetext.reading import stages

TABLE = pa.table({f"column {n}": [n, n + 1, n + 2, n + 3] for n in range(300)})  # no tail holds its footer
FORMS = ["flat", "index"]
LAST = "column 299"


@pytest.fixture
def path(tmp_path) -> str:
    path = str(tmp_path / "file.parquet")
    pq.write_table(TABLE, path, row_group_size=2)
    return path


def damage(path: str) -> None:
    """Spoil all of our footer that is not read at opening, and let its neighbours be."""
    with open(path, "rb") as file:
        before = len(file.read())
    edits.upgrade(path, form="flat")
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
        begin = end - (len(data) - before) + 4096
        for at in range(begin, end - 4096, 16):
            data[at] ^= 0xFF
        file.seek(0)
        file.write(data)


def in_another_thread(call: Callable[[], object]) -> object:
    """Return the result of a call in another thread, after the thread has ended."""
    results = []
    thread = threading.Thread(target=lambda: results.append(call()))
    thread.start()
    thread.join()
    return results[0]


def test_a_thread_that_finds_damage_second_reads_by_the_next_form(path, implementation):
    damage(path)
    with parquetext.open(path) as file:
        assert file.form == "flat"
        forms = []

        def look(form) -> str:
            forms.append(form)
            if len(forms) == 1:
                assert in_another_thread(lambda: file.column(LAST).max.to_pylist()) == [300, 302]
            return form.find_column("column 150")[1].array("num_values").tolist()

        assert file._on_form(look) == [2, 2]
        assert [finding.kind for finding in file.findings] == ["flat-damaged"] and file.form == "thrift"


def test_many_threads_meet_damage_at_once(path, implementation):
    damage(path)
    for _ in range(10):
        with parquetext.open(path) as file:
            gate, failures = threading.Barrier(8), []

            def read(number: int, file=file, gate=gate, failures=failures) -> None:
                gate.wait()
                try:
                    assert file.column(f"column {number}").max.to_pylist() == [number + 1, number + 3]
                    assert file.read([f"column {number}"]).equals(TABLE.select([f"column {number}"]))
                except BaseException as error:
                    failures.append(error)

            threads = [threading.Thread(target=read, args=(100 + number,)) for number in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert not failures and len(file.findings) == 1


@pytest.mark.parametrize("form", [*FORMS, "thrift"])
def test_footer_reads_finish_if_the_file_is_closed_meanwhile(path, form, implementation):
    if form in FORMS:
        edits.upgrade(path, form=form)
    file = parquetext.open(path)

    def look(form) -> list[int]:
        in_another_thread(file.close)
        return form.column(299).array("num_values").tolist()

    assert file._on_form(look) == [2, 2]
    assert file.closed
    with pytest.raises(pa.ArrowInvalid, match="the file is closed"):
        file.column(LAST)


@pytest.mark.parametrize("engine", ["pyarrow", "parquetext"])
def test_a_read_finishes_if_the_file_is_closed_meanwhile_and_then_releases_it(path, engine, monkeypatch):
    """A descriptor that is closed under a read may be another file's by the time of the next one."""
    file = parquetext.open(path)
    read, inodes = stages.execute, []

    def close_and_read(*arguments, **options) -> pa.Table:
        inodes.append(os.fstat(file._source.fd).st_ino)
        in_another_thread(file.close)
        return read(*arguments, **options)

    monkeypatch.setattr(stages, "execute", close_and_read)
    assert file.read([LAST], engine=engine).equals(TABLE.select([LAST]))
    assert file.closed and file._source.fd == -1 and inodes == [os.stat(path).st_ino]


@pytest.mark.parametrize("engine", ["pyarrow", "parquetext"])
@pytest.mark.parametrize("taken", [0, 1])
def test_batches_continue_after_close_and_then_release_the_file(path, engine, taken):
    file = parquetext.open(path)
    batches = file.iter_batches([LAST], batch_size=1, engine=engine)
    begun = [next(batches) for _ in range(taken)]
    file.close()
    assert pa.Table.from_batches([*begun, *batches]).equals(TABLE.select([LAST]))
    del batches
    assert file._source.fd == -1


def test_a_file_is_closed_by_two_threads(path):
    file = parquetext.open(path)
    taken = file.column(LAST)
    in_another_thread(file.close)
    file.close()
    assert taken.max.to_pylist() == [300, 302]


@pytest.mark.parametrize(
    "fail",
    [
        lambda file: file.column("no column"),
        lambda file: file.columns(["no column"]),
        lambda file: file.pages("no column"),
        lambda file: file.read([LAST], engine="parquetext"),
        lambda file: file.read([LAST], engine="pyarrow"),
        lambda file: list(file.iter_batches([LAST], engine="parquetext")),
        lambda file: list(file.iter_batches([LAST], engine="pyarrow")),
    ],
    ids=["column", "columns", "pages", "ours", "theirs", "our batches", "their batches"],
)
def test_an_error_that_is_kept_keeps_no_file_open(path, fail):
    spoil_chunks(path, lambda row_group, column: column == LAST)
    with pytest.raises((pa.ArrowException, OSError)) as kept, parquetext.open(path) as file:
        fail(file)
    assert file._source.fd == -1 and kept.value.__traceback__ is not None
