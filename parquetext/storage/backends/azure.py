"""Azure: request credentials before they are needed, because errors in its SDK end the process."""

from __future__ import annotations

from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

from ...errors import ParquetextError
from ...forks import unlocked_in_forks
from ..backend import Capability
from ..paths import Target
from .arrow_filesystem import ArrowBackend

if TYPE_CHECKING:
    import pyarrow.fs

AZURE = "abfs"
GOOD_FOR = 300  # seconds; tokens are valid for longer, and the SDK renews them
KEPT = 8
REFUSED = "AuthenticationException"
_asked: list[tuple[pyarrow.fs.FileSystem, float]] = []
_lock = Lock()
unlocked_in_forks(_lock)


def with_credentials(filesystem: pyarrow.fs.FileSystem, path: str) -> pyarrow.fs.FileSystem:
    """Return the filesystem, or an equal one that has credentials already.

    Raises
    ------
    ParquetextError
        If there are no credentials.
    """
    if not _needs_token(filesystem):
        return filesystem
    with _lock:
        known = next((one for one, since in _asked if one.equals(filesystem) and monotonic() - since < GOOD_FOR), None)
    if known is not None:
        return known
    _fetch_token(filesystem, path)
    with _lock:
        _asked[:] = [(filesystem, monotonic()), *(pair for pair in _asked if not pair[0].equals(filesystem))][:KEPT]
    return filesystem


def _options(filesystem: pyarrow.fs.FileSystem) -> dict:
    """Return the arguments that the filesystem was created with. Only its pickled form contains them."""
    return filesystem.__reduce__()[1][0]


def _needs_token(filesystem: pyarrow.fs.FileSystem) -> bool:
    """Return True if the credentials are a token from a server."""
    options = _options(filesystem)
    return not options.get("account_key") and not options.get("sas_token")


def _fetch_token(filesystem: pyarrow.fs.FileSystem, path: str) -> None:
    """Request something for which the SDK fetches a token: here pyarrow converts the SDK's exception to an error."""
    import pyarrow as pa

    container, _, below = path.strip("/").partition("/")
    try:
        filesystem.get_file_info(f"{container or '_'}/{below or '_'}")
    except (pa.ArrowException, OSError) as error:
        if REFUSED not in str(error):
            return  # opening the file will report it
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
