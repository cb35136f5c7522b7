"""HTTP and HTTPS: files are read by their URLs, and not listed or written."""

from __future__ import annotations

import base64
import errno
import http.client
import os
import re
import ssl
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import lru_cache
from threading import Lock
from typing import NamedTuple, NoReturn

from ...errors import ParquetextError, Unsupported, name_file, retold
from ...masking import without_secrets
from ..backend import Capability, Entry
from ..objects import Store
from ..paths import ChangedFile, SchemeError, Target
from ..ranged_file import RangedFile

SECONDS = 60  # to wait for a response
TAIL = 16 << 10  # bytes of the first request; the footer's end is in them
MOST_REDIRECTS = 5
REDIRECTS = frozenset({301, 302, 303, 307, 308})
OK, PARTIAL, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, GONE, UNSATISFIABLE = 200, 206, 401, 403, 404, 410, 416
SYSTEM_ERRORS = {
    UNAUTHORIZED: errno.EACCES,
    FORBIDDEN: errno.EACCES,
    NOT_FOUND: errno.ENOENT,
    GONE: errno.ENOENT,
}
STALE = (http.client.RemoteDisconnected, ConnectionError)  # errors of a connection that the server has closed
RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")
EMPTY = re.compile(r"bytes \*/0")


class Answer(NamedTuple):
    """The response of a server; `data` is read only if it is a range."""

    status: int
    reason: str
    headers: http.client.HTTPMessage
    data: bytes


class HttpFile(RangedFile):
    """A file at a URL. The first request returns its size and its last bytes.

    Parameters
    ----------
    url : str
        http or https; a user name and password in it are sent as basic authorization.

    Raises
    ------
    Unsupported
        If the server does not support ranges.
    FileNotFoundError, PermissionError, OSError
        If the server reports it, or does not respond.
    """

    def __init__(self, url: str):
        self._name = without_secrets(url)
        self._origin = self._location = url
        self._idle: list[tuple[str, http.client.HTTPConnection]] = []  # (server, connection)
        self._lock, self._process = Lock(), os.getpid()
        answer = self._first()
        found = RANGE.fullmatch(answer.headers.get("Content-Range", ""))
        super().__init__(int(found[3]) if found else 0)
        self._tail = answer.data if found and int(found[2]) + 1 == int(found[3]) else b""
        self.attributes = tuple(answer.headers.get(name) for name in ("ETag", "Last-Modified"))
        self.modified = _nanoseconds(answer.headers.get("Last-Modified"))

    def read_at(self, length: int, offset: int) -> bytes:
        """Return the bytes [offset, offset + length).

        Raises
        ------
        ChangedFile
            If the file has changed since it was opened.
        """
        tail = self._size - len(self._tail)
        if offset >= tail:
            return self._tail[offset - tail : offset - tail + length]
        if not length:
            return b""
        answer = self._ranged(f"{offset}-{min(offset + length, self._size) - 1}", length)
        if tuple(answer.headers.get(name) for name in ("ETag", "Last-Modified")) != self.attributes:
            raise ChangedFile("the file has changed since it was opened", file=self._name)
        return answer.data

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()
        super().close()

    def _first(self) -> Answer:
        """Request the end of the file, or its first byte if the server rejects ranges relative to the end."""
        for range in (f"-{TAIL}", "0-0"):
            answer = self._ask(range, TAIL)
            if answer.status == PARTIAL or answer.status in SYSTEM_ERRORS or _is_empty(answer):
                break
        return answer if _is_empty(answer) else self._checked(answer, range, TAIL)

    def _ranged(self, range: str, most: int) -> Answer:
        """Request a range. If the redirected URL has expired, as signed ones do, start again from the original URL."""
        answer = self._ask(range, most)
        if answer.status in SYSTEM_ERRORS and self._location != self._origin:
            self._location = self._origin
            answer = self._ask(range, most)
        return self._checked(answer, range, most)

    def _checked(self, answer: Answer, range: str, most: int) -> Answer:
        """Return the response if it contains the requested range."""
        if answer.status == OK:
            raise Unsupported(
                f"the server does not serve ranges: it answers a request for bytes {range} with the whole file; "
                "download the file, or give its bytes",
                file=self._name,
            )
        if answer.status != PARTIAL:
            number = SYSTEM_ERRORS.get(answer.status, errno.EIO)
            what = os.strerror(number) if answer.status in SYSTEM_ERRORS else answer.reason
            raise OSError(number, f"{what} (HTTP {answer.status})", self._name)
        found = RANGE.fullmatch(answer.headers.get("Content-Range", ""))
        begin, _, end = range.partition("-")
        if not found or (begin and (found[1], found[2]) != (begin, end)):
            message = answer.headers.get("Content-Range")
            raise Unsupported(f"asked for bytes {range}, the server answers with {message!r}", file=self._name)
        size = int(found[2]) + 1 - int(found[1])
        if len(answer.data) != size or size > most:
            raise OSError(
                errno.EIO, f"asked for bytes {range}, the server has sent {len(answer.data)} bytes", self._name
            )
        return answer

    def _ask(self, range: str, most: int) -> Answer:
        for _ in [None] * (MOST_REDIRECTS + 1):
            answer = self._get(self._location, range, most)
            if answer.status not in REDIRECTS or "Location" not in answer.headers:
                return answer
            self._location = urllib.parse.urljoin(self._location, answer.headers["Location"])
            if urllib.parse.urlsplit(self._location).scheme not in ("http", "https"):
                raise ParquetextError(f"leads to {without_secrets(self._location)}", file=self._name)
        raise OSError(errno.ELOOP, f"more than {MOST_REDIRECTS} redirects", self._name)

    def _get(self, url: str, range: str, most: int) -> Answer:
        parts = urllib.parse.urlsplit(url)
        headers = {"Range": f"bytes={range}", "Accept-Encoding": "identity", "User-Agent": "parquetext"}
        if parts.username is not None:
            headers["Authorization"] = _login(parts)
        target = urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, ""))
        proxy = _proxy_of(parts)
        if proxy is not None and parts.scheme == "http":
            target = urllib.parse.urlunsplit(("http", _host(parts), parts.path or "/", parts.query, ""))
            if proxy.username is not None:
                headers["Proxy-Authorization"] = _login(proxy)
        with self._connection(parts, proxy) as connection:
            try:
                return _answered(connection, target, headers, most)
            except STALE:
                connection.close()  # the next request reconnects
                return _answered(connection, target, headers, most)

    @contextmanager
    def _connection(self, parts: urllib.parse.SplitResult, proxy) -> Iterator[http.client.HTTPConnection]:
        """Lend an idle connection to that server, or a new one; keep it unless an error occurs."""
        server = f"{parts.scheme}://{_host(parts)}"
        if self._process != os.getpid():  # after a fork the connections belong to the parent
            self._idle, self._lock, self._process = [], Lock(), os.getpid()
        with self._lock:
            fitting = next((number for number, (other, _) in enumerate(self._idle) if other == server), None)
            connection = _connected(parts, proxy) if fitting is None else self._idle.pop(fitting)[1]
        try:
            yield connection
        except ssl.SSLError as error:  # its str() shows only strerror
            connection.close()
            raise type(error)(error.errno, f"{self._name}: {error.strerror}") from None
        except OSError as error:
            connection.close()
            if error.errno is None:  # a timeout, or a refusal by a proxy
                raise retold(error, f"{self._name}: {error}") from None
            name_file(error, self._name)
            raise
        except http.client.HTTPException as error:
            connection.close()
            raise OSError(errno.EIO, f"no valid HTTP: {error!r}", self._name) from error
        except BaseException:
            connection.close()
            raise
        with self._lock:
            self._idle.append((server, connection))


