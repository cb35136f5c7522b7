"""Requests and bytes of a projection over a network, counted by an S3 server on the loopback interface."""

from __future__ import annotations

import io
import threading

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.flat_files import with_flat_footer, with_packed_footer
from support.objects import BUCKET, put, recorded_s3_server

import parquetext
from parquetext import kernels
from parquetext.storage import BatchedSource

COLUMNS = 3000
TAIL = 16 << 10


def name(number: int) -> str:
    return f"measurement_{number:08d}"


@pytest.fixture(scope="module")
def store():
    with recorded_s3_server() as (filesystem, recorder):
        yield filesystem, recorder


@pytest.fixture(scope="module")
def table() -> pa.Table:
    arrays = [pa.array(range(8), pa.int64()), pa.array([f"text {n}" for n in range(8)]), pa.array([0.5] * 8)]
    columns = [arrays[number % 3] for number in range(COLUMNS)]
    position = pa.StructArray.from_arrays([arrays[0], arrays[2]], ["x", "y"])
    return pa.Table.from_arrays([*columns, position], [*map(name, range(COLUMNS)), "place"])


@pytest.fixture(scope="module", params=["aside", "in-struct"])
def content(table, request) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=4)
    return with_flat_footer(sink.getvalue(), request.param)


@pytest.fixture
def remote(store, content, implementation):
    """Yield the path of a wide file in the store, and the server's log of requests since then."""
    filesystem, recorder = store
    path = f"{BUCKET}/{implementation}.parquet"
    put(filesystem, path, content)
    recorder.latency = 0.0
    recorder.forget()
    return (filesystem, path), recorder


def check_stats(file, recorder) -> None:
    """The bytes that the file reports as read are those that the server sent."""
    assert file.io_stats == (recorder.count("GET"), sum(end - begin for begin, end in recorder.ranges()))


def test_one_column_takes_three_requests_and_few_bytes(remote, content, table):
    path, recorder = remote
    with parquetext.open(path) as file:
        assert (file.form, recorder.ranges()) == ("flat", [(len(content) - TAIL, len(content))])
        column = file.column(name(1234))
        assert list(column.null_count) == [0, 0]
        assert column.max.to_pylist() == ["text 3", "text 7"]
        assert recorder.count("GET") <= 3
        assert file.io_stats.bytes <= 24 << 10
        check_stats(file, recorder)
    assert recorder.count("HEAD") == 1


def test_one_columns_values_take_no_more_before_their_pages(remote, table):
    path, recorder = remote
    with parquetext.open(path) as file:
        assert file.read([name(1234)], key_values=False).equals(table.select([name(1234)]))
        assert file.io_stats.requests <= 4
        assert file.io_stats.bytes <= 48 << 10
        pages = recorder.count("GET") - file.io_stats.requests
    assert 1 <= pages <= 2  # a column chunk in each of two row groups


def test_key_values_take_at_most_one_request_more(remote):
    path, _ = remote
    with parquetext.open(path) as file:
        file.read([name(1234)])
        assert file.io_stats.requests <= 5


def test_fetched_bytes_are_not_fetched_again(remote):
    path, recorder = remote
    with parquetext.open(path) as file:
        first = file.column(name(5)).max
        seen = len(recorder.requests)
        file.column(name(7))
        assert file.column(name(5)).max.equals(first)
        assert len(recorder.requests) <= seen + 2


def test_many_columns_take_a_few_rounds_of_requests_at_the_same_time(remote, content):
    path, recorder = remote
    wanted = [name(number * 271 % COLUMNS) for number in range(60)]
    with parquetext.open(path) as file, parquetext.open(path) as one_by_one:
        recorder.latency = 0.05
        file.column(name(0))  # now it is known that requests take long
        recorder.forget()
        together = file.columns(wanted)
        assert recorder.most_at_once > 1
        assert recorder.count("GET") < len(wanted)
        assert len(recorder.ranges()) == len(set(recorder.ranges()))
        recorder.latency = 0.0
        for column, single in zip(together, map(one_by_one.column, wanted), strict=True):
            assert (column.leaf, list(column.data_page_offset)) == (single.leaf, list(single.data_page_offset))
            assert column.min_bytes.to_list() == single.min_bytes.to_list()


