"""Azure: request credentials before they are needed, because errors in its SDK end the process."""

from __future__ import annotations

from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

from ...errors import ParquetextError
from ..backend import Capability
from ..paths import Target
from .arrow import ArrowBackend

if TYPE_CHECKING:
    import pyarrow.fs

__all__ = ["AzureBackend", "with_credentials"]

AZURE = "abfs"
GOOD_FOR = 300  # seconds that an answer counts: tokens last longer, and are renewed before their end
KEPT = 8
REFUSED = "AuthenticationException"
_asked: list[tuple[pyarrow.fs.FileSystem, float]] = []
_lock = Lock()


def with_credentials(filesystem: pyarrow.fs.FileSystem, path: str) -> pyarrow.fs.FileSystem:
    """The filesystem, or of Azure's an equal one whose credentials have been asked for.

    Raises
    ------
    ParquetextError
        There are none.
    """
    if not _is_asked_for(filesystem):
        return filesystem
    with _lock:
        known = next((one for one, since in _asked if one.equals(filesystem) and monotonic() - since < GOOD_FOR), None)
    if known is not None:
        return known
    _ask(filesystem, path)
    with _lock:
        _asked[:] = [(filesystem, monotonic()), *(pair for pair in _asked if not pair[0].equals(filesystem))][:KEPT]
    return filesystem


def _options(filesystem: pyarrow.fs.FileSystem) -> dict:
    """What it was made with: what it gives to be pickled is the one way to learn it."""
    return filesystem.__reduce__()[1][0]


def _is_asked_for(filesystem: pyarrow.fs.FileSystem) -> bool:
    """Whether its credentials are a token that is fetched from somewhere."""
    options = _options(filesystem)
    return not options.get("account_key") and not options.get("sas_token")


def _ask(filesystem: pyarrow.fs.FileSystem, path: str) -> None:
    """Have the SDK fetch a token, by the one request where pyarrow makes an error of what it throws."""
    import pyarrow as pa

    container, _, below = path.strip("/").partition("/")
    try:
        filesystem.get_file_info(f"{container or '_'}/{below or '_'}")
    except (pa.ArrowException, OSError) as error:
        if REFUSED not in str(error):
            return  # whoever opens it is told
        account = _options(filesystem)["account_name"]
        raise ParquetextError(
            f"{AZURE}://{path}: no credentials for the Azure account {account!r}: neither the URL has a key "
            f"(abfs://CONTAINER:KEY@{account}.dfs.core.windows.net/…), nor do the environment (AZURE_TENANT_ID, "
            "AZURE_CLIENT_ID, AZURE_CLIENT_SECRET), a workload or managed identity, or `az login` give a token; or "
            "pass a pyarrow.fs.AzureFileSystem and a path"
        ) from None


class AzureBackend(ArrowBackend):
    """Azure Blob Storage through pyarrow."""

    schemes, type_names = ("abfs", "abfss"), ("abfs",)
    capabilities = Capability.REPLACE | Capability.LIST_FOLDERS | Capability.VERSION_TAGS

    def prepare(self, target: Target) -> Target:
        return Target(target.path, with_credentials(target.filesystem, target.path))


BACKEND = AzureBackend()
