"""Our sidecar as a form of the footer: it contains the schema and the chunk metadata that `_pm` lacks."""

from __future__ import annotations

from functools import partial
from operator import attrgetter

from .. import kernels
from ..errors import ColumnError
from ..footer.bloom_filters import BloomFilters
from ..footer.thrift_form import ThriftForm
from ..pruning import Probe
from ..pruning.bloom import may_contain
from .plan import Plan
from .slices import CODE, schema_footer


class SidecarFilters(BloomFilters):
    """`BloomFilters` of a plan: filters in the sidecar need no read of the file."""

    def __init__(self, plan, *parts):
        super().__init__(*parts)
        self._plan = plan

    def _question(self, probe: Probe, hashes: list[int]):
        column = self._column(probe.comparison.column)
        if column is None:
            return None
        kind, offset, length = self._plan.bloom(probe.row_group, column[0])
        if kind == "inline":
            bitset = memoryview(self._plan.reader.data)[offset : offset + length]
            return partial(may_contain, bitset, hashes)
        return super()._question(probe, hashes) if kind == "external" else None

    def _has_filters(self, leaf: int) -> bool:
        return leaf in self._plan.reader.bloom_columns


class SidecarForm(ThriftForm):
    """A plan with the interface of `footer.model.FooterReader`, for reading data by slices."""

    __slots__ = ("_plan", "_slices")

    def __init__(self, plan: Plan, note: bytes):
        self._plan, self._slices = plan, kernels.sidecar.Slices(plan.reader, note)
        schema = self._slices.schema
        if self._slices.key_value_count:
            scan = kernels.scan.scan(schema)
            own = bytes(memoryview(schema)[slice(*_range(scan))]) if scan.key_value_count else b""
            schema = schema_footer(
                scan, scan.key_value_count + self._slices.key_value_count, own + self._slices.key_values
            )
        super().__init__(schema)

    @classmethod
    def of(cls, plan: Plan) -> SidecarForm | None:
        """Return the form, or None if the sidecar has no note for slices.

        Raises
        ------
        Damaged, Malformed
            If the note cannot be read.
        """
        note = plan.reader.scratchpad.get(CODE)
        return None if note is None else cls(plan, note)

    num_rows = property(attrgetter("_plan.num_rows"))
    row_group_count = property(attrgetter("_plan.num_row_groups"))

    def column(self, leaf: int, first: int = 0, count: int | None = None):
        chunks = self._slices.column(self._scan, leaf)
        return chunks if self._plan.has_bounds(leaf) else _WithoutBounds(chunks)

    def row_groups(self, name: str) -> memoryview:
        if name != "num_rows":
            raise ColumnError(f"a sidecar does not contain {name} of row groups")
        return self._plan.row_counts

    def slice(self, leaves, row_groups, *, arrow_schema: bool = True, key_values: bool = False) -> bytes:
        return self._slices.slice(self._scan, leaves, row_groups, arrow_schema=arrow_schema, key_values=key_values)


class _WithoutBounds:
    """Chunks whose bounds may be those of other values."""

    def __init__(self, chunks):
        self._chunks, self.array = chunks, chunks.array

    def __len__(self) -> int:
        return len(self._chunks)

    def bound_values(self, bit: int) -> list[None]:
        return [None] * len(self._chunks)

    def bounds(self) -> tuple[bytes, memoryview, memoryview, memoryview, memoryview]:
        """Return the arrays of chunks without bounds: presence flags and four arrays, all zeros."""
        count = len(self._chunks)
        zeros = memoryview(bytes(4 * count)).cast("I")
        return bytes(count), zeros, zeros, zeros, zeros


def _range(scan) -> tuple[int, int]:
    """Return the start and the end of the key-values."""
    at, size = scan.key_values("bytes_offset"), scan.key_values("bytes_length")
    return at[0], at[-1] + size[-1]
