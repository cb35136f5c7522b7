"""Verify a complete flat payload: all cells, all names, and the view of other readers (docs/formats.md, 3.8)."""

from __future__ import annotations

from bisect import bisect_left

from .. import wire
from . import flat_extensions
from .flat_cells import IS_VERBATIM, Cell
from .flat_ending import HAS_CREATED_BY, HAS_KEY_VALUES
from .flat_heads import Head
from .flat_names import hash_field_id, hash_path, home_of, tag_of
from .flat_read import CREATED_BY, GROUP, LISTS, Reader
from .flat_thrift import Memory, to_thrift

COMPARED = ("version", "schema", "num_rows", "row_groups", "kv", "created_by", "extensions")


def verify(payload) -> None:
    """Check a complete payload, and raise the first error.

    O(size), a lookup per name, and one rebuilt Thrift footer.
    """
    data = memoryview(payload)
    reader = Reader(Memory(data), 0, len(data), data, allow_verbatim=True)
    _Check(reader, data).run()
    to_thrift(data)


class _Check:
    """The tables found through the cells, to be compared with the tables that public readers reach."""

    def __init__(self, reader: Reader, data: memoryview):
        self.reader, self.data, self.footer = reader, data, reader.file
        self.schema: dict[int, int] = {}  # element in preorder -> position of its SchemaElement
        self.row_groups: list[int] = []  # positions of the RowGroups
        self.chunks: list[list[int]] = []  # by leaf, positions of the ColumnChunks
        self.extensions: list[int] = []  # positions of the Extensions

    def run(self) -> None:
        reader, footer = self.reader, self.footer
        footer.unseen = bytearray(self.data[: footer.tail])
        self.read_names()
        for node in range(reader.node_count):
            reader.begin()
            self.check_element(GROUP | node)
        for leaf in range(reader.leaf_count):
            reader.begin()
            self.check_element(leaf)
            self.check_chunks(leaf)
        for row_group in range(reader.row_group_count):
            self.check_row_group(row_group)
        for index in range(reader.key_value_count):
            reader.key_value(index)
        reader.created_by  # noqa: B018 - reading it is the check
        reader.begin()
        footer.listed_cell(wire.KIND_ROOT, 0)
        for page in range(footer.counts.pool_pages):
            reader.begin()
            footer.listed_cell(wire.KIND_POOL, page)
        self.check_extensions()
        self.check_public_way()
        self.check_padding()

    def check_element(self, id: int) -> None:
        """Check a schema part, its SchemaElement and its Arrow field, and that its name and field id are listed."""
        reader, head = self.reader, self.reader.head(id)
        if head.index in self.schema:
            raise head.fail(wire.BAD_VALUE, reader.leaf_count + reader.node_count, head.index)
        self.schema[head.index] = head.cell.position + head.element
        if head.arrow:
            reader.pool_item(head.cell.position + head.at, head.arrow)
        if id != GROUP:
            self.check_listed(head, hash_path(head.path))
            if "field_id" in head.fields:
                self.check_listed(head, hash_field_id(head.cell.number_at(head.fields, "field_id", "i", 0)))

    def check_listed(self, head: Head, hash: int) -> None:
        """Raise an error unless a lookup of this hash passes the element's entry."""
        entry = tag_of(hash), head.cell.position + (0 if head.id & GROUP else head.id % self.footer.cell_leaves)
        if not self.comes_past(entry, home_of(hash, len(self.runs))):
            raise head.fail(wire.BAD_VALUE, 1, 0)

    def comes_past(self, entry: tuple[int, int], home: int) -> bool:
        """Return True if a lookup that begins in bucket `home` passes the entry: all buckets before it are full."""
        buckets = self.buckets_of.get(entry, ())
        if not buckets:
            return False
        at = bisect_left(buckets, home)
        found = buckets[at] if at < len(buckets) else buckets[0] + len(self.runs)
        return found - home <= self.runs[home]

    def read_names(self) -> None:
        """Find the bucket of each entry, and the number of consecutive full buckets from each bucket on."""
        footer, count = self.footer, self.footer.counts.bucket_count
        pages = [footer.bucket(number) for number in range(count)] or [(footer.listed, False)]
        self.buckets_of: dict[tuple[int, int], list[int]] = {}
        for number, (entries, _) in enumerate(pages):
            for entry in entries:
                self.buckets_of.setdefault(entry, []).append(number)
        self.runs, run = [0] * len(pages), 0
        for number in reversed(range(2 * len(pages))):
            run = min(run + 1, len(pages)) if pages[number % len(pages)][1] else 0
            self.runs[number % len(pages)] = run

    def check_chunks(self, leaf: int) -> None:
        reader, positions = self.reader, []
        for part in range(self.footer.counts.row_group_cells):
            row_groups = reader._part_range(part)
            for _ in reader.chunks(leaf, row_groups):
                pass  # reading them checks them
            cell, chunks, _ = reader.part(reader.head(leaf), part)
            positions += [cell.position + position for position in chunks]
        self.chunks.append(positions)

    def check_row_group(self, index: int) -> None:
        reader = self.reader
        reader.begin()
        fields = reader.row_group_table(index)
        reader.sorting_columns(index)
        cell, _ = reader._row_group(index)
        table = cell.u32(LISTS + 4 * (index % wire.FLAT_PART_ROW_GROUPS))
        self.row_groups.append(cell.position + table)
        for name, said in reader.row_group(index).items():
            if said != fields[name]:
                raise cell.fail(wire.BAD_VALUE, table, said & 2**64 - 1, fields[name] & 2**64 - 1)

    def check_extensions(self) -> None:
        for index, _ in enumerate(self.reader.extensions()):
            self.reader.begin()
            cell, _ = flat_extensions.load(self.footer, index)
            self.extensions.append(cell.position + wire.FLAT_CELL_HEADER_BYTES)

    def check_public_way(self) -> None:
        """Check that the root table and vectors, which are not in cells, refer to the tables that the cells list."""
        footer, counts = self.footer, self.footer.counts
        whole = Cell(footer, 0, self.data[: footer.tail])
        position = whole.u32(0)
        root = whole.table("FileMetaData", position)
        self.seen(0, 4)
        self.seen(position, whole.vtable("FileMetaData", position).size)
        wanted = {"version", "schema", "num_rows", "row_groups"}
        wanted |= {"created_by"} if counts.flags & HAS_CREATED_BY else set()
        wanted |= {"kv"} if counts.flags & HAS_KEY_VALUES else set()
        wanted |= {"extensions"} if counts.extensions else set()
        if counts.flags & IS_VERBATIM:
            wanted = set()
        root = {field: root[field] for field in root if field in COMPARED}
        if set(root) != wanted:
            raise whole.fail(wire.BAD_VALUE, position, _mask(wanted), _mask(root))
        if not wanted:
            return
        self.check_number(whole, root["version"], 4, counts.version)
        self.check_number(whole, root["num_rows"], 8, counts.num_rows)
        self.check_vector(whole, root["schema"], [self.schema[index] for index in range(len(self.schema))])
        self.check_vector(whole, root["row_groups"], self.row_groups)
        for index, row_group in enumerate(self.row_groups):
            columns = whole.table("RowGroup", row_group).get("columns")
            if columns is None:
                raise whole.fail(wire.BAD_VALUE, row_group, 1, 0)
            self.check_vector(whole, columns, [positions[index] for positions in self.chunks])
        behind = wire.FLAT_CELL_HEADER_BYTES
        if "kv" in root:
            self.check_vector(
                whole,
                root["kv"],
                [
                    footer.listed_cell(wire.KIND_KEY_VALUE, index).position + behind
                    for index in range(counts.key_values)
                ],
            )
        if "extensions" in root:
            self.check_vector(whole, root["extensions"], self.extensions)
        if "created_by" in root:
            self.check_target(whole, root["created_by"], footer.listed_cell(wire.KIND_ROOT, 0).position + CREATED_BY)

    def seen(self, position: int, length: int) -> None:
        """Mark bytes that are neither in a cell nor padding."""
        self.footer.unseen[position : position + length] = bytes(length)

    def check_padding(self) -> None:
        """Raise an error unless all remaining bytes are padding: zero."""
        unseen = self.footer.unseen
        position = len(unseen) - len(unseen.lstrip(b"\0"))
        if position < len(unseen):
            raise self.reader.fail(wire.BAD_VALUE, position, 0, unseen[position])

    def check_number(self, whole: Cell, at: int, width: int, expected: int) -> None:
        found = int.from_bytes(whole.data[at : at + width], "little", signed=True)
        if found != expected:
            mask = (1 << 8 * width) - 1
            raise whole.fail(wire.BAD_VALUE, at, expected & mask, found & mask)

    def check_target(self, whole: Cell, field: int, expected: int) -> None:
        found = field + whole.u32(field)
        if found != expected:
            raise whole.fail(wire.BAD_VALUE, field, expected, found)

    def check_vector(self, whole: Cell, field: int, targets: list[int]) -> None:
        vector = whole.follow(field)
        if whole.blob_length(vector, 4) != len(targets):
            raise whole.fail(wire.BAD_VALUE, vector, len(targets), whole.u32(vector))
        self.seen(vector, 4 + 4 * len(targets))
        for index, target in enumerate(targets):
            self.check_target(whole, vector + 4 + 4 * index, target)


def _mask(fields) -> int:
    """Return a FileMetaData's fields as bits, by slot."""
    return sum(1 << wire.FLAT_TABLES["FileMetaData"][field][0] for field in fields)
