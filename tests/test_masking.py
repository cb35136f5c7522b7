"""Credentials in URLs: no part of one is shown, however it is spelled."""

from __future__ import annotations

import json
import time
import urllib.parse

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.typer_runner import CliRunner

import parquetext
from parquetext import catalog, edits
from parquetext.cli.app import app
from parquetext.errors import Malformed, ParquetextError, name_file
from parquetext.masking import is_masked, without_secrets
from parquetext.storage import resolve

VISIBLE = st.characters(codec="ascii", min_codepoint=33, max_codepoint=126)
RAW = st.text(VISIBLE, min_size=4, max_size=20).map("a".__add__)  # which does not read as a port
NAMES = st.sampled_from(["sig", "auth", "jwt", "key", "access_key_secret", "x", "X-Amz-Credential", "tokens[]"])
SCHEMES = st.sampled_from(["http", "https", "hdfs", "s3", "gs", "ftp", "nosuch"])


def parts_of(secret: str) -> list[str]:
    """Four characters in a row of a secret, as it is or as a URL spells it."""
    forms = {secret, urllib.parse.quote(secret, safe=""), urllib.parse.unquote(secret)}
    return [form[at : at + 4] for form in forms for at in range(len(form) - 3)]


def shows_nothing(text: str, secret: str, allowed: str) -> bool:
    return not any(part in text and part not in allowed for part in parts_of(secret))


@given(scheme=SCHEMES, password=RAW, raw=st.booleans())
@example(scheme="http", password="a0:0/", raw=True)  # ends like a port
def test_no_part_of_a_password_is_shown(scheme, password, raw):
    spelled = password if raw else urllib.parse.quote(password, safe="")
    for user in (f"user:{spelled}", f":{spelled}"):
        url = f"{scheme}://{user}@store/lake/data.parquet"
        for text in (url, f"cannot read '{url}': no such file", f"({url})"):
            masked = without_secrets(text)
            assert shows_nothing(masked, password, f"{scheme}://store/lake/data.parquet cannot read no such file")


SPACED = st.text("bcxyz0189 /?#'%", min_size=4, max_size=20).map("a {}".format)


@given(scheme=SCHEMES, password=SPACED)
def test_no_part_of_a_password_with_spaces_is_shown(scheme, password):
    masked = without_secrets(f"cannot read '{scheme}://user:{password}@store/data.parquet': no such file")
    assert shows_nothing(masked, password, "cannot read 'https://store/data.parquet': no such file")
    assert masked.startswith("cannot read '") and masked.endswith(": no such file")


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("https:/user:hidden@store/x.parquet?sig=hidden#hidden", "https:/…@store/x.parquet?sig=…#…"),
        ("/home/me/https:/hidden@store/x.parquet?jwt=hidden", "/home/me/https:/…@store/x.parquet?jwt=…"),
        ("s3:/user:hidden@bucket/x.parquet", "s3:/…@bucket/x.parquet"),
        ("file://user:hidden@host/x.parquet: not a local file", "file://…@host/x.parquet: not a local file"),
    ],
)
def test_urls_passed_as_paths_are_masked(text, masked):
    assert without_secrets(text) == masked
    assert is_masked(masked)


@pytest.mark.parametrize("text", ["://" + "a" * 200_000, "a://b:c " * 30_000, "a://:" + ":x" * 100_000])
def test_masking_takes_a_time_in_proportion_to_the_text(text):
    begin = time.process_time()
    without_secrets(text)
    assert time.process_time() - begin < 5


@given(scheme=st.sampled_from(["http", "https", "hdfs"]), token=RAW)
def test_no_part_of_a_token_that_is_the_user_name_is_shown(scheme, token):
    spelled = urllib.parse.quote(token, safe="")
    masked = without_secrets(f"{scheme}://{spelled}@store/lake/data.parquet: not found")
    assert masked == f"{scheme}://…@store/lake/data.parquet: not found"


@given(name=NAMES, value=RAW, other=RAW)
def test_no_part_of_a_value_of_a_query_or_of_a_fragment_is_shown(name, value, other):
    query = urllib.parse.urlencode({name: value, "version": "3"})
    url = f"https://store/lake/data.parquet?{query}#access_token={other}"
    masked = without_secrets(f"403 for {url}, try again")
    assert masked.startswith(f"403 for https://store/lake/data.parquet?{urllib.parse.quote(name)}=…&version=3#…")
    assert shows_nothing(masked, value, f"https://store/lake/data.parquet?{urllib.parse.quote(name)} version try again")
    assert shows_nothing(masked, other, f"https://store/lake/data.parquet?{urllib.parse.quote(name)} version try again")


