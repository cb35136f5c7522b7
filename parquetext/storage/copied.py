"""A commit on S3 that moves only the tail: an upload in parts, of which the store itself copies all but the last.

It is finished under the condition that the object is still the one that was read, so that of two writers one loses,
not its object. It needs boto3 (the extra ``s3``): pyarrow offers neither copied parts nor conditions.
(Amazon S3 API reference: CreateMultipartUpload, UploadPartCopy, CompleteMultipartUpload.)
"""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from urllib.parse import urlencode

from ..errors import Conflict
from .edit import TailEdit
from .paths import RemoteTarget
from .source import RemoteSource

__all__ = ["can_copy", "commit_copied"]

LEAST_PART = 5 << 20  # of every part but the last
_PART = 1 << 30
_AT_ONCE = 8
_CHANGED = {"PreconditionFailed", "ConditionalRequestConflict", "412", "409"}
_KEPT = ("CacheControl", "ContentDisposition", "ContentEncoding", "ContentLanguage", "ContentType", "Expires",
         "Metadata", "ServerSideEncryption", "SSEKMSKeyId", "BucketKeyEnabled", "StorageClass",
         "WebsiteRedirectLocation", "ObjectLockMode", "ObjectLockRetainUntilDate", "ObjectLockLegalHoldStatus")


def can_copy(target: RemoteTarget, edit: TailEdit) -> bool:
    """Whether the kept bytes of this object can be copied by its store."""
    if target.filesystem.type_name != "s3" or edit.keep < LEAST_PART or not edit.tail:
        return False
    settings = _settings(target)
    if settings.get("role_arn") or settings.get("anonymous"):
        return False
    return importlib.util.find_spec("boto3") is not None


def commit_copied(source: RemoteSource, edit: TailEdit) -> None:
    """Put the new object in the place of the one that was read.

    Raises
    ------
    Conflict
        It is not there any more, or another one is: nothing was done.
    """
    from botocore.exceptions import BotoCoreError, ClientError

    bucket, _, key = source.target.path.partition("/")
    upload = _Upload(_client_of(source.target), bucket, key, _tag(source))
    try:
        upload.begin()
        try:
            upload.send(edit)
            upload.finish(edit)
        except BaseException:
            upload.abort()
            raise
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code in _CHANGED:
            raise Conflict("it was changed by somebody else meanwhile", file=source.name) from error
        if code in ("404", "NoSuchKey"):
            raise Conflict("it was removed meanwhile", file=source.name) from error
        raise OSError(f"{source.name}: {error}") from error
    except BotoCoreError as error:
        raise OSError(f"{source.name}: {error}") from error


