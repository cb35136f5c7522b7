"""Files over HTTPS, through proxies, and with logins in URLs, which no message contains."""

from __future__ import annotations

import base64

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.served_files import Ranged, served
from support.tls import certificate, proxied, served_by_https

import parquetext
from parquetext.storage.backends import http
from parquetext.storage.paths import SchemeError

TABLE = pa.table({"id": range(1000), "word": [f"word {n}" for n in range(1000)]})
READERS = {
    "read_table": lambda url: parquetext.read_table(url, ["id"]),
    "ParquetFile": lambda url: parquetext.ParquetFile(url).read(["id"]),
    "dataset": lambda url: parquetext.dataset([url]).to_table(["id"]),
}
SECRET = "SeCrEt"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    for name in ("thrift", "flat"):
        parquetext.write_table(TABLE, folder / f"{name}.parquet", form=name, row_group_size=100)
    return folder


@pytest.fixture(scope="module")
def pem(tmp_path_factory):
    return certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(scope="module")
def secure(folder, pem):
    with served_by_https(folder, pem) as (url, _):
        yield url


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """Remove proxies and certificates from the environment; restore the certificates afterwards."""
    for name in ("http_proxy", "https_proxy", "no_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    http._context.cache_clear()
    yield
    http._context.cache_clear()


@pytest.fixture
def trusted(monkeypatch, pem):
    monkeypatch.setenv("SSL_CERT_FILE", str(pem))


@pytest.mark.parametrize("form", ["thrift", "flat"])
@pytest.mark.parametrize("read", READERS)
def test_a_server_whose_certificate_is_trusted_is_read(read, form, secure, trusted):
    assert READERS[read](f"{secure}/{form}.parquet") == TABLE.select(["id"])


@pytest.mark.parametrize("read", READERS)
def test_an_untrusted_certificate_is_an_error_that_names_the_url(read, secure):
    with pytest.raises(OSError, match="certificate verify failed") as caught:
        READERS[read](f"{secure}/flat.parquet")
    assert "flat.parquet" in str(caught.value)


@pytest.mark.parametrize("read", READERS)
def test_a_proxy_of_the_environment_passes_requests_on(read, folder, monkeypatch):
    with served(folder, Ranged) as (url, _), proxied() as (proxy, log):
        monkeypatch.setenv("http_proxy", f"http://{proxy}")
        assert READERS[read](f"{url}/flat.parquet") == TABLE.select(["id"])
        assert log and set(log) == {f"GET {url}/flat.parquet"}
        log.clear()
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        assert READERS[read](f"{url}/flat.parquet") == TABLE.select(["id"]) and not log


@pytest.mark.parametrize("read", READERS)
def test_https_goes_through_a_proxy_as_it_is(read, secure, trusted, monkeypatch):
    with proxied() as (proxy, log):
        monkeypatch.setenv("https_proxy", proxy)
        assert READERS[read](f"{secure}/flat.parquet") == TABLE.select(["id"])
        assert set(log) == {f"CONNECT {secure.removeprefix('https://')}"}


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_gets_the_login_of_its_url(scheme, folder, secure, trusted, monkeypatch):
    login = "Basic " + base64.b64encode(f"ann:{SECRET}@1".encode()).decode()
    with served(folder, Ranged) as (plain, _), proxied(login) as (proxy, _):
        url = f"{plain if scheme == 'http' else secure}/flat.parquet"
        monkeypatch.setenv(f"{scheme}_proxy", f"http://ann:{SECRET}%401@{proxy}")
        assert parquetext.read_table(url) == TABLE
        monkeypatch.setenv(f"{scheme}_proxy", f"http://ann:{SECRET}-of-old@{proxy}")
        with pytest.raises(OSError, match="407") as caught:
            parquetext.read_table(url)
        assert "flat.parquet" in str(caught.value) and SECRET not in told(caught.value)


def test_a_missing_proxy_is_reported_without_its_password(secure, trusted, monkeypatch):
    monkeypatch.setenv("https_proxy", f"http://ann:{SECRET}@127.0.0.1:1")
    with pytest.raises(OSError, match=r"flat\.parquet") as caught:
        parquetext.read_table(f"{secure}/flat.parquet")
    assert SECRET not in told(caught.value)


@pytest.mark.parametrize("url", ["http:///x.parquet", f"https://ann:{SECRET}@/x.parquet", "https://:443/x.parquet"])
def test_a_url_without_a_host_is_an_error(url):
    with pytest.raises(SchemeError, match=r"https?://.*/x\.parquet: no host") as caught:
        parquetext.open(url)
    assert SECRET not in told(caught.value)


def test_a_proxy_without_a_host_is_an_error(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://:3128")
    with pytest.raises(SchemeError, match="http://:3128: no host"):
        parquetext.open("http://127.0.0.1:1/x.parquet")


@pytest.mark.parametrize("read", [*READERS, "open", "read_schema", "read_metadata"])
@pytest.mark.parametrize(
    "tail",
    ["/nowhere.parquet", f"/nowhere.parquet?X-Amz-Signature={SECRET}&a=1", "/private/flat.parquet", "/text.parquet"],
    ids=["not there", "signed", "refused", "no Parquet"],
)
def test_no_message_contains_credentials(read, tail, folder):
    (folder / "text.parquet").write_bytes(b"text that is no Parquet file")
    with served(folder, Ranged) as (url, _):
        url = f"http://ann:{SECRET}@{url.removeprefix('http://')}{tail}"
        with pytest.raises((OSError, pa.ArrowInvalid)) as caught:
            READERS.get(read, getattr(parquetext, read))(url)
    assert tail.partition("?")[0] in told(caught.value) and SECRET not in told(caught.value)


def told(error: BaseException | None) -> str:
    """Return a traceback's text of an error and its causes."""
    if error is None:
        return ""
    parts = (error, error.args, getattr(error, "filename", ""), getattr(error, "file", ""), error.__dict__)
    return " ".join(map(str, parts)) + told(error.__context__ or error.__cause__)


def test_a_pyarrow_file_over_https_is_the_same(secure, trusted, folder):
    with parquetext.open(f"{secure}/thrift.parquet") as file:
        assert file.read() == pq.read_table(folder / "thrift.parquet") == file.read(engine="parquetext")
