"""Spark's settings of Azure's and Google's stores, as pyarrow's filesystems take them."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import pickle
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from parquetext.errors import ParquetextError, Unsupported
from parquetext.spark.azure_settings import azure_options
from parquetext.spark.filesystems import Filesystems
from parquetext.spark.gcs_filesystem import _key_file
from parquetext.spark.gcs_settings import gcs_options

HOST = "acc.dfs.core.windows.net"
URL = f"abfs://box@{HOST}"
OAUTH = {f"fs.azure.account.auth.type.{HOST}": "OAuth"}
CLIENT = {**OAUTH, "fs.azure.account.oauth2.client.id": "id", "fs.azure.account.oauth2.client.secret": "s"}
PROVIDER = "fs.azure.account.oauth.provider.type"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, {}),
        ({f"fs.azure.account.key.{HOST}": "k", "fs.azure.account.key": "other"}, {"account_key": "k"}),
        ({"fs.azure.account.key": "k", "fs.azure.account.key.other.dfs.core.windows.net": "x"}, {"account_key": "k"}),
        ({f"fs.azure.sas.fixed.token.{HOST}": "?sv=1"}, {"sas_token": "?sv=1"}),
        (
            {
                f"fs.azure.account.auth.type.{HOST}": "SAS",
                "fs.azure.account.key": "k",
                "fs.azure.sas.fixed.token": "all",
                f"fs.azure.sas.fixed.token.box.{HOST}": "boxes",
                f"fs.azure.sas.fixed.token.other.{HOST}": "x",
            },
            {"sas_token": "?boxes"},
        ),
        (
            {
                **CLIENT,
                "fs.azure.account.oauth2.client.endpoint": "https://login.microsoftonline.com/tenant/oauth2/token",
            },
            {"tenant_id": "tenant", "client_id": "id", "client_secret": "s"},
        ),
        ({**CLIENT, PROVIDER: "org.apache.hadoop.fs.azurebfs.oauth2.MsiTokenProvider"}, {"client_id": "id"}),
        ({**OAUTH, PROVIDER: "org.apache.hadoop.fs.azurebfs.oauth2.MsiTokenProvider"}, {}),
        (
            {"fs.azure.abfs.endpoint": "127.0.0.1:10000", "fs.azure.always.use.https": "false"},
            {
                "blob_storage_authority": "127.0.0.1:10000",
                "dfs_storage_authority": "127.0.0.1:10000",
                "blob_storage_scheme": "http",
                "dfs_storage_scheme": "http",
            },
        ),
    ],
)
def test_a_setting_of_azure_has_its_meaning(settings, expected):
    assert azure_options(settings, URL) == {"account_name": "acc", **expected}


def test_an_account_may_be_in_another_cloud():
    assert azure_options({}, "abfss://box@acc.dfs.core.chinacloudapi.cn") == {
        "account_name": "acc",
        "blob_storage_authority": ".blob.core.chinacloudapi.cn",
        "dfs_storage_authority": ".dfs.core.chinacloudapi.cn",
    }


def test_abfss_is_never_plain_http():
    assert azure_options({"fs.azure.always.use.https": "false"}, f"abfss://box@{HOST}") == {"account_name": "acc"}


def test_a_key_file_is_not_used_by_other_threads():
    before, seen = os.environ.get("GOOGLE_APPLICATION_CREDENTIALS"), []

    def look():
        with _key_file(None):
            seen.append(os.environ.get("GOOGLE_APPLICATION_CREDENTIALS"))

    with _key_file("mine"):
        thread = threading.Thread(target=look)
        thread.start()
        thread.join(0.05)
    thread.join()
    assert seen == [before]


@pytest.mark.parametrize(
    ("settings", "url", "error", "message"),
    [
        ({f"fs.azure.account.auth.type.{HOST}": "SAS"}, URL, Unsupported, "SAS without fs.azure.sas.fixed.token"),
        ({}, "abfs://box/lake", ParquetextError, "CONTAINER@ACCOUNT"),
        ({}, f"abfs://@{HOST}/lake", ParquetextError, "CONTAINER@ACCOUNT"),
        ({f"fs.azure.account.auth.type.{HOST}": "Custom"}, URL, Unsupported, "Custom"),
        ({**OAUTH, PROVIDER: "x.WorkloadIdentityTokenProvider"}, URL, Unsupported, "WorkloadIdentityTokenProvider"),
        (CLIENT, URL, ParquetextError, "client.endpoint"),
    ],
)
def test_unsupported_credentials_of_azure_are_an_error(settings, url, error, message):
    with pytest.raises(error, match=message):
        Filesystems(settings).target(url)


def test_settings_are_the_same_after_they_were_a_data_sources_options():
    """Whose names Spark writes in small letters."""
    settings = {
        "fs.defaultFS": "hdfs://Here",
        "dfs.ha.namenodes.Here": "One",
        "fs.s3a.endpoint": "x",
        "fs.viewfs.mounttable.Lake.link./Data": "hdfs://Here/d",
    }
    options = {name.lower(): value for name, value in Filesystems(settings).options.items()}
    assert Filesystems.of_options(options)._settings == tuple(sorted(settings.items()))
    given = Filesystems.of_options({"FS.defaultfs": "hdfs://here", "dfs.nameservices": "here", "columns": "a"})
    assert {name for name, _ in given._settings} == {"fs.defaultFS", "fs.defaultfs", "dfs.nameservices"}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, {}),
        ({"storage.root.url": "https://storage.googleapis.com/"}, {}),
        (
            {"storage.root.url": "http://127.0.0.1:9/", "auth.type": "UNAUTHENTICATED", "project.id": "p"},
            {"scheme": "http", "endpoint_override": "127.0.0.1:9", "anonymous": True, "project_id": "p"},
        ),
        ({"auth.null.enable": "true", "auth.service.account.json.keyfile": "k"}, {"anonymous": True}),
        ({"auth.service.account.json.keyfile": "/k.json"}, {"key_file": "/k.json"}),
        ({"auth.type": "APPLICATION_DEFAULT", "auth.service.account.json.keyfile": "/k.json"}, {}),
        ({"auth.impersonation.service.account": "a@b"}, {"target_service_account": "a@b"}),
    ],
)
def test_a_setting_of_google_has_its_meaning(settings, expected):
    assert gcs_options({f"fs.gs.{name}": value for name, value in settings.items()}, "gs://box") == expected


def test_credentials_of_google_that_a_class_of_javas_gives_are_an_error():
    with pytest.raises(Unsupported, match="ACCESS_TOKEN_PROVIDER"):
        Filesystems({"fs.gs.auth.type": "ACCESS_TOKEN_PROVIDER"}).target("gs://box/x")


@pytest.mark.parametrize("url", [f"abfss://box@{HOST}/lake/x", "gs://box/lake/x"])
def test_a_path_in_a_store_begins_with_its_bucket(url):
    filesystems = Filesystems({f"fs.azure.account.key.{HOST}": "c2VjcmV0", "fs.gs.auth.type": "UNAUTHENTICATED"})
    target = filesystems.target(url)
    assert target.path == "box/lake/x"


class Asked(BaseHTTPRequestHandler):
    """Answers that nothing is there, and keeps whose key the requests were signed with."""

    keys: ClassVar[list[str]] = []

    def do_GET(self):
        header = self.headers["Authorization"].removeprefix("Bearer ").split(".")[0]
        self.keys.append(json.loads(base64.urlsafe_b64decode(header + "=="))["kid"])
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def test_a_key_file_of_a_service_account_signs_the_requests(tmp_path, monkeypatch):
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS", raising=False)
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (tmp_path / "key.json").write_text(
        json.dumps(
            {
                "type": "service_account",
                "private_key_id": "the-key",
                "private_key": key.decode(),
                "client_email": "a@b.example",
                "client_id": "1",
                "token_uri": "https://oauth2.googleapis.com/token",
            }
        )
    )
    server = ThreadingHTTPServer(("127.0.0.1", 0), Asked)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with contextlib.closing(server.socket):
        target = Filesystems(
            {
                "fs.gs.storage.root.url": f"http://127.0.0.1:{server.server_port}/",
                "fs.gs.auth.service.account.json.keyfile": str(tmp_path / "key.json"),
            }
        ).target("gs://box/x")
        for filesystem in (target.filesystem, pickle.loads(pickle.dumps(target.filesystem))):
            Asked.keys.clear()
            assert filesystem.get_file_info(target.path).type.name == "NotFound"
            assert set(Asked.keys) == {"the-key"}
        server.shutdown()
    assert "GOOGLE_APPLICATION_CREDENTIALS" not in os.environ
