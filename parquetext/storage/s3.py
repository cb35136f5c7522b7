"""Objects on S3 by boto3, for what pyarrow's filesystem does not offer: parts that the store copies, conditions, and
uploads that can be called off.

(Amazon S3 API reference: PutObject, CreateMultipartUpload, UploadPart, UploadPartCopy, CompleteMultipartUpload.)
"""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Iterator, Mapping
from functools import lru_cache
from urllib.parse import quote, urlencode

from ..errors import Conflict
from .paths import RemoteTarget

__all__ = ["AT_ONCE", "LEAST_PART", "S3Object", "S3Upload", "s3_object"]

LEAST_PART = 5 << 20  # of every part but the last
AT_ONCE = 8
_CHANGED = {"PreconditionFailed", "ConditionalRequestConflict", "412", "409"}
_ABSENT = {"NoSuchKey", "NoSuchBucket", "404"}
_KEPT = ("CacheControl", "ContentDisposition", "ContentEncoding", "ContentLanguage", "ContentType", "Expires",
         "Metadata", "ServerSideEncryption", "SSEKMSKeyId", "BucketKeyEnabled", "StorageClass",
         "WebsiteRedirectLocation", "ObjectLockMode", "ObjectLockRetainUntilDate", "ObjectLockLegalHoldStatus")


def s3_object(target: RemoteTarget) -> S3Object | None:
    """The same object by boto3; None without boto3, and for what is not S3, has a role to assume, or is anonymous."""
    if target.filesystem.type_name != "s3" or importlib.util.find_spec("boto3") is None:
        return None
    settings = _settings(target)
    if settings.get("role_arn") or settings.get("anonymous"):
        return None
    return S3Object(_client_of(target, settings), target)


class S3Object:
    """One object, which need not be there.

    Every method raises Conflict where a condition failed, FileNotFoundError where the object or bucket is absent,
    PermissionError, or else OSError.
    """

    def __init__(self, client, target: RemoteTarget):
        self.client, self.name = client, str(target)
        bucket, _, key = target.path.partition("/")
        self.where = {"Bucket": bucket, "Key": key}

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """Errors of boto3 as Python's own."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            yield
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code in _CHANGED:
                raise Conflict("it was changed by somebody else meanwhile", file=self.name) from error
            kind = FileNotFoundError if code in _ABSENT else PermissionError if code == "AccessDenied" else OSError
            raise kind(f"{self.name}: {error}") from error
        except BotoCoreError as error:
            raise OSError(f"{self.name}: {error}") from error

    def tag(self) -> str:
        """The ETag that it has now."""
        with self.asking():
            return self.client.head_object(**self.where)["ETag"]

    def look(self) -> tuple[str, dict]:
        """Its ETag, and what a new object in its place has to be given: headers, metadata, storage class, tags."""
        with self.asking():
            head = self.client.head_object(**self.where)
        kept = {name: head[name] for name in _KEPT if head.get(name)}
        if tags := self._tags():
            kept["Tagging"] = urlencode(tags)
        return head["ETag"], kept

    def _tags(self) -> dict[str, str]:
        """The object's tags; none where one may not ask, or the store has none."""
        from botocore.exceptions import ClientError

        with self.asking():
            try:
                found = self.client.get_object_tagging(**self.where)["TagSet"]
            except ClientError as error:
                if error.response["Error"]["Code"] not in ("AccessDenied", "NotImplemented"):
                    raise
                return {}
        return {each["Key"]: each["Value"] for each in found}

    def put(self, data: bytes, **options) -> None:
        """Make `data` its content."""
        with self.asking():
            self.client.put_object(**self.where, Body=data, **options)

    def upload(self, **attributes) -> S3Upload:
        """Begin an upload in parts."""
        with self.asking():
            return S3Upload(self, self.client.create_multipart_upload(**self.where, **attributes)["UploadId"])

    def ends_with(self, offset: int, tail: bytes) -> bool:
        """Whether it now has `tail` at `offset`, and nothing after it."""
        with self.asking():
            if self.client.head_object(**self.where)["ContentLength"] != offset + len(tail):
                return False
            found = self.client.get_object(**self.where, Range=f"bytes={offset}-{offset + len(tail) - 1}")
            return found["Body"].read() == tail


class S3Upload:
    """An upload in parts: nothing of it is seen before `finish`. Parts may be sent from any thread."""

    def __init__(self, goal: S3Object, identity: str):
        self._goal, self._where = goal, {**goal.where, "UploadId": identity}
        self._tags: dict[int, str] = {}

    def send(self, number: int, data: bytes) -> None:
        """Upload a part; numbers begin at 1."""
        with self._goal.asking():
            self._tags[number] = self._goal.client.upload_part(**self._where, PartNumber=number, Body=data)["ETag"]

    def copy(self, number: int, begin: int, end: int, tag: str) -> None:
        """Let the store copy a part from the object itself, if its ETag is `tag`."""
        with self._goal.asking():
            copied = self._goal.client.upload_part_copy(
                **self._where, PartNumber=number, CopySource=self._goal.where, CopySourceIfMatch=tag,
                CopySourceRange=f"bytes={begin}-{end - 1}")
            self._tags[number] = copied["CopyPartResult"]["ETag"]

    def finish(self, **options) -> None:
        """Put the new object in place."""
        parts = [{"PartNumber": number, "ETag": tag} for number, tag in sorted(self._tags.items())]
        with self._goal.asking():
            self._goal.client.complete_multipart_upload(**self._where, MultipartUpload={"Parts": parts}, **options)

    def abort(self) -> None:
        """Let the store forget the parts; where that fails too, what failed first is the error to tell."""
        with contextlib.suppress(OSError, Conflict), self._goal.asking():
            self._goal.client.abort_multipart_upload(**self._where)


def _settings(target: RemoteTarget) -> Mapping:
    """What an S3FileSystem was made with: what it gives to be pickled is the one way to learn it."""
    return target.filesystem.__reduce__()[1][0]


def _client_of(target: RemoteTarget, settings: Mapping):
    return _client(
        settings.get("region") or target.filesystem.region, settings.get("endpoint_override") or "",
        settings.get("scheme") or "https", settings.get("access_key") or "", settings.get("secret_key") or "",
        settings.get("session_token") or "", bool(settings.get("force_virtual_addressing")),
        settings.get("tls_ca_file_path") or "", _proxy(settings.get("proxy_options") or {}))


def _proxy(options: Mapping) -> str:
    if not options.get("host"):
        return ""
    names = (quote(options.get(name) or "", safe="") for name in ("username", "password"))
    user = f"{':'.join(names)}@" if options.get("username") else ""
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
        retries={"mode": "standard", "max_attempts": 5}, max_pool_connections=AT_ONCE * 2,
        proxies={"http": proxy, "https": proxy} if proxy else None,
        s3={"addressing_style": "virtual" if virtual or not endpoint else "path"})
    return boto3.session.Session().client(
        "s3", region_name=region or None, endpoint_url=endpoint or None, aws_access_key_id=key or None,
        aws_secret_access_key=secret or None, aws_session_token=token or None, verify=authorities or None,
        config=config)