def test_columns_side_by_side_come_in_one_request_each_round(remote):
    path, recorder = remote
    with parquetext.open(path) as file:
        recorder.forget()
        file.columns([name(number) for number in range(1000, 1010)])
    cells, *buckets = sorted(recorder.ranges())
    assert cells[1] - cells[0] < 10 * 4096
    assert len(buckets) <= 3


def test_all_columns_come_with_the_whole_flat_footer_in_one_piece(remote):
    path, recorder = remote
    with parquetext.open(path) as file:
        assert len(file.columns()) == COLUMNS + 2
        assert recorder.count("GET") == 2


@pytest.mark.slow
@pytest.mark.parametrize("fetched, requests", [(1 << 20, 2), (64 << 10, 8)], ids=["whole", "end"])
def test_the_end_of_a_packed_footer_comes_in_one_request(store, table, implementation, monkeypatch, fetched, requests):
    filesystem, recorder = store
    monkeypatch.setattr("parquetext.footer.forms.packed.PackedSpec.fetched_bytes", fetched)
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=4)
    path = filesystem, f"{BUCKET}/packed-{implementation}.parquet"
    put(filesystem, path[1], with_packed_footer(sink.getvalue()))
    recorder.forget()
    with parquetext.open(path) as file:
        assert file.form == "packed"
        for number in (0, 1234, COLUMNS - 1):
            assert list(file.column(name(number)).null_count) == [0, 0]
        assert recorder.count("GET") <= requests, recorder.ranges()
        check_stats(file, recorder)


def test_values_are_read_without_another_look_at_the_objects_size(remote, table):
    path, recorder = remote
    wanted = [name(77), "place.y"]
    with parquetext.open(path) as file:
        read = file.read(wanted)
        assert read.equals(
            pa.table(
                {
                    name(77): table[name(77)],
                    "place": pa.StructArray.from_arrays([table["place"].combine_chunks().field("y")], ["y"]),
                }
            )
        )
        metadata = file.io_stats.requests
    assert recorder.count("HEAD") == 1
    assert recorder.count("GET") <= metadata + 4  # the pages of two columns in two row groups
    assert metadata <= 12


def test_damage_of_a_column_has_a_position_and_affects_only_its_readers(store, content, implementation):
    filesystem, _ = store
    path = filesystem, f"{BUCKET}/damaged-{implementation}.parquet"
    payload = kernels.local.own_block(content[-TAIL:], len(content))[3]
    position = content.index(name(20).encode(), payload)
    put(filesystem, path[1], content[:position] + b"M" + content[position + 1 :])
    with parquetext.open(path) as file:
        sound = file.columns([name(19), name(24), name(2500)])  # at two row groups four leaves share a cell
        assert (file.form, file.findings) == ("flat", [])
        bad, *others = file.columns([name(20), name(19), name(24), name(2500)])
        assert file.form == "thrift"
        (finding,) = file.findings
        assert finding.kind == "flat-damaged"
        assert position - 4096 < finding.offset <= position
        assert list(bad.num_values) == [4, 4]
        for column, other in zip(sound, others, strict=True):
            assert column.max_bytes.to_list() == other.max_bytes.to_list()
    with parquetext.open(path) as file:
        assert file.read([name(19)]).num_rows == 8
        assert file.form == "flat"
        assert file.read([name(20), name(19)]).column_names == [name(20), name(19)]
        assert file.form == "thrift"


@pytest.mark.usefixtures("implementation")
def test_a_filesystem_of_fsspec_is_read_range_by_range(store, content, table):
    pytest.importorskip("fsspec")
    from support.http_files import HttpFiles

    filesystem, recorder = store
    put(filesystem, f"{BUCKET}/plain.parquet", content)
    recorder.forget()
    with parquetext.open((HttpFiles(recorder.url), f"{BUCKET}/plain.parquet")) as file:
        assert list(file.column(name(1234)).null_count) == [0, 0]
        assert recorder.count("GET") <= 3
        assert file.io_stats.bytes <= 24 << 10
        check_stats(file, recorder)
        assert file.read([name(2), name(1)]).equals(table.select([name(2), name(1)]))
        assert sum(end - begin for begin, end in recorder.ranges()) < len(content) / 4
    assert recorder.count("HEAD") == 1
    with pytest.raises(FileNotFoundError):
        parquetext.open((HttpFiles(recorder.url), f"{BUCKET}/absent.parquet"))


