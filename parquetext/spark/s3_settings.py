"""Hadoop's settings of S3 (`fs.s3a.…`) as pyarrow's filesystem takes them."""

from __future__ import annotations

import ipaddress
import re
import urllib.parse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .. import wire
from ..errors import ParquetextError

if TYPE_CHECKING:
    import pyarrow.fs

S3_SCHEMES = ("s3", "s3a", "s3n")
_S3A, _BUCKET = "fs.s3a.", "fs.s3a.bucket."
_OF_S3A = (
    "access.key",
    "secret.key",
    "session.token",
    "aws.credentials.provider",
    "endpoint",
    "endpoint.region",
    "connection.ssl.enabled",
    "path.style.access",
    "assumed.role.arn",
    "assumed.role.session.name",
    "assumed.role.session.duration",
    "assumed.role.external.id",
    "connection.timeout",
    "connection.establish.timeout",
    "attempts.maximum",
    "proxy.host",
    "proxy.port",
    "proxy.username",
    "proxy.password",
)
S3_NAMES, S3_PREFIXES = [_S3A + name for name in _OF_S3A], [_BUCKET]  # of the supported settings
_AMAZON = re.compile(r"s3[.-](?:dualstack\.)?(?:([a-z0-9-]+)\.)?amazonaws\.com(?:\.cn)?", re.IGNORECASE)
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_ATTEMPTS = 10  # stores often throttle a whole cluster


def s3_filesystem(settings: Mapping[str, str], bucket: str) -> pyarrow.fs.S3FileSystem:
    """Return pyarrow's filesystem for a bucket, configured by Hadoop's settings."""
    import pyarrow.fs as pafs

    options = s3_options(settings, bucket)
    attempts = options.pop("attempts")
    if "region" not in options and "endpoint_override" not in options:
        options["region"] = _region_of(bucket)
    return pafs.S3FileSystem(retry_strategy=pafs.AwsStandardS3RetryStrategy(max_attempts=attempts), **options)


def s3_options(settings: Mapping[str, str], bucket: str) -> dict:
    """Return arguments of ``pyarrow.fs.S3FileSystem`` from Hadoop's settings, and `attempts`; a bucket's go first.

    Without keys, role or the anonymous provider, AWS's chain of credentials is used, as in Hadoop.
    """

    def value(name: str) -> str:
        return (settings.get(f"{_BUCKET}{bucket}.{name}") or settings.get(_S3A + name) or "").strip()

    credentials, endpoint = _credentials(value), _endpoint(value)
    options: dict[str, Any] = {
        "attempts": _whole("attempts.maximum", value("attempts.maximum") or _ATTEMPTS),
        **credentials,
        **endpoint,
    }
    for name, ours in (("connection.timeout", "request_timeout"), ("connection.establish.timeout", "connect_timeout")):
        if value(name):
            options[ours] = _seconds(name, value(name))
    if value("proxy.host"):
        port = _whole("proxy.port", value("proxy.port") or (80 if endpoint.get("scheme") == "http" else 443))
        options["proxy_options"] = {
            "scheme": "http",
            "host": value("proxy.host"),
            "port": port,
            "username": value("proxy.username"),
            "password": value("proxy.password"),
        }
    return options


def _credentials(value: Callable[[str], str]) -> dict:
    provider = value("aws.credentials.provider")
    if "Anonymous" in provider:
        return {"anonymous": True}
    if value("assumed.role.arn") and (not provider or "AssumedRole" in provider):
        options: dict[str, Any] = {
            "role_arn": value("assumed.role.arn"),
            "session_name": value("assumed.role.session.name"),
            "external_id": value("assumed.role.external.id"),
        }
        if duration := value("assumed.role.session.duration"):
            options["load_frequency"] = int(_seconds("assumed.role.session.duration", duration))
        return {name: given for name, given in options.items() if given}
    if value("access.key") and value("secret.key"):
        token = {"session_token": value("session.token")} if value("session.token") else {}
        return {"access_key": value("access.key"), "secret_key": value("secret.key"), **token}
    return {}


def _endpoint(value: Callable[[str], str]) -> dict:
    options: dict[str, str | bool] = {}
    endpoint = value("endpoint")
    secure = value("connection.ssl.enabled").lower() != "false"
    parts = urllib.parse.urlsplit(endpoint if "://" in endpoint else f"//{endpoint}")
    amazon = _AMAZON.fullmatch(parts.hostname or "")
    if endpoint and not amazon:
        options["endpoint_override"] = parts.netloc
        secure = parts.scheme == "https" if parts.scheme else secure
        if value("path.style.access").lower() != "true" and not _is_address(parts.hostname or ""):
            options["force_virtual_addressing"] = True
    if region := value("endpoint.region") or (amazon and amazon[1]):
        options["region"] = region
    if not secure:
        options["scheme"] = "http"
    return options


def _is_address(host: str) -> bool:
    """Return True if buckets cannot be part of the host name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost"
    return True


def _seconds(name: str, text: str) -> float:
    """Parse one of Hadoop's times, in milliseconds if it has no unit."""
    message = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?)\s*(ns|us|ms|s|m|h|d|)\s*", text.lower())
    if message is None:
        raise ParquetextError(f"{_S3A}{name}={text}: a time expected, such as 30s", code=wire.BAD_ARGUMENT)
    return float(message[1]) * _SECONDS[message[2] or "ms"]


def _whole(name: str, text: str | int) -> int:
    try:
        return int(text)
    except ValueError:
        raise ParquetextError(f"{_S3A}{name}={text}: a whole number expected", code=wire.BAD_ARGUMENT) from None


def _region_of(bucket: str) -> str | None:
    import pyarrow.fs as pafs

    try:
        return pafs.resolve_s3_region(bucket)
    except OSError:
        return None  # the SDK's default, from environment and profile
