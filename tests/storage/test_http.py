"""Files over HTTP are read by ranges over connections that stay open; servers without ranges raise an error."""

from __future__ import annotations

from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.forks import in_a_fork
from support.served_files import Ranged, Whole, served

import parquetext
from parquetext.errors import Conflict, Malformed, Refused, Unsupported
from parquetext.storage import open_source

COLUMNS, ROWS = 300, 50


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    table = pa.table({f"column {number}": pa.array(range(ROWS)) for number in range(COLUMNS)})
    pq.write_table(table, folder / "wide.parquet", row_group_size=10)
    pq.write_table(table, folder / "flat.parquet", row_group_size=10)
    parquetext.upgrade(folder / "flat.parquet", form="flat")
    (folder / "empty.parquet").touch()
    (folder / "numbers").write_bytes(bytes(range(256)) * 400)
    return folder


@pytest.fixture(scope="module")
def server(folder):
    with served(folder, Ranged) as found:
        yield found


@pytest.fixture
def url(server, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server[1].clear()
    return server[0]


@pytest.mark.parametrize("name", ["wide", "flat"])
def test_a_column_is_read_by_ranges(name, url, server, folder, implementation):
    file = f"{url}/{name}.parquet"
    expected = pq.read_table(folder / f"{name}.parquet", columns=["column 7"])
    assert parquetext.read_table(file, ["column 7"]) == expected
    assert all(asked for _, asked, _ in server[1])
    assert parquetext.read_schema(file) == pq.read_schema(folder / f"{name}.parquet")
    with parquetext.open(file) as opened:
        assert opened.path == file and opened.form == ("flat" if name == "flat" else "thrift")


def test_requests_share_connections(url, server):
    with open_source(f"{url}/numbers") as source:
        for offset in range(0, 1000, 100):
            assert source.read(offset, 3) == bytes([offset % 256, (offset + 1) % 256, (offset + 2) % 256])
        assert source.read_many([(0, 2), (500, 2)]) == [b"\0\1", b"\xf4\xf5"]
    assert len({peer for _, _, peer in server[1]}) <= 2 and len(server[1]) == 13


@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_forked_process_has_separate_connections(url, server):
    """Two processes that share a connection would read each other's responses."""
    with open_source(f"{url}/numbers") as source, source.file._lock:  # as if another thread were about to ask
        assert in_a_fork(lambda: source.read(100, 2) == b"de")
    with open_source(f"{url}/numbers") as source:
        source.read(0, 1)
        server[1].clear()
        assert in_a_fork(lambda: source.read(200, 2) == b"\xc8\xc9") and source.read(300, 2) == b"\x2c\x2d"
    assert len({peer for _, _, peer in server[1]}) == len(server[1]) == 2


def test_the_end_of_a_file_comes_with_the_first_request(url, server):
    with open_source(f"{url}/numbers") as source:
        assert source.size == 102_400
        assert source.read_tail(100)[1] == bytes(range(156, 256))
    assert [asked for _, asked, _ in server[1]] == ["bytes=-16384"]


def test_a_server_without_ranges_is_an_error(folder):
    with served(folder, Whole) as (url, _), pytest.raises(Unsupported) as caught:
        parquetext.open(f"{url}/wide.parquet")
    assert "the server does not serve ranges" in str(caught.value)
    assert f"{url}/wide.parquet" in str(caught.value)


@pytest.mark.parametrize("change", [parquetext.upgrade, parquetext.strip, partial(parquetext.finalize, confirm=True)])
def test_files_are_not_changed_over_http(url, change):
    with pytest.raises(Refused, match="files are read over HTTP, and not changed") as caught:
        change(f"{url}/wide.parquet")
    assert caught.value.file == f"{url}/wide.parquet"


def test_a_server_without_suffix_ranges_gets_absolute_ranges(url, server):
    with open_source(f"{url}/no-suffix/numbers") as source:
        assert (source.size, source.read(102_398, 2)) == (102_400, b"\xfe\xff")
    assert [asked for _, asked, _ in server[1]] == ["bytes=-16384", "bytes=0-0", "bytes=102398-102399"]


def test_redirects_are_followed_once(url, server):
    with open_source(f"{url}/moved/numbers") as source:
        assert source.read(5, 1) == b"\5"
    assert [path for path, _, _ in server[1]] == ["/moved/numbers", "/numbers", "/numbers"]


def test_a_login_in_the_url_is_sent_and_not_shown(url):
    address = url.removeprefix("http://")
    with open_source(f"http://ann:secret@{address}/private/numbers") as source:
        assert source.read(1, 1) == b"\1"
        assert "secret" not in source.name
    with pytest.raises(PermissionError, match="private/numbers"):
        open_source(f"{url}/private/numbers")


def test_missing_and_empty_files_raise(url):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.parquet"):
        parquetext.read_table(f"{url}/nowhere.parquet")
    with pytest.raises(FileNotFoundError, match=r"nowhere\.parquet"):
        parquetext.read_table(f"{url}/nowhere.parquet?version=2")
    with pytest.raises(Malformed, match="0 bytes"):
        parquetext.open(f"{url}/empty.parquet")
    with pytest.raises(ConnectionRefusedError):
        parquetext.open("http://127.0.0.1:1/x.parquet")


def test_a_file_that_changes_is_noticed(url, folder):
    path = folder / "changing"
    path.write_bytes(bytes(40_000))
    with open_source(f"{url}/changing") as source:
        path.write_bytes(bytes(39_999) + b"\1")
        with pytest.raises(Conflict, match="changed since it was opened") as caught:
            source.read(0, 10)
    assert isinstance(caught.value, OSError)


def test_a_url_is_one_of_a_list_of_files(url, folder):
    files = [f"{url}/wide.parquet", f"{url}/flat.parquet"]
    found = parquetext.dataset(files).to_table(columns=["column 3"])
    assert found["column 3"].to_pylist() == list(range(ROWS)) * 2


def test_fsspecs_http_files_without_ranges_are_an_error(folder):
    fsspec = pytest.importorskip("fsspec")

    class WithoutRanges(fsspec.get_filesystem_class("memory")):
        protocol = "without-ranges"

        def cat_file(self, path, start=None, end=None, **options) -> bytes:
            return super().cat_file(path)

    files = WithoutRanges(skip_instance_cache=True)
    files.pipe("/wide.parquet", (folder / "wide.parquet").read_bytes())
    with pytest.raises(Unsupported, match="the server does not serve ranges"):
        parquetext.open((files, "/wide.parquet"))
