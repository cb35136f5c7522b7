"""Azure without credentials raises an error that names the missing ones: pyarrow's SDK would end the process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import parquetext
from parquetext.errors import ParquetextError
from parquetext.storage.backends import azure
from parquetext.storage.backends.azure import with_credentials

IMPORTED_FROM = Path(parquetext.__file__).parents[1]
URL = "abfs://container@account.dfs.core.windows.net/folder/t.parquet"
TRIED = """
import sys, parquetext, pyarrow
from parquetext.inspection.integrity.inspection import inspect
from parquetext.errors import ParquetextError
url = sys.argv[1]
verbs = [parquetext.open, parquetext.read_table, parquetext.read_schema, parquetext.verify, inspect, parquetext.upgrade,
         lambda url: parquetext.dataset([url]), lambda url: parquetext.write_table(pyarrow.table({}), url)]
for verb in verbs:
    for target in (url, url.rpartition("/folder")[0]):
        try:
            outcome = verb(target)
            print("outcome", getattr(outcome, "message", outcome))
        except (ParquetextError, OSError) as error:
            print(type(error).__name__, error)
"""


@pytest.fixture(scope="module")
def said() -> list[str]:
    """Return each verb's error, from one process that has no credentials."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AZURE_")}
    environment |= {"PYTHONPATH": str(IMPORTED_FROM), "PATH": "/nowhere", "IDENTITY_ENDPOINT": "", "MSI_ENDPOINT": ""}
    done = subprocess.run([sys.executable, "-c", TRIED, URL], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


def test_no_verb_ends_the_process_and_each_names_the_missing_credentials(said):
    assert len(said) == 16
    for line in said:
        assert "no credentials for the Azure account 'account'" in line and "AZURE_TENANT_ID" in line, line


class Asked:
    """A stub of Azure's filesystem that counts requests, and answers with an error if there is one."""

    def __init__(self, options: dict, error: Exception | None = None):
        self.type_name, self.options, self.error, self.paths = "abfs", {"account_name": "one"} | options, error, []

    def __reduce__(self):
        return dict, (self.options,)

    def equals(self, other: Asked) -> bool:
        return self.options == other.options

    def get_file_info(self, path: str) -> None:
        self.paths.append(path)
        if self.error:
            raise self.error


@pytest.fixture(autouse=True)
def nobody_asked(monkeypatch):
    monkeypatch.setattr(azure, "_asked", [])


def test_credentials_are_checked_once(monkeypatch):
    first, second = Asked({}), Asked({})
    assert with_credentials(first, "c/a/t.parquet") is first
    assert with_credentials(second, "c/a/u.parquet") is first
    assert (first.paths, second.paths) == (["c/a/t.parquet"], [])
    monkeypatch.setattr(azure, "GOOD_FOR", 0)
    assert with_credentials(second, "c") is second and second.paths == ["c/_"]


@pytest.mark.parametrize("options", [{"account_key": "a2V5"}, {"sas_token": "?sv=1&sig=2"}], ids=str)
def test_with_a_key_or_a_signature_nothing_is_checked(options):
    filesystem = Asked(options)
    assert with_credentials(filesystem, "c/t.parquet") is filesystem and filesystem.paths == []


def test_another_failure_is_left_to_the_open_call():
    filesystem = Asked({}, OSError("no such host"))
    assert with_credentials(filesystem, "c/t.parquet") is filesystem


def test_a_refusal_is_checked_again():
    filesystem = Asked({}, pa.ArrowException("N5Azure4Core11Credentials23AuthenticationExceptionE: no token"))
    for _ in range(2):
        with pytest.raises(ParquetextError, match="no credentials for the Azure account 'one'"):
            with_credentials(filesystem, "c/t.parquet")
    assert len(filesystem.paths) == 2
