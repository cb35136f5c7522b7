"""Remove credentials from URLs in messages and names by the structure of a URL, not by the names of secrets."""

from __future__ import annotations

import re

MASK = "…"
_URL = re.compile(
    r"([A-Za-z][A-Za-z0-9+.-]{0,30}):(//?)"
    r"((?:[^\s/?#@:]*:(?!\d{1,5}\b)(?=\S)(?:(?!://)[^\n@])*@)?"  # a password may contain spaces
    r"\S+)"
)
_AFTER_URL = "\"'),:;>]}"  # punctuation of the text around a URL
MOST_AFTER_URL = 3
_HTTP = ("http", "https")
_CONTAINER_IN_FRONT = ("abfs", "abfss", "wasb", "wasbs")  # abfss://CONTAINER@ACCOUNT
_IPV6 = re.compile(r"\[[0-9A-Fa-f:.]+\]")
_PORT = re.compile(r"\d{1,5}")
_QUERY_KEY = re.compile(r"([?&#])[\w.%\[\]$-]+=")
_MASKED = re.compile(rf":/{{1,2}}{MASK}|[?&#][^/]*{MASK}")
_PLAIN = re.compile(r"(?!.*%40)[\w.,:%+-]*")
# Keys of queries whose values are shown, in lower case. Every other value is masked.
HARMLESS = frozenset(
    {
        *("region", "scheme", "version", "versionid", "generation", "format", "download", "raw", "page", "limit"),
        *("offset", "partnumber", "api-version", "comp", "restype", "anonymous", "endpoint_override"),
        *("x-amz-algorithm", "x-amz-date", "x-amz-expires", "x-amz-signedheaders"),
        *("x-goog-algorithm", "x-goog-date", "x-goog-expires", "x-goog-signedheaders"),
        *("se", "st", "sp", "sv", "sr", "spr", "sip"),  # of Azure's signatures
    }
)
# Parts of URLs that libraries' messages contain without the URL's beginning.
_NAMED = re.compile(
    r"([?&#][\w.%-]*(?:sig|signature|token|secret|password|passwd|pwd|auth|jwt|key|credential)[\w.%-]*=)[^&#\s'\"]+",
    re.IGNORECASE,
)


def without_secrets(text: str) -> str:
    """Return a text with an ellipsis for each part of its URLs that may be a secret.

    These are the user information, each value of the query but those of a few known keys, and the fragment. A URL ends
    at white space, but a password without ``@`` may contain spaces. A password with ``/``, ``?`` or ``#``, which a URL
    should have percent-encoded, is recognized by the ``@`` after it, unless it begins as a port does:
    ``host:8020/user@x`` has none. ``https:/``, which `pathlib` makes of ``https://``, begins a URL, too; other schemes
    with one slash have user information only if there is a password.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> from parquetext.masking import without_secrets
    >>> without_secrets("cannot read https://me:pass@host/x.parquet?sig=abc&version=3#part")
    'cannot read https://…@host/x.parquet?sig=…&version=3#…'
    """
    if ":/" in text:
        text = _URL.sub(_masked, text)
    return _NAMED.sub(rf"\1{MASK}", text) if "=" in text else text


def is_masked(name: str) -> bool:
    """Return True if a name is a URL from which `without_secrets` has removed secrets: it cannot be opened.

    Parameters
    ----------
    name : str

    Returns
    -------
    bool

    Examples
    --------
    >>> from parquetext.masking import is_masked
    >>> is_masked("https://…@host/x.parquet"), is_masked("https://host/x.parquet")
    (True, False)
    """
    return MASK in name and _MASKED.search(name) is not None


class Names:
    """Names of files without secrets; files that differ by their secrets alone get numbers in their order.

    Examples
    --------
    >>> from parquetext.masking import Names
    >>> names = Names()
    >>> [names.add(f"https://host/x.parquet?sig={sig}") for sig in ("a", "b", "a")]
    ['https://host/x.parquet?sig=…', 'https://host/x.parquet?sig=…#2', 'https://host/x.parquet?sig=…']
    """

    def __init__(self) -> None:
        self._masked: dict[str, dict[str, int]] = {}

    def add(self, file: str) -> str:
        """Return the name of a path or URL."""
        name = without_secrets(file)
        if name == file:
            return file
        numbers = self._masked.setdefault(name, {})
        number = numbers.setdefault(file, len(numbers) + 1)
        return name if number == 1 else f"{name}#{number}"


def _masked(url: re.Match) -> str:
    scheme, slashes, rest = url[1].lower(), url[2], url[3]
    if _is_path(scheme, slashes, rest):
        return url[0]
    end = max(len(rest.rstrip(_AFTER_URL)), len(rest) - MOST_AFTER_URL)
    rest, after = rest[:end], rest[end:]
    if _has_user(scheme, rest):
        begin = _query_begin(rest)
        at = rest.rfind("@", 0, begin)
        if at < 0 or "@" in rest[begin:]:  # the end of the secret is ambiguous
            return f"{url[1]}:{slashes}{MASK}{after}"
        rest = MASK + rest[at:]
    begin = _query_begin(rest)
    return f"{url[1]}:{slashes}{rest[:begin]}{_masked_query(rest[begin:], is_http=scheme in _HTTP)}{after}"


def _is_path(scheme: str, slashes: str, rest: str) -> bool:
    """Return True if a URL contains no secret because it is the path of a file: ``file:///x@y``, ``hdfs:/x@y``."""
    if scheme == "file":
        return slashes == "/" or not _has_user(scheme, rest)
    if slashes == "//" or scheme in _HTTP:
        return False
    user, at, _ = re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")
    return not at or ":" not in user or len(scheme) == 1  # one letter: a drive


def _query_begin(rest: str) -> int:
    found = re.search(r"[?#]", rest)
    return len(rest) if found is None else found.start()


def _has_user(scheme: str, rest: str) -> bool:
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    user, at, _ = authority.rpartition("@")
    if at:
        return scheme not in _CONTAINER_IN_FRONT or ":" in user
    host, colon, port = authority.rpartition(":")
    is_name = ":" not in host or _IPV6.fullmatch(host)  # "user:a0:0/@host": a host has no colon in front of its port
    is_host = not colon or _IPV6.fullmatch(authority) or (is_name and _PORT.fullmatch(port))
    return not is_host and "@" in rest


def _masked_query(text: str, *, is_http: bool) -> str:
    """Mask a query and a fragment, with the question mark or the hash in front of them.

    Elsewhere than in HTTP both may be parts of a name, and only ``key=value`` begins a query.
    """
    if is_http:
        query, hash_mark, fragment = text.partition("#")
        shown = query[:1] + "&".join(map(_masked_part, query[1:].split("&"))) if query else ""
        return shown + (hash_mark and f"#{MASK if fragment else ''}")
    begin = _QUERY_KEY.search(text)
    if begin is None:
        return text
    return text[: begin.end(1)] + "&".join(map(_masked_part, text[begin.end(1) :].split("&")))


def _masked_part(part: str) -> str:
    key, equals, value = part.partition("=")
    if not part or (key.lower() in HARMLESS and _PLAIN.fullmatch(value)):
        return part
    return f"{key}={MASK}" if equals else MASK
