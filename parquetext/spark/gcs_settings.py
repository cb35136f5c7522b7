"""Settings of Hadoop's connector to Google Cloud Storage (`fs.gs.…`) as pyarrow's filesystem takes them.

(The connector's CONFIGURATION.md, and Hadoop's documentation of hadoop-gcp.)
"""

from __future__ import annotations

import urllib.parse
from collections.abc import Mapping

from ..errors import Unsupported

GCS_SCHEMES = ("gs", "gcs")
_GS = "fs.gs."
GCS_NAMES = (  # of the supported settings
    "fs.gs.storage.root.url",
    "fs.gs.project.id",
    "fs.gs.auth.type",
    "fs.gs.auth.null.enable",
    "fs.gs.auth.service.account.json.keyfile",
    "fs.gs.auth.impersonation.service.account",
)
_GOOGLE = "storage.googleapis.com"
_BY_JAVA = ("ACCESS_TOKEN_PROVIDER", "USER_CREDENTIALS")


def gcs_options(settings: Mapping[str, str], url: str) -> dict:
    """Return arguments of ``pyarrow.fs.GcsFileSystem`` from Hadoop's settings, and `key_file` of a service account.

    Without a key file, and unless access is anonymous, Google's chain of credentials is used.

    Raises
    ------
    Unsupported
        If a Java class provides the credentials.
    """

    def value(name: str) -> str:
        return settings.get(_GS + name, "").strip()

    options: dict = {}
    endpoint = urllib.parse.urlsplit(value("storage.root.url"))
    if endpoint.netloc not in ("", _GOOGLE):
        options = {"scheme": endpoint.scheme, "endpoint_override": endpoint.netloc}
    if value("project.id"):
        options["project_id"] = value("project.id")
    kind = value("auth.type").upper()
    if kind in _BY_JAVA:
        raise Unsupported(f"{url}: fs.gs.auth.type={kind} is a class of Java's")
    if kind == "UNAUTHENTICATED" or value("auth.null.enable").lower() == "true":
        return {**options, "anonymous": True}
    if kind in ("", "SERVICE_ACCOUNT_JSON_KEYFILE") and value("auth.service.account.json.keyfile"):
        options["key_file"] = value("auth.service.account.json.keyfile")
    if value("auth.impersonation.service.account"):
        options["target_service_account"] = value("auth.impersonation.service.account")
    return options
