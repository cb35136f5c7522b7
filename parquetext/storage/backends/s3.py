"""Amazon S3 through boto3: conditional writes, and parts that the store copies.

(Amazon S3 API reference: PutObject, CreateMultipartUpload, UploadPart, UploadPartCopy, CompleteMultipartUpload.)
"""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import lru_cache
from urllib.parse import quote, urlencode

from ...errors import Conflict, ParquetextError
from ...threads import Pool, Task
from ..backend import Capability
from ..commit import Change
from ..objects import EndHeld
from ..paths import Target
from ..source import RemoteSource, TailEdit
from .arrow_filesystem import ArrowBackend
from .s3_checksums import NO_CHECKSUM, NotOfThePart, ObjectChecksum

LEAST_PART = 5 << 20  # bytes of every part except the last
AT_ONCE = 8
_CHANGED = {"PreconditionFailed", "ConditionalRequestConflict", "412", "409"}
_ABSENT = {"NoSuchKey", "NoSuchBucket", "404"}
_SETTINGS = [
    "endpoint_override",
    "scheme",
    "access_key",
    "secret_key",
    "session_token",
    "force_virtual_addressing",
    "tls_ca_file_path",
]
_KEPT = [
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
]
_LOCKED = ObjectChecksum("CRC32")
_COPIED_PART, _SENT_PART = 1 << 30, 8 << 20
_AT_ONCE = 4
_END = 1 << 16  # bytes compared to recognize the object after a lost response
_PARTS_OF_A_SIZE = 1000  # S3 accepts 10,000 parts, so their size doubles after this number


class S3Backend(ArrowBackend):
    """pyarrow's filesystem, and boto3 for changes if it is installed."""

    schemes, type_names = ("s3", "s3a", "s3n"), ("s3",)
    capabilities = Capability.REPLACE | Capability.LIST_FOLDERS | Capability.VERSION_TAGS
    copy_limit = 5 << 30

    def capabilities_of(self, target: Target) -> Capability:
        found = self.capabilities
        if s3_object(target) is not None:
            found |= Capability.CONDITIONAL_PUT | Capability.COPY_RANGES | Capability.COMPOSE
        return found

    def resolve(self, url: str) -> Target:
        return super().resolve(f"s3{url[url.index(':') :]}")

    def _replace(self, source: RemoteSource, edit: TailEdit, ignored: frozenset[str]) -> int:
        goal = s3_object(source.target)
        if goal is None or not source.version.identity[0]:
            return super()._replace(source, edit, ignored)
        return commit_copied(source, goal, edit)

    def new_file(self, target: Target, *, ignored: frozenset[str], owner: int | None = None) -> EndHeld:
        goal = s3_object(target)
        return super().new_file(target, ignored=ignored) if goal is None else NewS3Object(goal)

    def new_content(self, change: Change) -> EndHeld:
        goal, tag = s3_object(change.source.target), change.source.version.identity[0]
        return super().new_content(change) if goal is None or not tag else NewS3Object(goal, tag)


def s3_object(target: Target) -> S3Object | None:
    """Return the object as seen by boto3; None without boto3, for a role to assume, and for anonymous access."""
    if target.arrow_filesystem.type_name != "s3" or importlib.util.find_spec("boto3") is None:
        return None
    settings = _settings(target)
    if settings.get("role_arn") or settings.get("anonymous"):
        return None
    return S3Object(_client_of(target, settings), target)


@lru_cache(maxsize=1)
def _checksum_of_new_objects() -> ObjectChecksum:
    """Return the checksum that boto3 gives new objects with the user's settings (AWS_REQUEST_CHECKSUM_CALCULATION)."""
    from botocore.session import get_session

    asked = get_session().get_config_variable("request_checksum_calculation")
    return NO_CHECKSUM if asked == "when_required" else ObjectChecksum("CRC32")


