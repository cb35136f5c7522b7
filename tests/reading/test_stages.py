"""A read goes through the stages in order, and only the last stage calls decoders."""

from __future__ import annotations

import ast
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.reading.choose.choice import choose
from parquetext.reading.plan.read_plan import plan_file
from parquetext.reading.request.read_request import ReadOptions

PACKAGE = Path(parquetext.__file__).parent
# The entry points of decoders, with the only modules that call them.
ENTRY_POINTS = {
    "Arrays": {"reading/choose/choice.py"},  # of short chunks: their number is known before the first one is read
    "Decoder": {"reading/execute/native_reading.py", "inspection/integrity/deep.py"},  # which compares both decoders
    "ParquetReader": {"reading/execute/pyarrow_reading.py", "footer/pyarrow_footer.py"},  # for the schema alone
    "PyarrowReader": {"reading/execute/pyarrow_reading.py", "reading/execute/batches.py"},
    "open_decoder": {"reading/execute/native_reading.py", "reading/execute/execution.py"},
    "native_batches": {"reading/execute/batches.py", "reading/execute/execution.py"},
    "read_batches": {"reading/execute/execution.py"},
    "read_part": {"reading/execute/execution.py"},
    "Execution": {"reading/execute/execution.py"},
    "execute": {"reading/stages.py", "reading/execute/execution.py"},
    "execute_batches": {"reading/stages.py"},
}


def called(path: Path) -> set[str]:
    """The last names of all calls in a module."""
    functions = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    return {each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "") for each in functions}


def test_only_the_executor_calls_decoders():
    for path in sorted(PACKAGE.rglob("*.py")):
        name = str(path.relative_to(PACKAGE))
        if name.startswith(("_pure/", "_native/")):
            continue
        for entry_point in called(path) & ENTRY_POINTS.keys():
            assert name in ENTRY_POINTS[entry_point], f"{name} calls {entry_point}"


@pytest.fixture
def source(tmp_path):
    pq.write_table(pa.table({"a": range(100), "b": range(100)}), tmp_path / "x.parquet", row_group_size=10)
    with parquetext.open(tmp_path / "x.parquet") as file:
        yield file


def test_each_stage_is_a_frozen_value_with_a_readable_repr(source):
    plan = plan_file(source, ["a"], [3, 4], [("b", ">=", 41)], ReadOptions())
    request, (choice,) = plan.request, choose(plan, source)
    assert request.leaves == [0] and list(request.row_groups) == [3, 4]
    assert request.predicate_fields == {"b": range(1, 2)}
    assert list(plan.part.row_groups) == [4] and plan.extra == 1
    assert "row_groups=[3, 4]" in repr(request) and "1 row groups, 10 rows" in repr(plan)
    assert choice.reason in repr(choice)
    for value, name in ((request, "leaves"), (plan, "part"), (plan.part, "rows"), (choice, "decoder")):
        with pytest.raises(AttributeError):
            setattr(value, name, None)
