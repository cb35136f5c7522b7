"""A read goes through the stages in order, and only the last stage calls decoders."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.reading.choose.choice import choose
from parquetext.reading.request.read_request import ReadOptions
from parquetext.reading.stages import plan_file

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
    "matching_rows": {"reading/execute/execution.py"},
    "picked_rows": {"reading/execute/execution.py"},
    "ShortChunks.read": {"reading/execute/execution.py"},
    "Copies": {"reading/execute/native_reading.py"},
    "SteadyReader": {"reading/execute/decoder.py"},
    "pq.ParquetFile": {
        "inspection/integrity/deep.py",
        "sidecar/append_blocks.py",  # bounds of a column without statistics
        "sidecar/store_snapshot.py",  # by the footer of a commit, which is not at the end of the file
        "demo/readers.py",
        "demo/wide_table.py",
    },
    "pq.read_table": {
        "arrow/encrypted_reading.py",  # the footer is encrypted, too
        "spark/results.py",  # files that jobs have written
    },
    "Execution": {"reading/execute/execution.py"},
    "execute": {"reading/stages.py", "reading/execute/execution.py"},
    "execute_batches": {"reading/stages.py"},
}


STAGES = ["resolve", "plan_read", "choose", "execute"]


def called(path: Path) -> set[str]:
    """Return the names of all functions that a module calls, with and without the object they are called on."""
    calls = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
    names = {ast.unparse(node.func) for node in calls}
    return names | {name.rpartition(".")[2] for name in names}


def test_only_the_executor_calls_decoders():
    callers: dict[str, set[str]] = {name: set() for name in ENTRY_POINTS}
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.relative_to(PACKAGE).as_posix()
        if not module.startswith(("_pure/", "_native/")):
            for name in called(path) & ENTRY_POINTS.keys():
                callers[name].add(module)
    assert callers == ENTRY_POINTS


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


def contains(value: object, name: str, depth: int = 3) -> bool:
    """Return True if an argument is this very string, or a collection or a named tuple that contains it."""
    if value is name or not depth:
        return value is name
    if isinstance(value, dict):
        value = [*value.values()]
    return isinstance(value, list | tuple | set) and any(contains(each, name, depth - 1) for each in value)


@pytest.mark.parametrize("filters", [None, [("b", ">", 50)]])
def test_a_read_runs_the_stages_in_order_and_its_columns_enter_no_file_more_than_three_times(tmp_path, filters):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"a_column": range(100), "b": range(100)}), path, row_group_size=10)
    name = "".join(["a_", "column"])  # an object of its own
    parquetext.read_table(path, [name], filters=filters)  # imports modules
    entered: Counter[str] = Counter()
    stages: dict[str, None] = {}

    def profile(frame, event, _argument):
        file, code = frame.f_code.co_filename, frame.f_code
        if event == "call" and file.startswith(str(PACKAGE)) and frame.f_back.f_code.co_filename != file:
            if code.co_name in STAGES:
                stages.setdefault(code.co_name)
            arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            entered[file] += any(contains(frame.f_locals[each], name) for each in arguments if each in frame.f_locals)

    sys.setprofile(profile)
    try:
        table = parquetext.read_table(path, [name], filters=filters)
    finally:
        sys.setprofile(None)
    assert table.column_names == ["a_column"]
    assert [*stages] == STAGES
    assert entered[str(PACKAGE / "reading/request/read_request.py")] >= 1
    assert {file: count for file, count in entered.items() if count > 3} == {}
