"""The interface of a footer form. Each file in `footer/forms/` defines one entry, its `SPEC`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple
from uuid import UUID

from .. import kernels, wire
from ..errors import ParquetextError, Unsupported
from ..extension import ASIDE
from ..findings import Finding
from ..records import frozen
from .chunk_fields import Fields, names_of
from .model import FooterReader
from .tail import Block, Tail

MAX_SHARE = 0.02  # of the file: upper bound for a payload that is chosen automatically
Slots = dict[UUID, bytes]


class Memory:
    """A payload in memory as a source."""

    def __init__(self, data):
        self.data, self.size = memoryview(data), len(data)

    def read(self, offset: int, length: int) -> memoryview:
        return self.data[offset : offset + length]


def sized_tail_block(payload) -> bytes:
    """Return the tail block of a payload whose last 8 bytes begin with its length."""
    length = int.from_bytes(payload[-8:-4], "little")
    return bytes(payload[-length:]) if 0 < length <= len(payload) else b""


class Location(NamedTuple):
    """The position of a form's bytes in a file.

    `footer` is the offset of the Thrift footer (of the payload if there is none), `thrift_length` the number of its
    bytes that the form may refer to. `known` are bytes of the file that end at its offset `known_end`.
    """

    footer: int
    thrift_length: int
    payload: int
    length: int
    known: bytes
    known_end: int


class Shape(NamedTuple):
    """The sizes by which a form is chosen; those in bytes are without our extensions."""

    footer_bytes: int
    file_bytes: int
    columns: int
    row_groups: int
    placement: str = ASIDE

    @property
    def share(self) -> float:
        """Return the footer's share of the file."""
        return self.footer_bytes / max(self.file_bytes, 1)


@frozen
class BuildOptions:
    """The options for building a payload.

    Attributes
    ----------
    stats : {"full", "compact"}
        ``"compact"`` shortens long bounds, if the form supports it.
    verbatim : bool
        Carry a footer that the form cannot represent as it is, without support for look-ups.
    slots : dict of UUID to bytes
        Contents of the form's extension slots.
    offset : int, optional
        Offset of the payload in a file that has no Thrift footer; None if the file has one.
    """

    stats: str = "full"
    verbatim: bool = False
    slots: Slots = field(default_factory=dict)
    offset: int | None = None


class Built(NamedTuple):
    """A form's block, and the parts of the Thrift footer that it omits."""

    payload: bytes
    trailer: bytes
    losses: tuple = ()


@dataclass(slots=True)
class Checked:
    """A form of a file that is verified.

    Attributes
    ----------
    source : Source
    end : bytes
        The file from `tail.start` to the end of its footer.
    tail : Tail
    block : Block
        The form's block.
    scan : Scan or None
        The Thrift footer's scan, if there is a sound Thrift footer.
    reader : FooterReader or None
        Set by `FormSpec.check` if the form can be read.
    losses : list of Loss
        Parts of the Thrift footer that the form does not store; they are not findings.
    rebuilt : bytes or None
        The Thrift footer without an extension, if `FormSpec.check` has rebuilt it from the payload.
    """

    source: Any
    end: bytes
    tail: Tail
    block: Block
    scan: Any = None
    reader: Any = None
    losses: list = field(default_factory=list)
    rebuilt: bytes | None = None

    @property
    def footer(self) -> memoryview:
        """Return the Thrift footer with its extension."""
        return memoryview(self.end)[self.tail.footer_offset - self.tail.start :]

    @property
    def payload(self) -> memoryview:
        """Return the block's payload."""
        start = self.block.payload - self.tail.start
        return memoryview(self.end)[start : start + self.block.length]