class S3Object:
    """One object, which may not exist.

    Every method raises Conflict if a condition failed, FileNotFoundError if the object or bucket does not exist,
    PermissionError, or another OSError.
    """

    def __init__(self, client, target: Target):
        self.client, self.name = client, str(target)
        bucket, _, key = target.path.partition("/")
        self.where = {"Bucket": bucket, "Key": key}

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """Convert boto3's errors to Python's."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            yield
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code in _CHANGED:
                raise Conflict("it was changed by another process in the meantime", file=self.name) from error
            kind = FileNotFoundError if code in _ABSENT else PermissionError if code == "AccessDenied" else OSError
            raise kind(f"{self.name}: {error}") from error
        except BotoCoreError as error:
            raise OSError(f"{self.name}: {error}") from error

    def tag(self) -> str:
        """Return the current ETag."""
        with self.asking():
            return self.client.head_object(**self.where)["ETag"]

    def look(self) -> tuple[str, dict, ObjectChecksum]:
        """Return the ETag, the attributes that a new object has to take over, and the kind of checksum.

        The attributes are headers, metadata, storage class and tags. Under an object lock, S3 requires a checksum.
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
        """Return the object's tags; none if the user may not read them, or the store does not support them."""
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
        """Replace the content by `data`, with this kind of checksum, by default that of any new object."""
        checksum = checksum or _checksum_of_new_objects()
        with self.asking():
            self.client.put_object(**self.where, Body=data, **checksum.for_data(data), **options)

    def upload(self, checksum: ObjectChecksum | None = None, **attributes) -> S3Upload:
        """Begin an upload whose parts have this kind of checksum, by default that of any new object.

        Stores refuse parts with a checksum if the upload has none; their first response shows that.
        """
        asked = checksum or _checksum_of_new_objects()
        with self.asking():
            begun = self.client.create_multipart_upload(**self.where, **asked.for_upload(), **attributes)
        is_kept = checksum is not None or begun.get("ChecksumAlgorithm") == asked.algorithm
        return S3Upload(self, begun["UploadId"], asked if is_kept else NO_CHECKSUM)

    def ends_with(self, offset: int, tail: bytes | bytearray | memoryview) -> bool:
        """Return True if the object ends with `tail`, which begins at `offset`."""
        with self.asking():
            if self.client.head_object(**self.where)["ContentLength"] != offset + len(tail):
                return False
            found = self.client.get_object(**self.where, Range=f"bytes={offset}-{offset + len(tail) - 1}")
            return found["Body"].read() == tail

    @contextlib.contextmanager
    def settled(self, offset: int, tail: bytes | bytearray | memoryview) -> Iterator[None]:
        """Ignore an error if the object has its new end: the first request succeeded, but its response was lost."""
        try:
            yield
        except (OSError, ParquetextError):
            if not self.ends_with(offset, tail):
                raise


class S3Upload:
    """An upload in parts. The object becomes visible with `finish`. Any thread may send parts."""

    def __init__(self, goal: S3Object, identity: str, checksum: ObjectChecksum = NO_CHECKSUM):
        self._goal, self._where, self._checksum = goal, {**goal.where, "UploadId": identity}, checksum
        self._tags: dict[int, str] = {}
        self._sums: dict[int, dict[str, str]] = {}

    def send(self, number: int, data: bytes | memoryview) -> None:
        """Upload a part; numbers begin at 1."""
        sum = self._checksum.for_data(data)
        with self._goal.asking():
            sent = self._goal.client.upload_part(**self._where, PartNumber=number, Body=data, **sum)
        self._tags[number], self._sums[number] = sent["ETag"], self._checksum.of_answer(sum)

    def copy(self, number: int, begin: int, end: int, tag: str) -> None:
        """Copy a part from the object itself in the store, if its ETag is `tag`."""
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
        has_sums = all(self._sums.values())  # the store needs the checksums of all parts or none
        parts = [
            {"PartNumber": number, "ETag": tag, **(self._sums[number] if has_sums else {})}
            for number, tag in sorted(self._tags.items())
        ]
        with self._goal.asking():
            self._goal.client.complete_multipart_upload(**self._where, MultipartUpload={"Parts": parts}, **options)

    def abort(self) -> None:
        """Discard the parts. If that fails, the original error is more important."""
        with contextlib.suppress(OSError, Conflict), self._goal.asking():
            self._goal.client.abort_multipart_upload(**self._where)


