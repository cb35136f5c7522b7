"""Resolve the names of encodings and codecs for copies of columns."""

from __future__ import annotations

from collections.abc import Sequence

from .. import encoding as encodings
from .. import wire
from ..encoding.codecs import WRITTEN
from ..encoding.registry import Encoding
from ..errors import ParquetextError, Unsupported

BEST = "best"
NONE = "none"
CODECS = {
    NONE: wire.CODEC_UNCOMPRESSED,
    "uncompressed": wire.CODEC_UNCOMPRESSED,
    "lz4": wire.CODEC_LZ4_RAW,
    **{name: codec for codec, name in WRITTEN.items()},
}
DICTIONARIES = {wire.ENCODING_PLAIN_DICTIONARY, wire.ENCODING_RLE_DICTIONARY}


def written_encodings() -> list[Encoding]:
    """Return the registered encodings that can be written, except dictionary encodings: copies have no dictionary."""
    return [known for known in encodings.registered() if known.encode is not None and known.id not in DICTIONARIES]


def encoding_of(name: str) -> Encoding:
    """Return the encoding with this name, in any case.

    Raises
    ------
    Unsupported
        If the name is unknown, or if the encoding cannot be written or needs a dictionary.
    """
    writable = written_encodings()
    found = next((known for known in writable if known.name.lower() == str(name).lower()), None)
    if found is None:
        names = ", ".join([*(known.name.lower() for known in writable), BEST])
        raise Unsupported(
            f"encoding {name!r} is unknown or cannot be written: use one of {names}", code=wire.BAD_ARGUMENT
        )
    return found


def codec_of(name: str | None) -> int:
    """Return the number of the codec with this name, in any case; None means no compression.

    Raises
    ------
    ParquetextError
        If the name is unknown.
    """
    found = CODECS.get(str(name or NONE).lower())
    if found is None:
        raise ParquetextError(
            f"codec {name!r} is unknown or cannot be written: use one of {', '.join(CODECS)}", code=wire.BAD_ARGUMENT
        )
    return found


def paired(columns: Sequence[str], names: Sequence[str]) -> dict[str, str] | str:
    """Pair columns with encodings: one for all, or one for each; ``"best"`` alone is for all columns.

    Raises
    ------
    ParquetextError
        If the numbers of columns and encodings do not match.
    """
    if not columns and [*names] == [BEST]:
        return BEST
    if not columns or not names:
        message = "no column with an encoding: give both, or the encoding best alone for all columns"
        raise ParquetextError(message, code=wire.BAD_ARGUMENT)
    names = [*names] * len(columns) if len(names) == 1 else names
    if len(names) != len(columns):
        message = f"{len(columns)} columns and {len(names)} encodings: give one for all, or one for each"
        raise ParquetextError(message, code=wire.BAD_ARGUMENT)
    return dict(zip(columns, names, strict=True))
