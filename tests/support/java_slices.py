"""Requests to the footer reader in Java, and its answers: see `jvm/test/dev/parquetext/footer/SliceMain.java`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

GAP = 1 << 20  # as for an object store


class Request(NamedTuple):
    """A request for a slice."""

    path: str | Path
    names: list[bytes]
    what: str = "as-c"  # or "slice" or "schema"
    case_sensitive: bool = True
    most_share: float = 1.0
    gap: int = GAP
    filtered: Sequence[bytes] = ()  # columns by whose page indexes pages may be skipped

    def line(self) -> str:
        names, filtered = (
            ",".join(name.hex() for name in part) if part else "." for part in (self.names, self.filtered)
        )
        fields = (self.path, self.what, self.case_sensitive, self.most_share, self.gap, names, filtered)
        return "\t".join(map(str, fields))


class Answer(NamedTuple):
    """The slice that came, or why there is none."""

    footer: bytes | None
    form: str = ""
    reads: int = 0
    rounds: int = 0
    bytes_read: int = 0
    reason: str = ""
    message: str = ""


def parsed(line: str) -> Answer:
    kind, *fields = line.split("\t")
    if kind == "slice":
        form, reads, rounds, count, footer = fields
        return Answer(bytes.fromhex(footer), form, int(reads), int(rounds), int(count))
    assert kind == "not", line
    return Answer(None, reason=fields[0], message=fields[1])


def sliced_file(path: Path, answer: Answer, folder: Path) -> Path:
    """A file as its readers see it: its bytes, and the slice for a footer."""
    file = folder / f"{path.stem}-sliced.parquet"
    file.write_bytes(path.read_bytes() + answer.footer + len(answer.footer).to_bytes(4, "little") + b"PAR1")
    return file


def columns_of(answer: Answer) -> list[str]:
    """The top-level columns that a slice has, by pyarrow."""
    assert answer.footer is not None, answer
    whole = b"".join((b"PAR1", answer.footer, len(answer.footer).to_bytes(4, "little"), b"PAR1"))
    return pq.read_metadata(pa.BufferReader(whole)).schema.to_arrow_schema().names
