"""Read a step of a projection with our decoder: from column chunks to a table, in parallel, or batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import Any

import pyarrow as pa

from ... import kernels, wire
from ...encoding.chunk_reader import Chunk, ChunkReader, Dictionary, Stretch, chunk_of
from ...encoding.decoded_sizes import entries_of
from ...encoding.pages import FEW_BYTES
from ...errors import Malformed, OutOfProportion, ParquetextError, Unsupported
from ...footer.expansion import check_expansion
from ...footer.model import FooterReader
from ...footer.page_index import PagePlaces
from ...footer.page_tables import PageTables
from ...footer.pyarrow_footer import key_values_of
from ...forks import cached_property
from ...storage import can_gather, has_descriptor
from ..fields.arrow_fields import within_the_stack
from ..fields.assemble_plan import LeafPlan
from ..fields.wanted_columns import Column
from ..plan.page_rows import OffsetIndexes
from ..plan.part import Part
from ..plan.picks import Picks, every_row, kept
from .assemble import always_fits, assemble
from .copy_reading import Copies, SteadyReader, is_cheaper, places_of
from .fetching import fetched
from .in_threads import each, is_worth_threads, workers_of
from .local_columns import LocalColumns
from .proportion import (
    MOST_BATCH_BYTES,
    Claims,
    believed,
    claimed,
    claims_of,
    compare_items,
    list_levels,
    most_page,
    refuse_much_in_python,
    rows_at_once,
)
from .stretches import rows_of_chunk, stretches_of
from .text_budget import MOST_TEXT_BYTES, TEXT_BYTES, TextBudget, growing_batches, is_text, texts_of

BATCH_ROWS = 1 << 16


class Decoder:
    """Read the leaves of a sliced footer.

    Parameters
    ----------
    part : Part
        Its footer contains complete top-level fields, lists or maps.
    source
        The file's bytes: `size` and `read(offset, length)`.
    options : mapping
        Options of pyarrow's reader that determine the types of the result and whether checksums are compared.
    copies : Copies, optional
        Copies of chunks in other encodings, read instead of the chunks. If None, the chunks are read.
    is_strict : bool
        If True, raise Unsupported if the kernels refuse a column that they should read directly from a local file.
    limit : int, optional
        Limit of values that are out of proportion to their bytes, as in `footer.expansion.limit_of`.
    tables : PageTables, optional
        The page tables of the file, for reads of some rows.
    checks_crc : bool
        If True, compare the checksums of pages, also without an option.

    Attributes
    ----------
    schema : pyarrow.Schema
        pyarrow's schema; if pyarrow refuses the schema, it is derived from the Parquet types.
    row_counts : sequence of int
        Number of rows of each row group.
    indexes : OffsetIndexes
        The offset indexes of the chunks.

    Raises
    ------
    Unsupported
        If there are more than a million values and no compiled kernels.
    """

    def __init__(
        self,
        part: Part,
        source,
        options: Mapping,
        copies: Copies | None = None,
        *,
        is_strict: bool = False,
        limit: int | None = None,
        tables: PageTables | None = None,
        checks_crc: bool = False,
    ):
        self._form = part.form
        self._footer, self._copies = part.footer, copies
        self._row_groups, self._source = part.row_groups, source
        self._chunks: dict[tuple[int, int], Chunk] = {}
        self._tables = PageTables(source) if tables is None else tables
        self.indexes = OffsetIndexes(part.form, source)
        self._is_checked, self._is_strict, self._limit = False, is_strict, limit
        self._checks_crc = checks_crc or bool(options.get("page_checksum_verification"))
        self._columns = part.fields_with(options)
        # A copy has no dictionary page, and the order of a dictionary determines the categories of a pandas column.
        self._with_dictionaries = {
            one.leaf for column in self._columns if column.has_dictionaries for one in column.leaves
        }
        self.schema = pa.schema([column.field for column in self._columns], key_values_of(self._form))
        self.row_counts = self._form.row_groups("num_rows")
        if kernels.implementation() != "native":
            refuse_much_in_python(sum(self._entries_of(leaf) for leaf in self._leaves()))

    def _entries_of(self, leaf: LeafPlan) -> int:
        """Return the number of values and nulls that are read of a leaf."""
        counts = self._form.column(leaf.leaf).array("num_values")
        return sum(map(entries_of, counts, self.row_counts, repeat(leaf.levels.repetition)))

    @property
    def form(self) -> FooterReader:
        return self._form

    @property
    def columns(self) -> Sequence[Column]:
        """The fields that are read."""
        return self._columns

    def table(
        self, rows: Sequence[Picks] | None = None, fields: Sequence[int] | None = None, *, use_threads: bool = True
    ) -> pa.Table:
        """Read all columns or some of the schema's fields, from all rows or picked rows of each row group.

        Raises
        ------
        Malformed, Unsupported
            If the values cannot be read. The error contains the location.
        """
        columns = self._columns if fields is None else [self._columns[field] for field in fields]
        self._check_empty(columns)
        groups = [every_row(count) for count in self.row_counts] if rows is None else rows
        whole = rows is None
        if not whole and self._may_have_copies:
            self._pass_over_copies(columns, groups)
        use_threads = use_threads and is_worth_threads(self._form, columns, groups, self.row_counts)
        arrays = self._by_row_groups_together(columns, groups, whole=whole, use_threads=use_threads)
        others = [column for column in columns if id(column) not in arrays]
        if others:
            arrays |= self._by_pages(others, groups, whole=whole, use_threads=use_threads)
        schema = self.schema if fields is None else pa.schema([column.field for column in columns])
        values = [pa.chunked_array(arrays[id(column)], column.field.type) for column in columns]
        return pa.Table.from_arrays(values, schema=schema)

    def found(
        self, rows: Sequence[Picks], ranges: Mapping[int, Any], *, use_threads: bool = True
    ) -> dict[int, pa.ChunkedArray] | None:
        """Return, for each field and row, if ranges contain the value; nulls remain. None: only `table` reads a field.

        `rows` are without masks. `ranges` has a `kernels.ranges.Ranges` for leaves of the schema's top level.
        """
        columns = [self._columns[field] for field in ranges]
        claims = self._claims
        if not has_descriptor(self._source) or claims is None or not (self._is_checked or claims.are_believed):
            return None
        self._check_empty(columns)
        of_leaves = {self._columns[field].leaves[0].leaf: one for field, one in ranges.items()}
        local = LocalColumns(self._form, self._source, rows, self._tables, self._checks_crc, of_leaves)
        if any((self._may_have_copies and self._has_copies(column)) or not local.takes(column) for column in columns):
            return None
        use_threads = use_threads and is_worth_threads(self._form, columns, rows, self.row_counts)
        arrays = local.read(columns, None, use_threads=use_threads)
        if len(arrays) < len(columns):
            return None
        return {field: pa.chunked_array(arrays[id(self._columns[field])], pa.bool_()) for field in ranges}

    @cached_property
    def _may_have_copies(self) -> bool:
        return self._copies is not None and self._copies.may_be(self._footer)

    def _pass_over_copies(self, columns: Sequence[Column], groups: Sequence[Picks]) -> None:
        """Read some rows from the chunks that decode them faster than their copies."""
        leaves = [leaf for column in columns for leaf in column.leaves]
        for number, leaf in ((number, leaf) for number, picks in enumerate(groups) if picks.ranges for leaf in leaves):
            if (copy := self._stored(leaf, number).copy) is not None and self._copies is not None:
                size = self._form.column(leaf.leaf).array("total_uncompressed_size")[number]
                pages = self.indexes.read(leaf.leaf, number)
                if not is_cheaper(copy, self._chunk(leaf, number), size, pages, groups[number].ranges):
                    self._copies.pass_over(leaf.leaf, number)

    def _check_empty(self, columns: Sequence[Column]) -> None:
        """Raise Malformed if a row group without rows has values."""
        for number, count in enumerate(self.row_counts):
            if not count:
                for column in columns:
                    for leaf in column.leaves:
                        self._chunk(leaf, number)

    def _by_row_groups_together(
        self, columns: Sequence[Column], groups: Sequence[Picks], *, whole: bool, use_threads: bool
    ) -> dict[int, list[pa.Array]]:
        """Read fields whose row groups the kernels read together. `_by_pages` reads the others and reports errors."""
        if not has_descriptor(self._source) or (self._checks_crc and whole):
            return {}
        claims = self._claims
        if claims is None or not (self._is_checked or claims.are_believed):
            return {}
        local = LocalColumns(self._form, self._source, groups, None if whole else self._tables, self._checks_crc)
        most_text = None if self._is_checked else max(TEXT_BYTES, claims.believed)
        taken = [
            column
            for column in columns
            if local.takes(column) and not (self._may_have_copies and self._has_copies(column))
        ]
        arrays = local.read(taken, most_text, use_threads=use_threads)
        if self._is_strict and len(arrays) < len(taken):
            raise Unsupported("column chunks that not every reader takes")
        return arrays

    def _by_pages(
        self, columns: Sequence[Column], groups: Sequence[Picks], *, whole: bool, use_threads: bool
    ) -> dict[int, list[pa.Array]]:
        """Read the arrays of fields row group by row group."""
        chunks = [self._stored(leaf, number) for number, leaf in self._leaves_with_rows()]
        if sum(map(claimed, chunks)) > max(MOST_BATCH_BYTES, believed(chunks)):
            self._check()
        tasks = [(number, column) for column in columns for number, picks in enumerate(groups) if picks.ranges]
        stretches = self._stretches(tasks, groups, whole=whole)
        source = fetched(self._source, [(one.begin, one.end) for _, some in stretches.values() for one in some])

        def read(texts: TextBudget | None, task: tuple[int, Column]) -> list[pa.Array]:
            number, column = task
            largest = None if texts is None else most_page(chunks)
            return self._read(column, number, groups[number], stretches, source, texts, largest)

        try:
            workers = workers_of(use_threads, len(tasks))
            texts = None if self._is_checked else TextBudget(max(TEXT_BYTES, believed(chunks)), workers)
            found = each(partial(read, texts), tasks, use_threads)
        except OutOfProportion:
            self._check()
            found = each(partial(read, None), tasks, use_threads)
        arrays: dict[int, list[pa.Array]] = {id(column): [] for column in columns}
        for (_, column), pieces in zip(tasks, found, strict=True):
            arrays[id(column)] += pieces
        return arrays

    @cached_property
    def _claims(self) -> Claims | None:
        return claims_of(self._form, self._leaves(), self._source.size)

    def _leaves(self) -> Iterator[LeafPlan]:
        return (leaf for column in self._columns for leaf in column.leaves)

    def _has_copies(self, column: Column) -> bool:
        numbers = [number for number, count in enumerate(self.row_counts) if count]
        return any(self._stored(leaf, number).copy is not None for number in numbers for leaf in column.leaves)

    def _leaves_with_rows(self) -> Iterator[tuple[int, LeafPlan]]:
        """Yield each leaf of each row group that has rows."""
        for number, count in enumerate(self.row_counts):
            if count:
                yield from ((number, leaf) for column in self._columns for leaf in column.leaves)

    def _check(self) -> None:
        """Raise an error for unreadable data before any of it is kept, if few bytes contain very many values.

        Check pages, then their conversion to Arrow, except for texts, which Arrow accepts unchanged.
        """
        if self._is_checked:
            return
        check_expansion(self._form, [leaf.leaf for leaf in self._leaves()], self._source, self._limit)
        for column in self._columns:
            for number, count in enumerate(self.row_counts):
                if count:
                    self._check_pages(column, number)
        for column in self._columns:
            if not is_text(column.field.type):
                self._check_values(column)
        self._is_checked = True

    def _check_pages(self, column: Column, number: int) -> None:
        """Decode a field's pages without keeping them, and compare the lists that its leaves imply."""
        try:
            compare_items(column.plan, self._items_of(column, number))
        except Malformed as error:
            if not self._leave_copies(column, number, error):
                raise
            compare_items(column.plan, self._items_of(column, number))

    def _items_of(self, column: Column, number: int) -> dict[int, Sequence[int]]:
        """Return the number of items of each leaf of a field in the lists around it, after decoding all pages."""
        lists, items = list_levels(column.plan), {}
        options: Any = {"levels": False, "checks_crc": self._checks_crc, "forgets": True, "limit": self._limit}
        for leaf in column.leaves:

            def made(_: Chunk, leaf: LeafPlan = leaf) -> ChunkReader:
                return ChunkReader(leaf, self._source, lists=lists[leaf.leaf], **options)

            reader = self._all_of(number, leaf, made)
            reader.read(self.row_counts[number])
            items[leaf.leaf] = reader.list_items
        return items

    def _check_values(self, column: Column) -> None:
        """Convert a field to Arrow arrays, a batch at a time.

        A page or row that is too large for a batch is skipped only if the Arrow type can represent every value.
        """
        try:
            for _ in self._batches([column], BATCH_ROWS):
                pass
        except OutOfProportion:
            if not always_fits(column.plan, column.field.type, {leaf.leaf for leaf in column.leaves}):
                raise

    def batches(self, batch_size: int, row_groups: Sequence[int] | None = None) -> Iterator[pa.RecordBatch]:
        """Yield batches of all row groups or of these.

        Memory is bounded by one batch and, for each leaf, one stored column chunk.
        """
        return self._batches(self._columns, batch_size, row_groups)

    def _batches(
        self, columns: Sequence[Column], batch_size: int, row_groups: Sequence[int] | None = None
    ) -> Iterator[pa.RecordBatch]:
        schema = pa.schema([column.field for column in columns], self.schema.metadata)
        for number in range(len(self.row_counts)) if row_groups is None else row_groups:
            count = self.row_counts[number]
            tasks = [(number, column) for column in columns]
            stretches = self._stretches(tasks, {number: every_row(count)}, whole=True)
            source = fetched(self._source, [(one.begin, one.end) for _, some in stretches.values() for one in some])
            chunks = [chunk for chunk, _ in stretches.values()]
            if not chunks:
                continue
            step, largest = min(batch_size, rows_at_once(chunks)), most_page(chunks)
            readers = {}
            for _, column in tasks:
                for leaf in column.leaves:
                    made = partial(self._batch_reader, column, leaf, source, largest)
                    readers[leaf.leaf] = self._all_of(number, leaf, made)
            read = partial(self._batch, columns, schema, readers)
            if any(chunk.size < FEW_BYTES and chunk.leaf.kind.physical == wire.PHYSICAL_BYTE_ARRAY for chunk in chunks):
                yield from growing_batches(read, count, step)
            else:
                for begin in range(0, count, step):
                    yield from read(min(step, count - begin))

    def _batch(
        self, columns: Sequence[Column], schema: pa.Schema, readers: Mapping[int, ChunkReader | SteadyReader], rows: int
    ) -> Iterator[pa.RecordBatch]:
        for reader in readers.values():
            reader.read(rows)
        arrays = [pa.chunked_array(self._taken(column, readers, rows), column.field.type) for column in columns]
        yield from pa.Table.from_arrays(arrays, schema=schema).to_batches()

    def _taken(self, column: Column, readers: Mapping[int, ChunkReader | SteadyReader], rows: int) -> list[pa.Array]:
        """Assemble the rows of a field that were read last; if copies do not form a column, read the chunks again."""
        taken = {leaf.leaf: readers[leaf.leaf].take() for leaf in column.leaves}
        dictionaries = {leaf: readers[leaf].dictionary for leaf in taken}
        try:
            return self._assembled(column, taken, dictionaries)
        except ParquetextError as error:
            steady = [(leaf, reader) for leaf in taken if isinstance(reader := readers[leaf], SteadyReader)]
            again = {leaf: reader.take() for leaf, reader in steady if reader.read_again(rows, error)}
            if not again:
                raise
        return self._assembled(column, taken | again, dictionaries)

    def _read(
        self,
        column: Column,
        number: int,
        picks: Picks,
        stretches: Mapping[tuple[int, int], tuple[Chunk, list[Stretch]]],
        source,
        texts: TextBudget | None,
        largest: int | None,
    ) -> list[pa.Array]:
        """Read a field's rows of one row group from copies or, if these do not form a column, from chunks."""
        read = partial(self._decoded, column, number, picks, source, texts, largest)
        taken, dictionaries = read(stretches)
        try:
            return kept(self._assembled(column, taken, dictionaries), picks.mask)
        except ParquetextError as error:
            if not self._leave_copies(column, number, error):
                raise
        again = read(self._stretches([(number, column)], {number: picks}, whole=True))
        return kept(self._assembled(column, *again), picks.mask)

    def _leave_copies(self, column: Column, number: int, error: ParquetextError) -> bool:
        """Read a field of a row group from its chunks from now on; return True if part of it was read from copies."""
        if self._copies is None:
            return False
        copied = [chunk for leaf in column.leaves if (chunk := self._stored(leaf, number)).copy is not None]
        for chunk in copied:
            self._copies.leave(chunk, number, error)
        return bool(copied)

    def _decoded(
        self,
        column: Column,
        number: int,
        picks: Picks,
        source,
        texts: TextBudget | None,
        largest: int | None,
        stretches: Mapping[tuple[int, int], tuple[Chunk, list[Stretch]]],
    ) -> tuple[dict[int, list], dict[int, Dictionary | None]]:
        """Decode the leaves of a field, and return their values and dictionaries."""
        taken, dictionaries = {}, {}
        for leaf in column.leaves:
            made = partial(self._reader, column, leaf, source, rows=picks.count, most_page=largest)
            rows_of = partial(self._rows_of, number, leaf, picks, *stretches[number, leaf.leaf])
            if texts is None or leaf.kind.physical != wire.PHYSICAL_BYTE_ARRAY:
                found = rows_of(partial(made, most_bytes=None if texts is None else 0))
            else:
                found = texts.spend(partial(texts_of, rows_of, made))
            taken[leaf.leaf], dictionaries[leaf.leaf] = found
        return taken, dictionaries

    def _rows_of(
        self,
        number: int,
        leaf: LeafPlan,
        picks: Picks,
        chunk: Chunk,
        stretches: Sequence[Stretch],
        made: Callable[[], ChunkReader],
    ) -> tuple[list, Dictionary | None]:
        """Return the rows of a chunk and its dictionary; if its copy is damaged, read the chunk itself."""
        try:
            return rows_of_chunk(made, chunk, stretches, picks)
        except ParquetextError as error:
            if chunk.copy is None or self._copies is None:
                raise
            if not isinstance(error, OutOfProportion):
                self._copies.leave(chunk, number, error)
        chunk = self._chunk(leaf, number)
        return rows_of_chunk(made, chunk, stretches_of(chunk, None, picks.ranges), picks)

    def _batch_reader(self, column: Column, leaf: LeafPlan, source, most_page: int, chunk: Chunk) -> ChunkReader:
        most_bytes = MOST_TEXT_BYTES if chunk.size < FEW_BYTES else None
        return self._reader(column, leaf, source, most_page=most_page, most_bytes=most_bytes)

    def _all_of(self, number: int, leaf: LeafPlan, made: Callable[[Chunk], ChunkReader]) -> ChunkReader | SteadyReader:
        """Open a reader of all rows of a chunk."""
        chunk = self._stored(leaf, number)

        def opened(chunk: Chunk) -> ChunkReader:
            reader = made(chunk)
            reader.begin(chunk)
            reader.open(Stretch(chunk.begin, chunk.end, 0, chunk.num_rows))
            return reader

        if chunk.copy is None or self._copies is None:
            return opened(chunk)
        return SteadyReader(opened, chunk, self._chunk(leaf, number), partial(self._copies.leave, chunk, number))

    def _reader(self, column: Column, leaf: LeafPlan, source, **options) -> ChunkReader:
        return ChunkReader(
            leaf,
            source,
            levels=leaf.leaf in column.telling,
            checks_crc=self._checks_crc,
            keeps_dictionary=column.has_dictionaries,
            limit=self._limit,
            **options,
        )

    def _stretches(
        self, tasks: Sequence[tuple[int, Column]], groups, *, whole: bool
    ) -> dict[tuple[int, int], tuple[Chunk, list[Stretch]]]:
        """Return the chunk or copy that contains the values, and the pages to read there, by row group and leaf."""
        chunks = [(number, self._stored(leaf, number)) for number, column in tasks for leaf in column.leaves]
        if not whole and can_gather(self._source):
            without = [(number, chunk.leaf.leaf) for number, chunk in chunks if chunk.copy is None]
            self._source.gather([partial(self.indexes.read, leaf, number) for number, leaf in without])

        def places(number: int, chunk: Chunk) -> PagePlaces | None:
            if chunk.copy is not None:
                return places_of(chunk.copy, chunk.num_rows)
            return None if whole else self.indexes.read(chunk.leaf.leaf, number)

        return {
            (number, chunk.leaf.leaf): (chunk, list(stretches_of(chunk, places(number, chunk), groups[number].ranges)))
            for number, chunk in chunks
        }

    def _stored(self, leaf: LeafPlan, row_group: int) -> Chunk:
        """Return the chunk's copy if it has a readable one, else the chunk."""
        chunk = self._chunk(leaf, row_group)
        if self._copies is None or leaf.leaf in self._with_dictionaries:
            return chunk
        copy = self._copies.find(self._form, self._footer, chunk, row_group, self._source)
        return chunk if copy is None else chunk.by(copy)

    def _chunk(self, leaf: LeafPlan, row_group: int) -> Chunk:
        """Return a chunk, which is checked once."""
        key = leaf.leaf, row_group
        if key not in self._chunks:
            self._chunks[key] = chunk_of(self._form, leaf, row_group, self._row_groups[row_group], self._source.size)
        return self._chunks[key]

    def _assembled(
        self, column: Column, taken: Mapping[int, list], dictionaries: Mapping[int, Dictionary | None]
    ) -> list[pa.Array]:
        """Assemble the field's arrays; the parts of several leaves must have the same rows."""
        rows = [[part.rows for part in parts] for parts in taken.values()]
        if any(counts != rows[0] for counts in rows):
            raise Unsupported(f"column {column.field.name!r}: a part of it takes more than 2 GiB in a row group")
        with within_the_stack():
            return [
                assemble(column.plan, column.field.type, dict(zip(taken, parts, strict=True)), dictionaries)
                for parts in zip(*taken.values(), strict=True)
            ]