def _answered(connection: http.client.HTTPConnection, target: str, headers: dict[str, str], most: int) -> Answer:
    connection.request("GET", target, headers=headers)
    response = connection.getresponse()
    if response.status != PARTIAL:  # do not read a body that may be large
        connection.close()
        return Answer(response.status, response.reason, response.headers, b"")
    data = response.read(most + 1)
    if not response.isclosed():
        connection.close()
    return Answer(response.status, response.reason, response.headers, data)


def _connected(parts: urllib.parse.SplitResult, proxy) -> http.client.HTTPConnection:
    peer = parts if proxy is None else proxy
    if parts.scheme != "https":
        return http.client.HTTPConnection(_name(peer), peer.port, timeout=SECONDS)
    connection = http.client.HTTPSConnection(_name(peer), peer.port, timeout=SECONDS, context=_context())
    if proxy is not None:
        headers = {} if proxy.username is None else {"Proxy-Authorization": _login(proxy)}
        connection.set_tunnel(_name(parts), parts.port, headers)
    return connection


def _proxy_of(parts: urllib.parse.SplitResult) -> urllib.parse.SplitResult | None:
    """Return the proxy for a server from the environment, or None."""
    url = urllib.request.getproxies().get(parts.scheme)
    if not url or urllib.request.proxy_bypass(_host(parts)):
        return None
    return urllib.parse.urlsplit(url if "://" in url else f"http://{url}")


def _login(parts: urllib.parse.SplitResult) -> str:
    """Return the user name and password of a URL as basic authorization."""
    login = f"{urllib.parse.unquote(parts.username or '')}:{urllib.parse.unquote(parts.password or '')}"
    return f"Basic {base64.b64encode(login.encode()).decode()}"


def _name(parts: urllib.parse.SplitResult) -> str:
    """Return the server's name without its port; SchemeError if the URL has none."""
    if parts.hostname is None:
        raise SchemeError(f"{without_secrets(parts.geturl())}: no host")
    return parts.hostname


def _host(parts: urllib.parse.SplitResult) -> str:
    """Return the server's name and port, without user name and password."""
    return parts.netloc.rpartition("@")[2]


@lru_cache(maxsize=1)
def _context() -> ssl.SSLContext:
    return ssl.create_default_context()


def _is_empty(answer: Answer) -> bool:
    return answer.status == UNSATISFIABLE and bool(EMPTY.fullmatch(answer.headers.get("Content-Range", "")))


def _nanoseconds(dated: str | None) -> int | None:
    try:
        time = parsedate_to_datetime(dated or "")
    except ValueError:
        return None
    return int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()) * 10**9


class HttpBackend(Store):
    """Reads files by their URLs. The paths of its targets are URLs."""

    schemes, type_names = ("http", "https"), ("py::http",)
    capabilities = Capability.VERSION_TAGS
    no_replace = "files are read over HTTP, and not changed"
    paths_are_urls = True

    def resolve(self, url: str) -> Target:
        return Target(url, self.filesystem)

    def open(self, target: Target) -> HttpFile:
        return HttpFile(target.path)

    def info(self, target: Target) -> Entry | None:
        if not urllib.parse.urlsplit(target.path).hostname:  # the last of the folders above a file
            return None
        try:
            with HttpFile(target.path) as file:
                return Entry(target.path, False, file.size(), file.modified)
        except FileNotFoundError:
            return None

    def list(self, target: Target, *, recursive: bool = False) -> NoReturn:
        raise NotImplementedError(f"{target}: HTTP lists no directories; give the files' URLs")

    def _refuse(self, target: Target, what: str) -> NoReturn:
        raise NotImplementedError("files are read over HTTP, and not written")


BACKEND = HttpBackend()
