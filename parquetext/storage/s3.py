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
from .paths import Target
from .s3_checksums import NO_CHECKSUM, ObjectChecksum

__all__ = ["AT_ONCE", "LEAST_PART", "S3Object", "S3Upload", "s3_object"]

LEAST_PART = 5 << 20  # of every part but the last
AT_ONCE = 8
_CHANGED = {"PreconditionFailed", "ConditionalRequestConflict", "412", "409"}
_ABSENT = {"NoSuchKey", "NoSuchBucket", "404"}
_KEPT = (
    "CacheControl",
    "ContentDisposition",
    "ContentEncoding",
    "ContentLanguage",
    "ContentType",
    "Expires",
    "Metadata",
    "ServerSideEncryption",
    "SSEKMSKeyId",
    "BucketKeyEnabled",
    "StorageClass",
    "WebsiteRedirectLocation",
    "ObjectLockMode",
    "ObjectLockRetainUntilDate",
    "ObjectLockLegalHoldStatus",
)
_LOCKED = ObjectChecksum("CRC32")


def s3_object(target: Target) -> S3Object | None:
    """The same object by boto3; None without boto3, and for what is not S3, has a role to assume, or is anonymous."""
    if target.filesystem.type_name != "s3" or importlib.util.find_spec("boto3") is None:
        return None
    settings = _settings(target)
    if settings.get("role_arn") or settings.get("anonymous"):
        return None
    return S3Object(_client_of(target, settings), target)


@lru_cache(maxsize=1)
def _checksum_of_new_objects() -> ObjectChecksum:
    """What boto3's own transfers give an object, by the user's settings (AWS_REQUEST_CHECKSUM_CALCULATION)."""
    from botocore.session import get_session

    asked = get_session().get_config_variable("request_checksum_calculation")
    return NO_CHECKSUM if asked == "when_required" else ObjectChecksum("CRC32")


class S3Object:
    """One object, which need not be there.

    Every method raises Conflict where a condition failed, FileNotFoundError where the object or bucket is absent,
    PermissionError, or else OSError.
    """

    def __init__(self, client, target: Target):
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

    def look(self) -> tuple[str, dict, ObjectChecksum]:
        """Its ETag, and what a new object in its place has to be given: headers, metadata, storage class, tags; and the
        kind of its checksum.

        Where object lock holds, S3 takes nothing without a checksum.
        """
        with self.asking():
            head = self.client.head_object(**self.where, ChecksumMode="ENABLED")
        kept = {name: head[name] for name in _KEPT if head.get(name)}
        if tags := self._tags():
            kept["Tagging"] = urlencode(tags)
        checksum = ObjectChecksum.of_head(head)
        if not checksum.algorithm and "ObjectLockMode" in kept:
            checksum = _LOCKED
        return head["ETag"], kept, checksum

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

    def put(self, data: bytes, checksum: ObjectChecksum | None = None, **options) -> None:
        """Make `data` its content, with a checksum as the store is to keep it: without, that of any new object."""
        checksum = checksum or _checksum_of_new_objects()
        with self.asking():
            self.client.put_object(**self.where, Body=data, **checksum.for_data(data), **options)

    def upload(self, checksum: ObjectChecksum | None = None, **attributes) -> S3Upload:
        """Begin an upload in parts, which all have the object's kind of checksum, or that of any new object.

        Stores refuse parts with a checksum in an upload without: of that, the answer to its beginning tells.
        """
        asked = checksum or _checksum_of_new_objects()
        with self.asking():
            begun = self.client.create_multipart_upload(**self.where, **asked.for_upload(), **attributes)
        is_kept = checksum is not None or begun.get("ChecksumAlgorithm") == asked.algorithm
        return S3Upload(self, begun["UploadId"], asked if is_kept else NO_CHECKSUM)

    def ends_with(self, offset: int, tail: bytes) -> bool:
        """Whether it now has `tail` at `offset`, and nothing after it."""
        with self.asking():
            if self.client.head_object(**self.where)["ContentLength"] != offset + len(tail):
                return False
            found = self.client.get_object(**self.where, Range=f"bytes={offset}-{offset + len(tail) - 1}")
            return found["Body"].read() == tail