@given(scheme=SCHEMES, value=RAW)
def test_no_part_of_an_unquoted_value_is_shown(scheme, value):
    masked = without_secrets(f"{scheme}://store/x.parquet?sig={value.replace('&', '')}")
    assert shows_nothing(masked, value.replace("&", ""), f"{scheme}://store/x.parquet?sig=")


@pytest.mark.parametrize(
    "text",
    [
        "hdfs://nn:8020/user@host: no such file",
        "abfss://container@account.dfs.core.windows.net/lake/x.parquet",
        "s3://bucket/day=?/part-#1.parquet",
        "s3://bucket/a@b/x.parquet",
        "https://cdn.example/npm/package@1.0/x.parquet?download&version=1.2",
        "http://[::1]:8000/x.parquet",
        "file:///a#b?c=d@e.parquet",
        "file:/a@b/x.parquet",
        "hdfs:/me@work/x.parquet",
        "C:/a:b@c/x.parquet",
        "s3://bucket: not found, ask me@example.com",
        "https://host:8020 is down, ask me@example.com",
        "a ? b & key of https://host/x.parquet",
    ],
)
def test_harmless_parts_are_not_masked(text):
    assert without_secrets(text) == text


@given(text=st.builds("{}://{}:{}@{}?{}={}#{}".format, SCHEMES, RAW, RAW, RAW, NAMES, RAW, RAW))
def test_masking_twice_is_masking_once(text):
    once = without_secrets(text)
    assert without_secrets(once) == once


URLS = [
    "hdfs://user:PaSsWoRd@host/lake/x.parquet",
    "hdfs://user:PaSs/WoRd@host/lake/x.parquet",
    "s3://KEYIDKEYID:PaSs/WoRd@lake/x.parquet?nosuch=PaSsWoRd",
    "nosuch://user:PaSs@WoRd'@host/x.parquet",
    "https://user:PaSs/WoRd@localhost/x.parquet",
    "https://PaSsWoRd@localhost:1/x.parquet?jwt=PaSsWoRd#access_token=PaSsWoRd",
    "https://localhost:1/x.parquet?key=PaSsWoRd&auth=PaSsWoRd",
]


@pytest.mark.parametrize("url", URLS)
def test_no_error_of_such_a_url_shows_it(url):
    for call in (parquetext.open, parquetext.read_table, parquetext.dataset, parquetext.verify, edits.upgrade):
        with pytest.raises((OSError, ValueError)) as error:
            call(url)
        shown = f"{error.value} {error.value!r} {error.value.args} {getattr(error.value, 'file', '')}"
        assert "PaSs" not in shown and "WoRd" not in shown
    for arguments in (["info", url], ["count", url], ["verify", url, "--json"], ["cat", url], ["upgrade", url]):
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code and "PaSs" not in result.output and "WoRd" not in result.output


def test_errors_and_targets_mask_their_parts():
    url = "https://user:PaSsWoRd@localhost:1/x.parquet?sig=PaSsWoRd"
    for error in (Malformed(f"no end of {url}", file=url), Malformed("x").at(url), ParquetextError(f"{url}: x")):
        assert "PaSs" not in f"{error} {error.message} {error.file} {error!r} {error.args}"
    assert "PaSs" not in str(name_file(OSError(2, "gone"), url))
    target = resolve(url)
    assert "PaSs" not in f"{target} {target!r}" and target.key == url


def test_files_with_equal_masked_names_are_distinguished():
    memory = fsspec.filesystem("memory")
    paths = [f"/masking/get?file={name}" for name in ("a.parquet", "b.parquet")]
    for path in paths:
        memory.pipe_file(path, b"PAR1")
    found = list(edits.expand([(memory, path) for path in paths]))
    assert [target.path for target in found] == paths and len(set(map(str, found))) == 1


def test_a_catalog_has_no_credentials_and_a_plan_returns_the_paths(tmp_path):
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "x.parquet")
    urls = [f"https://host/x.parquet?sig=PaSsWoRd{number}" for number in range(3)]
    rows = pa.Table.from_batches(catalog.batches_of(urls, target_of=lambda _: resolve(tmp_path / "x.parquet")))
    masked = "https://host/x.parquet?sig=…"
    assert rows["file"].to_pylist() == [masked, f"{masked}#2", f"{masked}#3"]
    assert "PaSs" not in json.dumps(rows.to_pylist(), default=str)
    assert [one.file for one in catalog.plan(rows, [("a", ">", 1)])] == [masked, f"{masked}#2", f"{masked}#3"]
    assert [one.file for one in catalog.plan(rows, [("a", ">", 1)], files=urls)] == urls
    assert list(catalog.names_of(urls).values()) == urls
    [failed] = pa.Table.from_batches(catalog.batches_of(["https://user:PaSsWoRd@localhost:1/x"])).to_pylist()
    assert failed["error"] and "PaSs" not in str(failed)