def _settings(target: Target) -> Mapping:
    """Return the arguments that an S3FileSystem was created with. Only its pickled form contains them."""
    return target.arrow_filesystem.__reduce__()[1][0]


def _client_of(target: Target, settings: Mapping):
    region = settings.get("region") or target.arrow_filesystem.region
    proxy = _proxy(settings.get("proxy_options") or {})
    return _client(region, proxy, *(settings.get(name) or None for name in _SETTINGS))


def _proxy(options: Mapping) -> str:
    if not options.get("host"):
        return ""
    names = (quote(options.get(name) or "", safe="") for name in ("username", "password"))
    user = f"{':'.join(names)}@" if options.get("username") else ""
    return f"{options['scheme']}://{user}{options['host']}:{options['port']}"


@lru_cache(maxsize=16)
def _client(region: str, proxy: str, endpoint, scheme, key, secret, token, is_virtual, authorities):
    """Return a client with the filesystem's settings. Creating one takes 0.1 s; all threads may share it."""
    import boto3
    from botocore.config import Config

    if endpoint and "://" not in endpoint:
        endpoint = f"{scheme or 'https'}://{endpoint}"
    config = Config(
        retries={"mode": "standard", "max_attempts": 5},
        max_pool_connections=AT_ONCE * 2,
        request_checksum_calculation="when_required",  # S3Object passes those that an object has
        proxies={"http": proxy, "https": proxy} if proxy else None,
        s3={"addressing_style": "virtual" if is_virtual or not endpoint else "path"},
    )
    return boto3.session.Session().client(
        "s3",
        region_name=region or None,
        endpoint_url=endpoint,
        aws_access_key_id=key,
        aws_secret_access_key=secret,
        aws_session_token=token,
        verify=authorities,
        config=config,
    )


def commit_copied(source: RemoteSource, goal: S3Object, edit: TailEdit) -> int:
    """Replace the object that was read; return the number of bytes sent.

    The upload is completed only if the object has not changed, so of two writers one fails, and no object is lost.

    Raises
    ------
    Conflict
        If the object was removed or replaced. Nothing was changed.
    """
    tag = source.version.identity[0]
    try:
        found, attributes, checksum = goal.look()
        _check(goal, found, tag)
        if edit.keep < LEAST_PART or not edit.tail:
            _commit_whole(source, goal, edit, tag, attributes, checksum)
            return edit.size
        try:
            _commit_parts(goal, edit, tag, attributes, checksum)
        except NotOfThePart:  # without a checksum, the store computes the new object's, or leaves it out
            _commit_parts(goal, edit, tag, attributes, NO_CHECKSUM)
        return len(edit.tail)
    except FileNotFoundError:
        raise Conflict("it was removed in the meantime", file=source.name) from None


def _commit_whole(
    source: RemoteSource, goal: S3Object, edit: TailEdit, tag: str, attributes: dict, checksum: ObjectChecksum
) -> None:
    data = source.read(0, edit.keep) + edit.tail
    if not checksum.is_of_parts:
        with goal.settled(edit.keep, edit.tail):
            goal.put(data, checksum, IfMatch=tag, **attributes)
        return
    with _uploading(goal, edit, tag, attributes, checksum) as upload:  # only objects of parts have such a checksum
        upload.send(1, data)


def _commit_parts(goal: S3Object, edit: TailEdit, tag: str, attributes: dict, checksum: ObjectChecksum) -> None:
    with _uploading(goal, edit, tag, attributes, checksum) as upload:
        ranges = list(_parts(edit.keep))
        with Pool(min(len(ranges), AT_ONCE)) as pool:
            for copied in [
                pool.submit(upload.copy, number, begin, end, tag) for number, (begin, end) in enumerate(ranges, 1)
            ]:
                copied.result()
        upload.send(len(ranges) + 1, edit.tail)


