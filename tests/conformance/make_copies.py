"""Make the golden files of columns in other encodings:  python tests/conformance/make_copies.py

Only for new cases, or when a layout changes (which takes a new UUID): existing files pin the layouts.
"""

from __future__ import annotations

import datetime
import hashlib
import io
import json
import math
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import parquetext
from parquetext import kernels
from parquetext.encoding.carried import copies_of

FILES = Path(__file__).with_name("copies")
ROWS = 40


def prices() -> pa.Table:
    """Return floats like decimals, and others that are not decimal."""
    odd = [math.nan, math.inf, -0.0, 1e-300, None]
    values = [round(n * 1.37, 2) for n in range(ROWS - len(odd))] + odd
    return pa.table({"double": values, "float": pa.array(values, pa.float32()), "one": [1.5] * ROWS})


def keys() -> pa.Table:
    """Integers near each other, with outliers, of both widths."""
    values = [10**9 + n * 7 % 50 for n in range(ROWS)]
    values[3], values[17] = -(2**31), 2**31 - 1
    return pa.table(
        {
            "long": [None if n % 11 == 5 else value << 20 for n, value in enumerate(values)],
            "int": pa.array(values, "i4"),
        }
    )


def texts() -> pa.Table:
    """Texts, bytes of one length, and empty ones."""
    urls = [f"https://example.org/item/{n % 9}?from=page{n % 4}" for n in range(ROWS)]
    urls[7], urls[8] = "", None
    return pa.table({"url": urls, "hash": pa.array([bytes([n % 5, 1, 2, 3]) for n in range(ROWS)], pa.binary(4))})


def nested() -> pa.Table:
    """Lists, structs, and nulls at every level."""
    rows = [None if n % 9 == 0 else [None if n % 5 == 0 else n / 4] * (n % 4) for n in range(ROWS)]
    positions = [
        None if n % 7 == 0 else {"x": n, "name": None if n % 3 == 0 else f"place {n % 6}"} for n in range(ROWS)
    ]
    days = [datetime.date(2026, 1, 1 + n % 28) for n in range(ROWS)]
    return pa.table({"list": rows, "place": positions, "day": days})


CASES: dict[str, tuple[Callable[[], pa.Table], list[tuple[dict, str]], str]] = {
    "alp": (prices, [({"double": "alp", "float": "alp", "one": "alp"}, "none")], "thrift"),
    "pfor": (keys, [({"long": "pfor", "int": "pfor"}, "none")], "thrift"),
    "fsst": (texts, [({"url": "fsst", "hash": "fsst"}, "none")], "thrift"),
    "split-snappy": (prices, [({"double": "byte_stream_split", "float": "byte_stream_split"}, "snappy")], "thrift"),
    "nested": (nested, [({"list": "alp", "place": "plain", "day": "delta_binary_packed"}, "none")], "thrift"),
    "strings": (texts, [({"url": "delta_byte_array", "hash": "delta_byte_array"}, "none")], "thrift"),
    "twice": (prices, [({"double": "byte_stream_split"}, "none"), ({"double": "alp"}, "none")], "thrift"),
    "flat": (keys, [({"long": "pfor"}, "none")], "flat"),
    "index": (keys, [({"long": "pfor"}, "none")], "index"),
    "par3": (keys, [({"long": "pfor"}, "none")], "par3"),
}


def source_of(name: str) -> bytes:
    """The file before it was encoded."""
    sink = io.BytesIO()
    options = {"row_group_size": 25, "compression": "snappy", "write_page_index": True}
    pq.write_table(CASES[name][0](), sink, **options)
    return sink.getvalue()


def encode(name: str, path: Path) -> None:
    _, steps, form = CASES[name]
    if form != "thrift":
        parquetext.upgrade(path, form="index" if form == "index" else "flat")
    for columns, codec in steps:
        parquetext.encode(path, columns, codec=codec)
    if form == "par3":
        parquetext.finalize(path, confirm=True)


def expected_of(path: Path) -> dict:
    """Return the result that a reader must reach: positions and encodings of each chunk's copies, and their values.

    `copies` is null of a file without a Thrift footer.
    """
    with parquetext.open(path) as file:
        table = file.read(engine="parquetext")
        return {
            "form": file.form,
            "findings": sorted(finding.kind for finding in file.findings),
            "values": hashlib.sha256(repr(table.to_pylist()).encode()).hexdigest(),
            "copies": None if file.form == "par3" else list(_copies(path)),
        }


def _copies(path: Path) -> Iterator[dict]:
    data = path.read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    footer = data[-8 - length : -8]
    scan = kernels.scan.scan(footer)
    for leaf in range(scan.leaf_count):
        chunks = scan.column(leaf)
        for row_group in range(scan.row_group_count):
            start, size = (chunks.array(f"metadata_{part}")[row_group] for part in ("offset", "length"))
            for copy in copies_of(footer[start : start + size]):
                fields = {name: getattr(copy, name) for name in copy.__slots__}
                fields = {name: list(fact) if isinstance(fact, tuple) else fact for name, fact in fields.items()}
                fields["uuid"] = str(copy.uuid) if copy.uuid else None
                yield {"leaf": leaf, "row_group": row_group, **fields}


def main() -> None:
    FILES.mkdir(exist_ok=True)
    for name in CASES:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.parquet"
            path.write_bytes(source_of(name))
            encode(name, path)
            golden = FILES / f"{name}.parquet"
            golden.write_bytes(path.read_bytes())
        found = {"original": hashlib.sha256(source_of(name)).hexdigest(), **expected_of(golden)}
        golden.with_suffix(".json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
