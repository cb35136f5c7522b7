"""Recommend encodings for columns: estimate sizes and speeds from samples, and choose within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .. import storage, wire
from ..encoding.chunk_reader import chunk_of
from ..errors import ColumnError, OutOfProportion, ParquetextError, names_memory
from ..footer.copied_chunks import copy_in
from ..footer.names import find_group_or_leaf, leaves_below, nearest_columns
from ..footer.thrift_form import ThriftForm, refuse_encrypted
from ..footer.wire_names import name_of_codec, names_of_encodings
from ..masking import without_secrets
from ..records import frozen
from ..rewrite.recode import Leaf, leaves_of
from ..rewrite.sampling import ROW_GROUPS, Measured, Sample, measure
from ..tabular import Listing, Shown, Tabular
from ..tabular import chosen as rows_shown
from .encoding_names import codec_of, written_encodings
from .footer import read_footer

CODECS = ("none", "zstd", "snappy", "lz4")
MAX_GROWTH = 0.2  # as a share of the file
OF_COLUMNS = "column", "type", "encodings", "codec", "bytes", "best copy", "its bytes", "of now"
OF_LEVELS = {"RLE", "BIT_PACKED"}
SMALLER = 0.9  # of the column's bytes: a copy that saves less is not recommended
BLOCK_BYTES = 120  # of the extension that refers to a copy of one or two pages
ORIGINAL_BYTES = 512  # of the block that records the original
FOOTER_KEPT = 0.5  # upper bound for the compressed original footer, as a share of the footer
NOT_SLOWER = 0.95  # of the column's speed; tolerates measurement noise


@frozen
class Estimate:
    """A copy that a column could have.

    Attributes
    ----------
    encoding, codec : str
        Names for `parquetext.encode`.
    bytes : int
        Size of the copy of the whole column, by which the file grows.
    values_per_second : float
        Decoded by one thread.
    """

    encoding: str
    codec: str
    bytes: int
    values_per_second: float


@frozen
class ColumnAdvice:
    """A leaf's current encoding, and estimates for others.

    Attributes
    ----------
    column : str
        Dotted path.
    leaf : int
    type : str
        Physical type.
    encodings, codec : str
        Of its first chunk's pages.
    values : int
        Nulls included.
    bytes : int
        Of its chunks.
    values_per_second : float
        In its current encoding; 0 if it has no values or no estimates.
    has_copy : bool
        True if one of its chunks already has a copy.
    estimates : tuple of Estimate
        One for each pair of a codec and an encoding that supports its type; empty if its values are so large that few
        rows exceed 64 MiB.
    chunks : int
        Number of chunks with values; each of them gets a copy.
    """

    column: str
    leaf: int
    type: str
    encodings: str
    codec: str
    values: int
    bytes: int
    values_per_second: float
    has_copy: bool
    estimates: tuple[Estimate, ...]
    chunks: int = 0

    def cost(self, copy: Estimate) -> int:
        """Return the bytes by which the file grows: the copy and the extensions that refer to it."""
        return copy.bytes + self.chunks * BLOCK_BYTES

    @property
    def best(self) -> Estimate | None:
        """Return the smallest copy that saves a tenth and decodes as fast as the column, or None if there is none."""
        size, speed = SMALLER * self.bytes, NOT_SLOWER * self.values_per_second
        worth = [one for one in self.estimates if self.cost(one) <= size and one.values_per_second >= speed]
        return min(worth, key=lambda one: one.bytes, default=None)  # in a tie the first: without a codec


@dataclass(frozen=True, slots=True, repr=False)
class Advice(Tabular):
    """Estimates for the columns of a file in other encodings.

    Attributes
    ----------
    path : str
    bytes : int
        Of the file.
    footer_bytes : int
        Of its Thrift footer.
    columns : tuple of ColumnAdvice
    """

    path: str
    bytes: int
    footer_bytes: int
    columns: tuple[ColumnAdvice, ...]

    def within(self, max_growth: float | str | None = MAX_GROWTH) -> dict[str, Estimate]:
        """Return the choice of ``"best"`` by column; see `chosen`."""
        names = {advice.leaf: advice.column for advice in self.columns}
        found = chosen(self.columns, budget_of(self.bytes, self.footer_bytes, max_growth))
        return {names[leaf]: estimate for leaf, estimate in found.items()}

    def _shown(self) -> Shown:
        fields = [("bytes", self.bytes), ("footer", self.footer_bytes), ("columns", len(self.columns))]
        rows = [_row(self.columns[at]) for at in rows_shown(len(self.columns))]
        listing = Listing(OF_COLUMNS, rows, len(self.columns), "columns")
        return Shown(f"parquetext.Advice {without_secrets(self.path)}", fields, [listing])


def _row(advice: ColumnAdvice) -> tuple[object, ...]:
    """Return a column's row in the table: its current encoding and its best copy."""
    now = advice.column, advice.type, advice.encodings, advice.codec, advice.bytes
    best = advice.best
    if best is None:
        return *now, "none", None, None
    codec = "" if best.codec == "none" else f", {best.codec}"
    return *now, f"{best.encoding}{codec}", best.bytes, f"{best.bytes / advice.bytes:.0%}"