@contextlib.contextmanager
def _uploading(
    goal: S3Object, edit: TailEdit, tag: str, attributes: dict, checksum: ObjectChecksum
) -> Iterator[S3Upload]:
    """Begin an upload, and complete it at the end of the block."""
    upload = goal.upload(checksum, **attributes)
    try:
        yield upload
        _check(goal, goal.tag(), tag)  # for stores that ignore conditions
        with goal.settled(edit.keep, edit.tail):
            upload.finish(IfMatch=tag)
    except BaseException:
        upload.abort()
        raise


def _check(goal: S3Object, found: str, expected: str) -> None:
    if found.strip('"') != expected.strip('"'):
        raise Conflict("it was changed by another process in the meantime", file=goal.name)


def _parts(size: int) -> Iterator[tuple[int, int]]:
    """Return the ranges [begin, end) of parts of equal size, at most 1 GiB each, so that none is too small."""
    count = -(-size // _COPIED_PART)
    return ((size * part // count, size * (part + 1) // count) for part in range(count))


class NewS3Object(EndHeld):
    """A new object under its final name.

    Parameters
    ----------
    goal : S3Object
    replaced : str, optional
        The ETag of the object to replace. The new object takes over its headers, metadata, tags and kind of checksum;
        `commit` raises Conflict if the object has changed.
    """

    def __init__(self, goal: S3Object, replaced: str | None = None):
        super().__init__(self, goal.name)
        self._goal = goal
        self._given: dict = {}  # attributes of the new object
        self._condition: dict[str, str] = {}
        self._checksum: ObjectChecksum | None = None
        if replaced is not None:
            found, self._given, self._checksum = goal.look()
            if found.strip('"') != replaced.strip('"'):
                raise Conflict("it was changed by another process in the meantime", file=goal.name)
            self._condition = {"IfMatch": found}
        self._end, self._size = b"", 0  # the last bytes sent, and the size
        self._upload: S3Upload | None = None
        self._pool: Pool | None = None
        self._sent: list[Task] = []
        self._part = bytearray()

    def write(self, data) -> None:
        """Take the next bytes; send complete parts, several at a time."""
        self._part += data
        while len(self._part) >= (size := _SENT_PART << len(self._sent) // _PARTS_OF_A_SIZE):
            self._send(bytes(memoryview(self._part)[:size]))
            del self._part[:size]

    def _send(self, part: bytes) -> S3Upload:
        if self._upload is None or self._pool is None:
            self._upload = self._goal.upload(self._checksum, **self._given)
            self._pool = Pool(_AT_ONCE)
        self._end, self._size = part[-_END:], self._size + len(part)
        if len(self._sent) >= _AT_ONCE:
            self._sent[-_AT_ONCE].result()
        self._sent.append(self._pool.submit(self._upload.send, len(self._sent) + 1, part))
        return self._upload

    def commit(self, edit: TailEdit | None = None, *, check: Callable[[], None] | None = None) -> None:
        """Call `check`, send the bytes held back, with the edit applied, and put the object in place."""
        if check is not None:
            check()
        try:
            self._release(edit)
            by_parts = self._checksum is not None and self._checksum.is_of_parts
            if self._upload is None and not by_parts:
                data = bytes(self._part)
                self._end, self._size = data[-_END:], len(data)
                with self._settled():
                    self._goal.put(data, self._checksum, **self._condition, **self._given)
                return
            upload = self._upload
            if upload is None or self._part:
                upload = self._send(bytes(self._part))
            for sent in self._sent:
                sent.result()
            with self._settled():
                upload.finish(**self._condition)
            self._upload = None
        finally:
            self.abort()

    def _settled(self) -> AbstractContextManager[None]:
        if not self._condition:
            return contextlib.nullcontext()
        return self._goal.settled(self._size - len(self._end), self._end)

    def abort(self) -> None:
        """Abort the upload; do nothing after `commit` or an earlier call."""
        self._drop()
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown()
        upload, self._upload = self._upload, None
        if upload is not None:
            upload.abort()


BACKEND = S3Backend()