class FormSpec:
    """A footer form: identity, promises, and functions for reading, writing and checking it.

    The defaults suit a lossless block of ours that is read as a whole: such a form defines `build` and `rebuild`.

    Attributes
    ----------
    name : str
        Identifies the form in functions, commands and results.
    title : str
        Its name in messages.
    rank : int
        Of several forms in a file, the one with the lowest rank is reported; `upgrade` prefers low ranks.
    generation : int
        Version of the form's layout; a form whose layouts do not read each other has one entry for each.
    uuid : UUID or None
        The kind of its block.
    magic : bytes or None
        The file's last bytes, if the form replaces the Thrift footer.
    first_bytes : bytes
        The first bytes of a file that is written with the form.
    trailer_bytes, checked_trailer_bytes : int
        Size of its block's trailer, and of the part in front that the payload's checksum covers.
    front_bytes : int
        Number of the Thrift footer's first bytes that show the field which refers to the form; 0 if it has a block.
    warning : str
        A note for the user who adds the form, about readers that fail on it.
    refused_magics : mapping of bytes to str
        Last bytes of files of related forms that this version does not read, and the error's message.
    drops : tuple of str
        Facts of the Thrift footer that the form does not store, for users.
    omitted_of_chunks, omitted_of_row_groups : frozenset of str
        The names of these facts, as members of chunks and of row groups.
    is_lossless : bool
        `rebuild` returns the Thrift footer, byte for byte.
    is_verified : bool
        Checksums cover every byte that is read.
    begins_with_thrift : bool
        Its bytes in the file begin with the whole Thrift struct.
    is_final : bool
        The file has no other footer. A form with a `magic` that is not final may also be a block.
    is_restorable : bool
        `finalize` writes the form, and `restore` restores the file from before.
    no_thrift : str
        The reason why a file with a final form has no Thrift footer to be changed, and the remedy.
    is_preferred : bool
        A file that has the form is opened by it; otherwise only on request, or if the Thrift footer is damaged.
    needs_footer : bool
        It is opened with the whole Thrift footer beside it (`open_beside`).
    is_writable : bool
        `upgrade` and writers can add it.
    is_written_alone : bool
        Writers of new files can write it in place of the Thrift footer.
    has_bounds, has_names, has_page_index : bool
        It stores the chunks' bounds, finds a name without reading all names, stores the locations of page indexes.
    has_single_bounds : bool
        It stores a minimum without a maximum, and a maximum without a minimum.
    has_file_paths : bool
        Its slices can contain paths of other files.
    has_slots : bool
        It has extension slots.
    is_cellular : bool
        Look-ups read parts of it.
    reads_by_chunk : bool
        Look-ups read each chunk by itself, after the end of the payload.
    part_to_hold : int
        Look-ups of many leaves of a local file read it as a whole first if one leaf in this many is requested.
    stands_alone : bool
        An upgrade to it replaces blocks of other forms. Otherwise the block is added after them.
    placement : str
        Its default placement.
    part_kind : str
        Name of its bytes in `layout`.
    damaged, unsupported : str
        Kinds of findings for a damaged block, and for one that this version cannot read.
    record_code : int or None
        Number of its block in the record of an extension that a final form stores (docs/formats.md, section 5).
    """

    name: ClassVar[str]
    title: ClassVar[str]
    rank: ClassVar[int]
    generation: ClassVar[int] = 1
    uuid: ClassVar[UUID | None] = None
    magic: ClassVar[bytes | None] = None
    first_bytes: ClassVar[bytes] = b"PAR1"
    trailer_bytes: ClassVar[int] = wire.BLOCK_TRAILER_BYTES
    checked_trailer_bytes: ClassVar[int] = 0
    front_bytes: ClassVar[int] = 0
    warning: ClassVar[str] = ""
    refused_magics: ClassVar[Mapping[bytes, str]] = {}
    drops: ClassVar[tuple[str, ...]] = ()
    omitted_of_chunks: ClassVar[frozenset[str]] = frozenset()
    omitted_of_row_groups: ClassVar[frozenset[str]] = frozenset()
    is_lossless: ClassVar[bool] = False
    is_verified: ClassVar[bool] = False
    begins_with_thrift: ClassVar[bool] = False
    is_final: ClassVar[bool] = False
    is_restorable: ClassVar[bool] = False
    no_thrift: ClassVar[str] = ""
    is_preferred: ClassVar[bool] = True
    needs_footer: ClassVar[bool] = False
    is_writable: ClassVar[bool] = True
    is_written_alone: ClassVar[bool] = False
    has_bounds: ClassVar[bool] = True
    has_names: ClassVar[bool] = True
    has_page_index: ClassVar[bool] = True
    has_single_bounds: ClassVar[bool] = True
    has_file_paths: ClassVar[bool] = True
    has_slots: ClassVar[bool] = False
    is_cellular: ClassVar[bool] = False
    reads_by_chunk: ClassVar[bool] = False
    part_to_hold: ClassVar[int] = 4
    stands_alone: ClassVar[bool] = True
    placement: ClassVar[str] = ASIDE
    part_kind: ClassVar[str] = "block"
    damaged: ClassVar[str]
    unsupported: ClassVar[str | None] = None
    record_code: ClassVar[int | None] = None

    @property
    def reader_type(self) -> type | None:
        """Return the class of the form's readers in the implementation in use, if it is the form's alone."""
        return None

    @property
    def block_kind(self) -> UUID:
        """Return the UUID of the form's block."""
        if self.uuid is None:
            raise ValueError(f"the {self.title} has no block")
        return self.uuid

    def __repr__(self) -> str:
        return f"<FormSpec {self.name}>"

    # ---- locating -----------------------------------------------------------------------------------------------

    def recognize(self, tail: memoryview, size: int) -> Tail:
        """Locate a final form by the last bytes of a file of `size` bytes that ends in its magic."""
        raise NotImplementedError

    def check_magic(self, tail: memoryview, offset: int) -> None:
        """Raise Damaged if the last bytes of a file are a final form's except for the magic, which is at `offset`."""

    def read_trailer(self, data: memoryview, end: int) -> tuple[int, int] | None:
        """Return the payload's length and checksum from the form's own kind of trailer, which ends at ``data[end]``."""
        raise NotImplementedError

    def referred(self, front: bytes | memoryview, tail: Tail) -> Block | None:
        """Return the form to which a Thrift footer with these first bytes refers, or None; raise if it is unusable."""
        return None

    def find(self, tail: Tail) -> Block | None:
        """Return the last block of the form that a tail has."""
        if self.front_bytes:
            return next((block for spec, block in tail.referred if spec is self), None)
        return next((block for block in tail.blocks if block.uuid == self.uuid), None)

    # ---- opening ------------------------------------------------------------------------------------------------

    def open(self, handle, location: Location) -> FooterReader:
        """Open the form; `handle` is a source, or the file descriptor and the size of a local file.

        Raises
        ------
        Damaged, Unsupported
            If the form's checks fail, or if this version cannot read it.
        """
        if isinstance(handle, tuple):
            payload = kernels.local.read_pages(handle[0], location.payload, location.length)
        else:
            payload = handle.read(location.payload, location.length)
        try:
            return self.open_payload(payload)
        except ParquetextError as error:
            raise error.at(None, location.payload) from None

    def open_payload(self, payload) -> FooterReader:
        """Open the form from its payload alone."""
        from .thrift_form import ThriftForm

        return ThriftForm(self.rebuild(payload))

    def open_beside(self, footer: bytes | memoryview, tail: Tail, block: Block, io: tuple[int, int]) -> FooterReader:
        """Open the form from a Thrift footer with its extension, which has been read as a whole."""
        start = block.payload - tail.footer_offset
        return self.open_payload(memoryview(footer)[start : start + block.length])

    def glance(self, footer: bytes | memoryview, tail: Tail) -> list[Finding]:
        """Check quickly if a form beside the Thrift footer in use is intact."""
        return []

    def needed_range(self, location: Location) -> tuple[int, int]:
        """Return begin and end of the bytes that look-ups may read from a remote file."""
        return location.payload, location.payload + location.length

    def finding(self, error: ParquetextError) -> Finding:
        """Return the finding for a form that cannot be used because of an error."""
        kind = self.unsupported if error.code == wire.VERBATIM else None
        return Finding.of(kind or self.damaged, error, self.title)

    # ---- reading ------------------------------------------------------------------------------------------------

    def column(
        self, reader: FooterReader, leaf: int, first: int = 0, count: int | None = None, fields: Fields = Fields.ALL
    ):
        """Return the chunks of a leaf in row groups ``[first, first + count)``.

        The result has `array(name)` and `bounds()`. Fields that are not requested need not be read.
        """
        return reader.column(leaf, first, count)

    def row_group(self, reader: FooterReader, row_group: int, fields: Fields = Fields.ALL) -> dict[str, list]:
        """Return the requested fields of all chunks of a row group, by name; one entry per leaf."""
        names = names_of(fields)
        found: dict[str, list] = {name: [] for name in names}
        for leaf in range(reader.leaf_count):
            chunks = self.column(reader, leaf, row_group, 1, fields & ~Fields.BOUNDS)
            at = row_group if len(chunks) > 1 else 0
            for name in names:
                found[name].append(chunks.array(name)[at])
        return found

    def columns(self, reader: FooterReader, fields: Fields = Fields.ALL) -> Iterator:
        """Yield the chunks of each leaf, in one pass."""
        return (self.column(reader, leaf, fields=fields) for leaf in range(reader.leaf_count))

    def slice(self, reader: FooterReader, leaves, row_groups, *, key_values: bool = False) -> bytes:
        """Build a Thrift footer of leaves and row groups from the model; readers with a faster way have a `slice`."""
        from .default_slice import default_slice

        return default_slice(self, reader, leaves, row_groups, key_values=key_values)

    def chunk_structs(self, reader: FooterReader, leaf: int, first: int, count: int) -> list[bytes] | None:
        """Return the ColumnChunk structs of a leaf in row groups ``[first, first + count)``, or None.

        The default asks the reader, if it has a method of this name.
        """
        read = getattr(reader, "chunk_structs", None)
        return None if read is None else read(leaf, first, count)

    def slots(self, payload) -> Slots:
        """Return the contents of the extension slots of a payload; raise Damaged if they cannot be read."""
        return {}

    # ---- writing ------------------------------------------------------------------------------------------------

    def estimate(self, shape: Shape) -> int:
        """Return the approximate size of the form's payload for a footer of this shape, in bytes."""
        return shape.footer_bytes

    def refusal(self, shape: Shape) -> str | None:
        """Return the reason not to choose the form for a footer of this shape, or None."""
        size = self.estimate(shape)
        if shape.placement != ASIDE and size > wire.MAX_EXTENSION_BYTES // 2:
            return f"a second footer of about {size:,} bytes is more than readers of today take"
        most = self.most_bytes(shape.file_bytes)
        if most is not None and size > most:
            return f"a {self.title} of about {size:,} bytes would be {size / max(shape.file_bytes, 1):.1%} of the file"
        return None

    def most_bytes(self, file_bytes: int) -> int | None:
        """Return the size of the largest payload that is chosen for a file of some bytes; None without a limit."""
        return int(MAX_SHARE * max(file_bytes, 1))

    def build(self, scan, options: BuildOptions) -> Built:
        """Build the form's block from a scanned Thrift footer.

        Raises
        ------
        Unsupported
            If the form cannot represent the footer.
        """
        raise NotImplementedError

    def check_addable(self, metadata: bytes) -> None:
        """Raise Refused if a reference to the form cannot be added to a Thrift struct."""

    def with_reference(self, metadata: bytes, offset: int, length: int, footer_length: int) -> bytes:
        """Return a Thrift struct that refers to a payload; `footer_length` is that of the new Thrift footer."""
        raise NotImplementedError

    def without_reference(self, metadata: bytes) -> bytes | None:
        """Return the Thrift struct from before `with_reference`, or None if it does not refer to the form."""
        return None

    def is_referred(self, metadata: bytes, payload: bytes) -> bool:
        """Return True if bytes are a payload of the form to which a Thrift struct refers, and nothing else."""
        return False

    def rebuild(self, payload) -> bytes:
        """Return the Thrift footer, without an extension, that a lossless payload was built from.

        Raises
        ------
        Damaged, Malformed
            If the payload is damaged.
        """
        raise Unsupported(f"a {self.title} has no whole Thrift footer")

    def built(self, payload: bytes) -> Built:
        """Return the block with this payload and a trailer of ours."""
        return Built(payload, kernels.extension.trailer(payload, self.block_kind.bytes))

    def tail_block(self, payload) -> bytes:
        """Return the end of a payload by which it is opened; a reference to a block aside contains a copy."""
        return b""

    def options_of(self, payload) -> BuildOptions:
        """Return the options that a payload was built with."""
        return BuildOptions(slots=self.slots(payload))

    # ---- checking -----------------------------------------------------------------------------------------------

    def verify_payload(self, payload) -> bytes | None:
        """Check each part of a payload; raise Damaged if one is damaged.

        Returns
        -------
        bytes or None
            The result of `rebuild`, if it was part of the check.
        """
        self.open_payload(payload).close()
        return None

    def check(self, checked: Checked) -> Iterator[Finding]:
        """Check the form of a file, and compare its counts with the Thrift footer."""
        try:
            checked.rebuilt = self.verify_payload(checked.payload)
        except ParquetextError as error:
            yield self.finding(error.at(None, checked.block.payload))
            return
        try:
            checked.reader = self.open_checked(checked)
        except ParquetextError as error:
            yield self.finding(error)
            return
        different = [*self.compare_counts(checked)]
        yield from different
        if checked.rebuilt is not None and checked.scan is not None and not different:
            from .form_agreement import compare_rebuilt

            yield from compare_rebuilt(checked.footer, self, checked.payload, checked.rebuilt)

    def open_checked(self, checked: Checked) -> FooterReader:
        """Open a payload that has been checked."""
        return self.open_payload(checked.payload)

    def compare_counts(self, checked: Checked) -> Iterator[Finding]:
        """Compare the numbers of rows, columns and row groups with the Thrift footer."""
        ours, theirs = (
            (form.num_rows, form.leaf_count, form.row_group_count)
            for form in (checked.reader, checked.scan or checked.reader)
        )
        if ours != theirs:
            message = f"rows, leaves, row groups: {self.name} says {ours}, Thrift {theirs}"
            yield Finding("forms-differ", message, checked.block.payload, self.title)

    def compare(self, checked: Checked) -> Iterator[Finding]:
        """Compare every field with the Thrift footer, if `check` has opened the form."""
        from .form_agreement import compare_form, compare_rebuilt

        if checked.reader is not None:
            yield from compare_form(checked.scan, checked.reader, self)
            if checked.rebuilt is None and self.is_lossless and getattr(checked.reader, "is_lossless", True):
                yield from compare_rebuilt(checked.footer, self, checked.payload)

    def describe(self, footer: bytes | memoryview, tail: Tail, block: Block) -> str:
        """Return the name of the layout variant of a block, or an empty string."""
        return ""

    def claim(self, payload: bytes) -> Iterator[tuple[int, int, str, int]]:
        """Yield the parts of a payload: begin, end, name, and the number of the column or key-value, or -1."""
        return iter(())