def test_threads_share_a_remote_file(remote):
    path, _ = remote
    with parquetext.open(path) as file:
        expected = {number: list(file.column(name(number)).data_page_offset) for number in range(0, 400, 10)}
    wrong = []
    with parquetext.open(path) as file:

        def look(start: int) -> None:
            numbers = list(expected)[start:] + list(expected)[:start]
            names = list(map(name, numbers))
            found = file.columns(names) if start % 2 else list(map(file.column, names))
            wrong.extend(
                number
                for number, column in zip(numbers, found, strict=True)
                if list(column.data_page_offset) != expected[number]
            )

        threads = [threading.Thread(target=look, args=(start,)) for start in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


@pytest.mark.slow
def test_by_an_index_a_column_takes_four_rounds_of_requests(store, table, tmp_path, implementation, monkeypatch):
    """Tail, name, cell, and at the same time the Thrift bytes of schema element and chunks in all row groups."""
    filesystem, recorder = store
    local = tmp_path / "index.parquet"
    pq.write_table(table, local, row_group_size=1)
    parquetext.upgrade(local, form="index")
    path = f"{BUCKET}/index-{implementation}.parquet"
    put(filesystem, path, local.read_bytes())
    rounds = []
    read_many = BatchedSource.read_many
    monkeypatch.setattr(
        BatchedSource, "read_many", lambda self, ranges: rounds.append(len(ranges)) or read_many(self, ranges)
    )
    recorder.forget()
    recorder.latency = 0.02
    with parquetext.open((filesystem, path)) as file:
        assert file.form == "index"
        column = file.column(name(1234))
        assert list(column.null_count) == [0] * 8
        assert column.max.to_pylist() == [f"text {n}" for n in range(8)]
        check_stats(file, recorder)
    assert [count for count in rounds if count] == [1, 1, 9]
    assert recorder.count("GET") == 1 + sum(rounds)
    assert recorder.most_at_once > 1


def test_an_index_fetches_near_ranges_in_one_request(store, tmp_path, implementation):
    filesystem, recorder = store
    local = tmp_path / "narrow.parquet"
    pq.write_table(pa.table({name(n): range(8) for n in range(100)}), local, row_group_size=1)
    parquetext.upgrade(local, form="index")
    path = f"{BUCKET}/narrow-{implementation}.parquet"
    put(filesystem, path, local.read_bytes())
    recorder.forget()
    with parquetext.open((filesystem, path)) as file:
        assert (file.form, list(file.column(name(0)).null_count)) == ("index", [0] * 8)
        check_stats(file, recorder)
        assert file.io_stats.requests <= 3
    assert max(end - begin for begin, end in recorder.ranges()) < local.stat().st_size


@pytest.mark.parametrize("form", ["index", "packed"])
def test_many_columns_of_other_forms_take_a_few_rounds_too(store, table, tmp_path, implementation, form):
    pq.write_table(table, tmp_path / "wide.parquet", row_group_size=4)
    parquetext.upgrade(tmp_path / "wide.parquet", form=form)
    filesystem, recorder = store
    path = f"{BUCKET}/{form}-{implementation}.parquet"
    put(filesystem, path, (tmp_path / "wide.parquet").read_bytes())
    recorder.latency = 0.05
    wanted = [name(number * 271 % COLUMNS) for number in range(60)]
    with parquetext.open((filesystem, path)) as file, parquetext.open(tmp_path / "wide.parquet") as local:
        assert file.form == local.form == form
        file.column(name(0))  # now it is known that requests take long
        recorder.forget()
        together = file.columns(wanted)
        assert recorder.count("GET") < len(wanted)
        recorder.latency = 0.0
        for column, single in zip(together, map(local.column, wanted), strict=True):
            assert (column.leaf, list(column.data_page_offset)) == (single.leaf, list(single.data_page_offset))
            assert column.min_bytes.to_list() == single.min_bytes.to_list()
    with parquetext.open((filesystem, path)) as file, parquetext.open(tmp_path / "wide.parquet") as local:
        assert file.read(wanted).equals(local.read(wanted))
