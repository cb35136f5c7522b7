"""Measure PFOR and FSST, page by page: their sizes, and the speed of decoding."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator
from itertools import accumulate

from parquetext import kernels, wire
from parquetext.encoding.experimental import FSST, PFOR
from parquetext.encoding.registry import find

from .cases import Row, rows_of
from .timing import Contender, compare

__all__ = ["measure"]

DECODE, SIZE = "decode a page", "size of a page"
KEYS, TEXTS = 1 << 17, 1 << 14  # of a page: about 1 MiB
OUTLIERS = 0.01
PFOR_SPEED, PFOR_SIZE = 0.9, 1.25  # times the speed of deltas, and their bytes over PFOR's
FSST_SIZE = 1.67  # PLAIN's bytes over FSST's
BYTES_PER_SECOND = 1e9
SEED = 17
WORDS = (
    "home",
    "search",
    "product",
    "item",
    "cart",
    "news",
    "video",
    "static",
    "api",
    "users",
    "help",
    "blog",
    "archive",
)
HOSTS = "www.example.com", "shop.example.org", "cdn.static-files.net", "news.site.co.uk", "en.wikipedia.org"
AGENTS = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15",
    "curl/8.4.0",
)


def measure(rounds: int = 7) -> Iterator[list[Row]]:
    """Measure keys with outliers against deltas; URLs and log lines against PLAIN, and 1 GB of text a second."""
    for type, code in ((wire.PHYSICAL_INT32, "i"), (wire.PHYSICAL_INT64, "q")):
        yield _keys(type, code, rounds)
    for name, make in (("URLs", _url), ("log lines", _log_line)):
        yield _texts(name, make, rounds)


def _keys(type: int, code: str, rounds: int) -> list[Row]:
    chance, highest = random.Random(SEED), 1 << (8 * wire.WIDTH_IN_PAGES[type] - 1)
    keys = [chance.randrange(highest if chance.random() < OUTLIERS else 1_000_000) for _ in range(KEYS)]
    values, deltas = struct.pack(f"<{KEYS}{code}", *keys), find(wire.ENCODING_DELTA_BINARY_PACKED)
    pages = {encoding: encoding.encode(values, KEYS, type, 0) for encoding in (PFOR, deltas)}
    contenders = [
        Contender(encoding.name, lambda _, encoding=encoding, page=page: encoding.decode(page, KEYS, type, 0), calls=20)
        for encoding, page in pages.items()
    ]
    subject = f"{wire.NAMES_OF_TYPE[type]} keys with outliers"
    rows = list(rows_of(DECODE, subject, compare(contenders, rounds), {deltas.name: PFOR_SPEED}, PFOR.name))
    return rows + _sizes(subject, PFOR.name, len(pages[PFOR]), deltas.name, len(pages[deltas]), PFOR_SIZE)


def _texts(name: str, make: Callable[[random.Random], str], rounds: int) -> list[Row]:
    chance, type = random.Random(SEED), wire.PHYSICAL_BYTE_ARRAY
    texts = [make(chance).encode() for _ in range(TEXTS)]
    offsets = struct.pack(f"<{TEXTS + 1}i", *accumulate(map(len, texts), initial=0))
    values, size = (offsets, b"".join(texts)), sum(map(len, texts))
    page = FSST.encode(values, TEXTS, type, 0)
    plain = kernels.encode.encode(wire.ENCODING_PLAIN, type, 0, values, TEXTS)
    contenders = [
        Contender(FSST.name, lambda _: FSST.decode(page, TEXTS, type, 0), calls=20),
        Contender("one value", lambda turn: kernels.fsst.value(page, turn * 7919 % TEXTS), calls=20),
    ]
    timings = compare(contenders, rounds)
    ours, least = timings[FSST.name], size / BYTES_PER_SECOND
    ratios = least / ours.median, least / ours.minimum
    return [
        *rows_of(DECODE, name, timings, {}, FSST.name),
        Row(DECODE, name, "1 GB of text per second", least, "s", ratios[0], 1.0, minimum_ratio=ratios[1]),
        *_sizes(name, FSST.name, len(page), "PLAIN", len(plain), FSST_SIZE),
    ]


def _sizes(subject: str, name: str, size: int, other: str, other_size: int, target: float) -> list[Row]:
    ratio = other_size / size
    return [Row(SIZE, subject, name, size, "B"), Row(SIZE, subject, other, other_size, "B", ratio, target)]


def _path(chance: random.Random) -> str:
    path = "/".join(chance.choice(WORDS) for _ in range(chance.randint(1, 4)))
    if chance.random() < 0.6:
        path += f"/{chance.randrange(10**7)}"
    if chance.random() < 0.5:
        path += "?" + "&".join(f"{chance.choice(WORDS)}={chance.randrange(10**6)}" for _ in range(chance.randint(1, 3)))
    return path


def _url(chance: random.Random) -> str:
    return f"https://{chance.choice(HOSTS)}/{_path(chance)}"


def _log_line(chance: random.Random) -> str:
    """Return a line as web servers write it."""
    address = ".".join(str(chance.randrange(256)) for _ in range(4))
    time = f"{chance.randrange(24):02}:{chance.randrange(60):02}:{chance.randrange(60):02}"
    request = f'"{chance.choice(("GET", "GET", "POST"))} /{_path(chance)} HTTP/1.1"'
    status, size = chance.choice((200, 200, 200, 304, 404, 500)), chance.randrange(100, 100_000)
    return f'{address} - - [01/Nov/2026:{time} +0000] {request} {status} {size} "{chance.choice(AGENTS)}"'
