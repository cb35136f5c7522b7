"""Amazon S3 through boto3: conditional writes, and parts that the store copies.

(Amazon S3 API reference: PutObject, CreateMultipartUpload, UploadPart, UploadPartCopy, CompleteMultipartUpload.)"""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from urllib.parse import quote, urlencode

from ...errors import Conflict, ParquetextError
from ...threads import Pool, Task
from ..backend import Capability
from ..commit import Change
from ..objects import EndHeld
from ..paths import Target
from ..source import RemoteSource, TailEdit
from .arrow import ArrowBackend
from .s3_checksums import NO_CHECKSUM, NotOfThePart, ObjectChecksum

__all__ = ["AT_ONCE", "LEAST_PART", "NewS3Object", "S3Object", "S3Upload", "commit_copied", "s3_object"]

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
_COPIED_PART, _SENT_PART = 1 << 30, 8 << 20
_AT_ONCE = 4
_END = 1 << 16  # bytes that tell one file from another
_PARTS_OF_A_SIZE = 1000  # S3 takes 10,000 parts: they double in size after so many


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

    def _replace(self, source: RemoteSource, edit: TailEdit, forced: frozenset[str]) -> int:
        goal = s3_object(source.target)
        if goal is None or not source.version.identity[0]:
            return super()._replace(source, edit, forced)
        return commit_copied(source, goal, edit)

    def new_file(self, target: Target, *, forced: frozenset[str], owner: int | None = None) -> EndHeld:
        goal = s3_object(target)
        return super().new_file(target, forced=forced) if goal is None else NewS3Object(goal)

    def new_content(self, change: Change) -> EndHeld:
        goal, tag = s3_object(change.source.target), change.source.version.identity[0]
        return super().new_content(change) if goal is None or not tag else NewS3Object(goal, tag)


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


def commit_copied(source: RemoteSource, goal: S3Object, edit: TailEdit) -> int:
    """Put the new object in the place of the one that was read; returns the bytes sent.

    Raises
    ------
    Conflict
        It is not there any more, or another one is: nothing was done.
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
        except NotOfThePart:  # without a checksum of its own the new object has a right one, or none
            _commit_parts(goal, edit, tag, attributes, NO_CHECKSUM)
        return len(edit.tail)
    except FileNotFoundError:
        raise Conflict("it was removed meanwhile", file=source.name) from None


def _commit_whole(
    source: RemoteSource, goal: S3Object, edit: TailEdit, tag: str, attributes: dict, checksum: ObjectChecksum
) -> None:
    data = source.read(0, edit.keep) + edit.tail
    if not checksum.is_of_parts:
        with _settled(goal, edit):
            goal.put(data, checksum, IfMatch=tag, **attributes)
        return
    with _uploading(goal, edit, tag, attributes, checksum) as upload:  # such a checksum only an object of parts has
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
    """An upload that is put in the object's place at the end of the block."""
    upload = goal.upload(checksum, **attributes)
    try:
        yield upload
        _check(goal, goal.tag(), tag)  # for stores that know no conditions
        with _settled(goal, edit):
            upload.finish(IfMatch=tag)
    except BaseException:
        upload.abort()
        raise


@contextlib.contextmanager
def _settled(goal: S3Object, edit: TailEdit) -> Iterator[None]:
    """If a response was lost, the retry fails although the first request succeeded: look at the object first."""
    try:
        yield
    except (OSError, ParquetextError):
        if not goal.ends_with(edit.keep, edit.tail):
            raise


def _check(goal: S3Object, found: str, expected: str) -> None:
    if found.strip('"') != expected.strip('"'):
        raise Conflict("it was changed by somebody else meanwhile", file=goal.name)


def _parts(size: int) -> Iterator[tuple[int, int]]:
    """[begin, end) of parts of at most 1 GiB, alike in size and so never too small."""
    count = -(-size // _COPIED_PART)
    return ((size * part // count, size * (part + 1) // count) for part in range(count))


class NewS3Object(EndHeld):
    """A new object under its own name.

    Parameters
    ----------
    goal : S3Object
    replaced : str, optional
        The ETag of the object that has the name, and that this one is to replace: it passes its headers, metadata,
        tags and kind of checksum on, and `commit` raises Conflict where another one is there by then.
    """

    def __init__(self, goal: S3Object, replaced: str | None = None):
        super().__init__(self, goal.name)
        self._goal = goal
        self._given: dict = {}  # to the new object
        self._condition: dict[str, str] = {}
        self._checksum: ObjectChecksum | None = None
        if replaced is not None:
            found, self._given, self._checksum = goal.look()
            if found.strip('"') != replaced.strip('"'):
                raise Conflict("it was changed by somebody else meanwhile", file=goal.name)
            self._condition = {"IfMatch": found}
        self._end, self._size = b"", 0  # of what was sent last
        self._upload: S3Upload | None = None
        self._pool: Pool | None = None
        self._sent: list[Task] = []
        self._part = bytearray()

    def write(self, data) -> None:
        """Take the next bytes; whole parts are sent, a few at a time."""
        self._part += data
        while len(self._part) >= (size := _SENT_PART << len(self._sent) // _PARTS_OF_A_SIZE):
            self._send(bytes(memoryview(self._part)[:size]))
            del self._part[:size]

    def _send(self, part: bytes) -> None:
        if self._upload is None:
            self._upload = self._goal.upload(self._checksum, **self._given)
            self._pool = Pool(_AT_ONCE)
        self._end, self._size = part[-_END:], self._size + len(part)
        if len(self._sent) >= _AT_ONCE:
            self._sent[-_AT_ONCE].result()
        self._sent.append(self._pool.submit(self._upload.send, len(self._sent) + 1, part))

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
            if self._part:
                self._send(bytes(self._part))
            for sent in self._sent:
                sent.result()
            with self._settled():
                self._upload.finish(**self._condition)
            self._upload = None
        finally:
            self.abort()

    @contextlib.contextmanager
    def _settled(self) -> Iterator[None]:
        """If a response was lost, the retry fails although the first request succeeded: look at the object first."""
        try:
            yield
        except (OSError, ParquetextError):
            if not self._condition or not self._goal.ends_with(self._size - len(self._end), self._end):
                raise

    def abort(self) -> None:
        """Call the upload off; after `commit` or another call it does nothing."""
        self._drop()
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown()
        upload, self._upload = self._upload, None
        if upload is not None:
            upload.abort()


BACKEND = S3Backend()
