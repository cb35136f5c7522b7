"""Hadoop's settings of Azure's stores (`fs.azure.…`) as pyarrow's filesystem takes them.

(Hadoop's documentation, "Hadoop Azure Support: ABFS"; the endpoint of emulators: `AbfsClient`'s and
`AzureBlobFileSystemStore.getURIBuilder`.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ..errors import ParquetextError, Unsupported

AZURE_SCHEMES = ("abfs", "abfss")
_AZURE = "fs.azure."
_OF_ACCOUNTS = (
    "account.auth.type",
    "account.key",
    "sas.fixed.token",
    "account.oauth.provider.type",
    "account.oauth2.client.endpoint",
    "account.oauth2.client.id",
    "account.oauth2.client.secret",
)
# Names of the supported settings, and prefixes of those of single accounts and containers.
AZURE_NAMES = [_AZURE + name for name in ("abfs.endpoint", "always.use.https", *_OF_ACCOUNTS)]
AZURE_PREFIXES = [f"{_AZURE}{name}." for name in _OF_ACCOUNTS]
_TENANT = re.compile(r"https?://[^/]+/([^/]+)/oauth2/")
_DOMAIN = "dfs.core.windows.net"  # domain of all accounts except those of other clouds


def azure_options(settings: Mapping[str, str], url: str) -> dict:
    """Return arguments of ``pyarrow.fs.AzureFileSystem`` for the URL of a container, from Hadoop's settings.

    Settings of a container override those of its account, which override those of all. Without a key, a token or a
    client, Azure's chain of credentials is used.

    Raises
    ------
    ParquetextError
        If the URL names no container and account.
    Unsupported
        If a Java class provides the credentials.
    """
    scheme, _, authority = url.partition("://")
    container, _, host = authority.partition("@")
    if not container or not host:
        raise ParquetextError(f"{url}: abfs://CONTAINER@ACCOUNT.{_DOMAIN}/… expected")

    def value(name: str) -> str:
        positions = (f".{container}.{host}", f".{host}", "")
        return next(
            (found for position in positions if (found := settings.get(f"{_AZURE}{name}{position}", "").strip())), ""
        )

    account, _, domain = host.partition(".")
    options = {"account_name": account, **_credentials(value, url)}
    if ":" in (endpoint := value("abfs.endpoint")):
        options |= {"blob_storage_authority": endpoint, "dfs_storage_authority": endpoint}
    elif domain not in ("", _DOMAIN):
        options |= {
            "blob_storage_authority": "." + domain.replace("dfs.", "blob.", 1),
            "dfs_storage_authority": f".{domain}",
        }
    if scheme.lower() == "abfs" and value("always.use.https").lower() == "false":
        options |= {"blob_storage_scheme": "http", "dfs_storage_scheme": "http"}
    return options


def _credentials(value: Callable[[str], str], url: str) -> dict:
    kind = value("account.auth.type").lower()
    if kind == "sas" or (not kind and value("sas.fixed.token") and not value("account.key")):
        token = value("sas.fixed.token").removeprefix("?")
        if not token:
            raise Unsupported(
                f"{url}: fs.azure.account.auth.type=SAS without fs.azure.sas.fixed.token: all else that "
                "gives tokens is a class of Java's"
            )
        return {"sas_token": f"?{token}"}  # pyarrow puts it after URLs as it is
    if kind == "oauth":
        return _client(value, url)
    if kind == "custom":
        raise Unsupported(f"{url}: fs.azure.account.auth.type=Custom is a class of Java's")
    return _given(account_key=value("account.key"))


def _client(value: Callable[[str], str], url: str) -> dict:
    provider, client = value("account.oauth.provider.type").rpartition(".")[2], value("account.oauth2.client.id")
    if provider in ("", "ClientCredsTokenProvider"):
        tenant = _TENANT.match(value("account.oauth2.client.endpoint"))
        if tenant is None:
            raise ParquetextError(
                f"{url}: fs.azure.account.oauth2.client.endpoint: https://HOST/TENANT/oauth2/token expected"
            )
        return _given(tenant_id=tenant[1], client_id=client, client_secret=value("account.oauth2.client.secret"))
    if provider == "MsiTokenProvider":
        return _given(client_id=client)
    raise Unsupported(
        f"{url}: fs.azure.account.oauth.provider.type={provider}: ClientCredsTokenProvider and "
        "MsiTokenProvider are known"
    )


def _given(**options: str) -> dict:
    return {name: option for name, option in options.items() if option}
