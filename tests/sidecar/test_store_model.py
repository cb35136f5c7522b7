"""Any sequence of operations on a store: every snapshot reads the rows that were committed when it was opened."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from support.killing import Killed, Killing, Unflushed
from support.samples import examples
from support.twins import both

from parquetext import kernels, sidecar

SCHEMA = pa.schema({"number": pa.int64(), "text": pa.string()})
ROWS = st.lists(st.tuples(st.none() | st.integers(-5, 5), st.none() | st.text(max_size=12)), min_size=1, max_size=4)


def table(rows: list[tuple]) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in rows], SCHEMA)


class Stores(RuleBasedStateMachine):
    """The same is done with both implementations; the model is a list of row groups."""

    @initialize(rows=ROWS)
    def create(self, rows):
        both("sidecar")
        self.implementation = kernels.implementation()
        self.folder = Path(tempfile.mkdtemp())
        self.groups, self.held = [], []
        self.do(lambda store: store.append(table(rows)))
        self.groups.append(rows)

    def do(self, change, operations=Unflushed):
        """Run the operation on both stores, and return the error if it was killed."""
        killed = set()
        for name in ("native", "pure"):
            kernels.use(name)
            try:
                change(sidecar.Store(self.folder / name, operations=operations()))
            except Killed:
                killed.add(name)
        kernels.use(self.implementation)
        assert len(killed) in (0, 2)
        return bool(killed)

    @rule(rows=ROWS)
    def append(self, rows):
        self.do(lambda store: store.append(table(rows)))
        self.groups.append(rows)

    @rule(rows=ROWS, data=st.data())
    def replace(self, rows, data):
        at = data.draw(st.integers(0, len(self.groups) - 1))
        self.do(lambda store: store.replace(at, table(rows)))
        self.groups[at] = rows

    @rule(rows=ROWS, at=st.integers(0, 5), torn=st.booleans())
    def roll_back(self, rows, at, torn):
        """A writer dies before its token: its commit is none."""
        assert self.do(lambda store: store.append(table(rows)), lambda: Killing(at, torn=torn))

    @rule()
    def compact(self):
        self.do(lambda store: store.compact(always=True))

    @rule()
    def recover(self):
        self.do(lambda store: store.recover())
        for name in ("native", "pure"):
            assert pq.read_table(self.folder / name, use_threads=False).equals(self.expected())

    @rule()
    def release(self):
        self.do(lambda store: store.release())

    @precondition(lambda self: len(self.held) < 3)
    @rule()
    def hold(self):
        snapshots = [sidecar.Store(self.folder / name).snapshot() for name in ("native", "pure")]
        self.held.append((snapshots, self.expected()))

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def let_go(self, data):
        self.close(*self.held.pop(data.draw(st.integers(0, len(self.held) - 1)))[0])

    @staticmethod
    def close(*snapshots):
        for snapshot in snapshots:
            snapshot.close()

    def expected(self) -> pa.Table:
        return pa.concat_tables([table(rows) for rows in self.groups])

    @invariant()
    def every_snapshot_reads(self):
        for name in ("native", "pure"):
            with sidecar.Store(self.folder / name).snapshot() as snapshot:
                assert snapshot.read().equals(self.expected())
                assert list(snapshot.row_counts) == [len(rows) for rows in self.groups]
        for snapshots, rows in self.held:
            for snapshot in snapshots:
                assert snapshot.read().equals(rows)

    @invariant()
    def both_wrote_the_same_bytes(self):
        files = [
            {
                path.relative_to(self.folder / name): path.read_bytes()
                for path in (self.folder / name).rglob("*")
                if path.is_file()
            }
            for name in ("native", "pure")
        ]
        assert files[0] == files[1]

    def teardown(self):
        for snapshots, _ in self.held:
            self.close(*snapshots)
        shutil.rmtree(self.folder)


Stores.TestCase.settings = settings(max_examples=examples(12), stateful_step_count=12, deadline=None)
TestStores = Stores.TestCase