class S3Upload:
    """An upload in parts: nothing of it is seen before `finish`. Parts may be sent from any thread."""

    def __init__(self, goal: S3Object, identity: str, checksum: ObjectChecksum = NO_CHECKSUM):
        self._goal, self._where, self._checksum = goal, {**goal.where, "UploadId": identity}, checksum
        self._tags: dict[int, str] = {}
        self._sums: dict[int, dict[str, str]] = {}

    def send(self, number: int, data: bytes) -> None:
        """Upload a part; numbers begin at 1."""
        sum = self._checksum.for_data(data)
        with self._goal.asking():
            sent = self._goal.client.upload_part(**self._where, PartNumber=number, Body=data, **sum)
        self._tags[number], self._sums[number] = sent["ETag"], self._checksum.of_answer(sum)

    def copy(self, number: int, begin: int, end: int, tag: str) -> None:
        """Let the store copy a part from the object itself, if its ETag is `tag`."""
        with self._goal.asking():
            copied = self._goal.client.upload_part_copy(
                **self._where,
                PartNumber=number,
                CopySource=self._goal.where,
                CopySourceIfMatch=tag,
                CopySourceRange=f"bytes={begin}-{end - 1}",
            )["CopyPartResult"]
        self._tags[number], self._sums[number] = copied["ETag"], self._checksum.of_copy(copied, begin, end)

    def finish(self, **options) -> None:
        """Put the new object in place."""
        told = all(self._sums.values())  # of some parts alone they are no use to the store
        parts = [
            {"PartNumber": number, "ETag": tag, **(self._sums[number] if told else {})}
            for number, tag in sorted(self._tags.items())
        ]
        with self._goal.asking():
            self._goal.client.complete_multipart_upload(**self._where, MultipartUpload={"Parts": parts}, **options)

    def abort(self) -> None:
        """Let the store forget the parts; where that fails too, what failed first is the error to tell."""
        with contextlib.suppress(OSError, Conflict), self._goal.asking():
            self._goal.client.abort_multipart_upload(**self._where)


def _settings(target: Target) -> Mapping:
    """What an S3FileSystem was made with: what it gives to be pickled is the one way to learn it."""
    return target.filesystem.__reduce__()[1][0]


def _client_of(target: Target, settings: Mapping):
    return _client(
        settings.get("region") or target.filesystem.region,
        settings.get("endpoint_override") or "",
        settings.get("scheme") or "https",
        settings.get("access_key") or "",
        settings.get("secret_key") or "",
        settings.get("session_token") or "",
        bool(settings.get("force_virtual_addressing")),
        settings.get("tls_ca_file_path") or "",
        _proxy(settings.get("proxy_options") or {}),
    )


def _proxy(options: Mapping) -> str:
    if not options.get("host"):
        return ""
    names = (quote(options.get(name) or "", safe="") for name in ("username", "password"))
    user = f"{':'.join(names)}@" if options.get("username") else ""
    return f"{options['scheme']}://{user}{options['host']}:{options['port']}"


@lru_cache(maxsize=16)
def _client(
    region: str,
    endpoint: str,
    scheme: str,
    key: str,
    secret: str,
    token: str,
    virtual: bool,
    authorities: str,
    proxy: str,
):
    """A client as the filesystem's; making one takes a tenth of a second, and any thread may use it."""
    import boto3
    from botocore.config import Config

    if endpoint and "://" not in endpoint:
        endpoint = f"{scheme}://{endpoint}"
    config = Config(
        retries={"mode": "standard", "max_attempts": 5},
        max_pool_connections=AT_ONCE * 2,
        request_checksum_calculation="when_required",  # where an object has one, it is given here
        proxies={"http": proxy, "https": proxy} if proxy else None,
        s3={"addressing_style": "virtual" if virtual or not endpoint else "path"},
    )
    return boto3.session.Session().client(
        "s3",
        region_name=region or None,
        endpoint_url=endpoint or None,
        aws_access_key_id=key or None,
        aws_secret_access_key=secret or None,
        aws_session_token=token or None,
        verify=authorities or None,
        config=config,
    )