@names_memory
def advise(path: object, columns: Iterable[str | tuple[str, ...]] | None = None) -> Advice:
    """Estimate the columns' sizes and decoding speeds in other encodings, with each codec.

    For each column, about 1 MiB of values is read from up to three row groups, encoded in every way, and decoded by one
    thread. Sizes are extrapolated to the whole column; speeds are those of this machine.

    Parameters
    ----------
    path : str, os.PathLike or (filesystem, str)
    columns : iterable of str or tuple, optional
        Leaves, or groups, which select all their leaves; all columns by default.

    Returns
    -------
    Advice
        For each column, the current size and the estimates; call its `within` to choose among them.

    Raises
    ------
    ColumnError
        If a name matches no column, or more than one.
    Refused
        If the file is encrypted.
    Malformed, Damaged, Unsupported
        If the columns cannot be read.

    Examples
    --------
    >>> [column.column for column in parquetext.advise("wide.parquet").columns]
    ['id', 'price']
    """
    with storage.open_source(path) as source:
        footer = read_footer(source)
        try:
            form = ThriftForm(footer.bare)
            leaves = range(len(form.scan.leaves)) if columns is None else leaves_named(form, columns)
            return Advice(source.name, source.size, len(form.scan.data), tuple(advised(source, form, leaves)))
        except ParquetextError as error:
            raise error.at(source.name) from None


def leaves_named(form: ThriftForm, columns: Iterable[str | tuple[str, ...]]) -> list[int]:
    """Return the leaves that the column names select, each once."""
    found: dict[int, None] = {}
    for column in columns:
        try:
            found |= dict.fromkeys(leaves_below(form, find_group_or_leaf(form, column)))
        except ColumnError as error:
            if error.absent is not None:
                error.suggest(nearest_columns(form, error.absent))
            raise
    return list(found)


def advised(
    source: storage.Source, form: ThriftForm, leaves: Iterable[int], codecs: Sequence[str] = CODECS
) -> Iterator[ColumnAdvice]:
    """Yield advice for leaves of a file, one by one."""
    refuse_encrypted(form.scan)
    all_leaves = leaves_of(form.scan)
    for leaf in leaves:
        yield _advised(source, form, all_leaves[leaf], codecs)


def _advised(source: storage.Source, form: ThriftForm, leaf: Leaf, codecs: Sequence[str]) -> ColumnAdvice:
    numbers, chunks = [codec_of(codec) for codec in codecs], form.column(leaf.leaf)
    counts, sizes = chunks.array("num_values"), chunks.array("total_compressed_size")
    filled = [number for number, count in enumerate(counts) if count]
    samples = (Sample(source, chunk_of(form, leaf, number, number, source.size)) for number in _spread(filled))
    encodings = [encoding for encoding in written_encodings() if leaf.kind.physical in encoding.types]
    try:
        present, found = measure(samples, encodings, numbers)
    except OutOfProportion:
        present, found = Measured(0, 0, 0.0), {}
    estimates = [
        Estimate(name.lower(), codecs[numbers.index(codec)], one.size * sum(counts) // one.entries, _speed(one))
        for (name, codec), one in found.items()
    ]
    return ColumnAdvice(
        column=leaf.path,
        leaf=leaf.leaf,
        type=wire.NAMES_OF_TYPE[leaf.kind.physical],
        encodings=_encodings(chunks, filled),
        codec=name_of_codec(chunks.array("codec")[filled[0]]) if filled else "",
        values=sum(counts),
        bytes=sum(sizes),
        values_per_second=_speed(present),
        has_copy=any(copy_in(chunks, number, form.scan.data) is not None for number in range(len(sizes))),
        estimates=tuple(estimates),
        chunks=len(filled),
    )


def _spread(numbers: Sequence[int]) -> list[int]:
    """Return the first, the middle and the last number."""
    last = len(numbers) - 1
    positions = {max(last, 0) * part // (ROW_GROUPS - 1) for part in range(ROW_GROUPS)}
    return [numbers[position] for position in sorted(positions)] if numbers else []


def _encodings(chunks: Any, filled: Sequence[int]) -> str:
    """Return the names of the encodings of a column's first chunk."""
    bits = chunks.array("encodings")[filled[0]] if filled else 0
    names = names_of_encodings([bits])
    return ", ".join([name for name in names if name not in OF_LEVELS] or names).lower()


def _speed(measured: Measured) -> float:
    return measured.entries / measured.seconds if measured.seconds else 0.0


def chosen(columns: Iterable[ColumnAdvice], budget: int) -> dict[int, Estimate]:
    """Return, by leaf, the copies that save readers most bytes while the file grows by at most `budget` bytes.

    Columns that already have a copy are skipped. The copy that saves most per byte is chosen first.
    """
    found, left = {}, budget
    best = {advice: advice.best for advice in columns if not advice.has_copy}
    worth = {advice: estimate for advice, estimate in best.items() if estimate is not None}
    for advice in sorted(worth, key=lambda advice: worth[advice].bytes / advice.bytes):
        cost = advice.cost(worth[advice])
        if cost <= left:
            found[advice.leaf], left = worth[advice], left - cost
    return found


def budget_of(file_bytes: int, footer_bytes: int, max_growth: float | str | None) -> int:
    """Return the bytes available for copies and their metadata: the growth minus the stored original footer."""
    return int(file_bytes * growth_of(max_growth) - footer_bytes * FOOTER_KEPT) - ORIGINAL_BYTES


def growth_of(given: float | str | None) -> float:
    """Parse a share of a file: 0.2, or ``"20%"``.

    Raises
    ------
    ParquetextError
        If the value is not a share.
    """
    if given is None:
        return MAX_GROWTH
    text = str(given).strip()
    try:
        found = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        found = -1.0
    if not 0 <= found < float("inf"):
        raise ParquetextError(f"{given!r} is not a share of a file: give one such as 20%", code=wire.BAD_ARGUMENT)
    return found