class _Upload:
    """One upload in parts to the name of the object that it copies from."""

    def __init__(self, client, bucket: str, key: str, tag: str):
        self._client, self._where, self._tag = client, {"Bucket": bucket, "Key": key}, tag
        self._id = ""
        self._parts: list[dict] = []

    def begin(self) -> None:
        old = self._client.head_object(**self._where, IfMatch=self._tag)
        self._check(old["ETag"])
        kept = {name: old[name] for name in _KEPT if old.get(name)}
        if tags := self._tags():
            kept["Tagging"] = urlencode(tags)
        self._id = self._client.create_multipart_upload(**self._where, **kept)["UploadId"]

    def _tags(self) -> dict[str, str]:
        """The object's tags; none where one may not ask, or the store has none."""
        try:
            found = self._client.get_object_tagging(**self._where)["TagSet"]
        except self._client.exceptions.ClientError as error:
            if error.response["Error"]["Code"] not in ("AccessDenied", "NotImplemented"):
                raise
            return {}
        return {each["Key"]: each["Value"] for each in found}

    def send(self, edit: TailEdit) -> None:
        ranges = list(_parts(edit.keep))
        with ThreadPoolExecutor(min(len(ranges), _AT_ONCE)) as pool:
            tags = list(pool.map(self._copy, range(1, len(ranges) + 1), ranges))
        tags.append(self._client.upload_part(
            **self._where, UploadId=self._id, PartNumber=len(ranges) + 1, Body=edit.tail)["ETag"])
        self._parts = [{"PartNumber": number, "ETag": tag} for number, tag in enumerate(tags, 1)]

    def _copy(self, number: int, part: tuple[int, int]) -> str:
        begin, end = part
        copied = self._client.upload_part_copy(
            **self._where, UploadId=self._id, PartNumber=number, CopySource=self._where,
            CopySourceRange=f"bytes={begin}-{end - 1}", CopySourceIfMatch=self._tag)
        return copied["CopyPartResult"]["ETag"]

    def finish(self, edit: TailEdit) -> None:
        """Complete it; a retry after a lost answer is told that there is no such upload, but the object is there."""
        self._check(self._client.head_object(**self._where)["ETag"])  # for stores that know no conditions
        try:
            self._client.complete_multipart_upload(
                **self._where, UploadId=self._id, IfMatch=self._tag, MultipartUpload={"Parts": self._parts})
        except self._client.exceptions.ClientError as error:
            if error.response["Error"]["Code"] not in {"NoSuchUpload", *_CHANGED} or not self._is_there(edit):
                raise

    def _is_there(self, edit: TailEdit) -> bool:
        if self._client.head_object(**self._where)["ContentLength"] != edit.size:
            return False
        found = self._client.get_object(**self._where, Range=f"bytes={edit.keep}-{edit.size - 1}")
        return found["Body"].read() == edit.tail

    def _check(self, tag: str) -> None:
        if tag.strip('"') != self._tag.strip('"'):
            raise Conflict("it was changed by somebody else meanwhile", file="s3://{Bucket}/{Key}".format(**self._where))

    def abort(self) -> None:
        """Let the store forget the parts; where that fails too, what failed first is the error to tell."""
        from botocore.exceptions import BotoCoreError, ClientError

        if self._id:
            with contextlib.suppress(BotoCoreError, ClientError):
                self._client.abort_multipart_upload(**self._where, UploadId=self._id)


def _parts(size: int) -> Iterator[tuple[int, int]]:
    """[begin, end) of parts of about 1 GiB, alike in size and so never too small."""
    count = -(-size // _PART)
    return ((size * part // count, size * (part + 1) // count) for part in range(count))


def _tag(source: RemoteSource) -> str:
    return source.version.identity[0] or ""


def _settings(target: RemoteTarget) -> Mapping:
    """What an S3FileSystem was made with: what it gives to be pickled is the one way to learn it."""
    return target.filesystem.__reduce__()[1][0]


def _client_of(target: RemoteTarget):
    settings = _settings(target)
    proxy = settings.get("proxy_options") or {}
    return _client(
        settings.get("region") or target.filesystem.region, settings.get("endpoint_override") or "",
        settings.get("scheme") or "https", settings.get("access_key") or "", settings.get("secret_key") or "",
        settings.get("session_token") or "", bool(settings.get("force_virtual_addressing")),
        settings.get("tls_ca_file_path") or "", _proxy(proxy))


def _proxy(options: Mapping) -> str:
    if not options.get("host"):
        return ""
    user = f"{options['username']}:{options['password']}@" if options.get("username") else ""
    return f"{options['scheme']}://{user}{options['host']}:{options['port']}"


@lru_cache(maxsize=16)
def _client(region: str, endpoint: str, scheme: str, key: str, secret: str, token: str, virtual: bool, authorities: str,
            proxy: str):
    """A client as the filesystem's; making one takes a tenth of a second, and any thread may use it."""
    import boto3
    from botocore.config import Config

    if endpoint and "://" not in endpoint:
        endpoint = f"{scheme}://{endpoint}"
    config = Config(
        retries={"mode": "standard", "max_attempts": 5}, max_pool_connections=_AT_ONCE * 2,
        proxies={"http": proxy, "https": proxy} if proxy else None,
        s3={"addressing_style": "virtual" if virtual or not endpoint else "path"})
    return boto3.session.Session().client(
        "s3", region_name=region or None, endpoint_url=endpoint or None, aws_access_key_id=key or None,
        aws_secret_access_key=secret or None, aws_session_token=token or None, verify=authorities or None,
        config=config)
