"""The registry of storage backends: one more backend, and no class tests outside of storage/."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from support.dict_backend import DictBackend, registered

import parquetext
from parquetext import sidecar, storage
from parquetext.errors import Conflict, Refused

PACKAGE = Path(parquetext.__file__).parent
TABLE = pa.table({"id": pa.array(range(3000)), "price": [n / 7 for n in range(3000)]})
URL = "dict://lake/day=1/x.parquet"
KEY = "lake/day=1/x.parquet"


@pytest.fixture
def backend() -> Iterator[DictBackend]:
    with registered() as added:
        yield added


@pytest.fixture
def original(backend) -> bytes:
    """A file in the dict."""
    sink = pa.BufferOutputStream()
    pq.write_table(TABLE, sink, row_group_size=1000)
    data = sink.getvalue().to_pybytes()
    backend.files[KEY] = -1, data
    return data


def test_a_file_in_a_dict_opens_and_reads(original):
    with parquetext.open(URL) as file:
        assert (file.form, file.num_rows) == ("thrift", 3000)
        assert [bound.as_py() for bound in file.column("id").max] == [999, 1999, 2999]
    assert parquetext.read_table(URL, columns=["price"]).equals(TABLE.select(["price"]))
    assert parquetext.verify(URL, deep=True).ok


@pytest.mark.parametrize("form", ["flat", "index"])
def test_a_file_in_a_dict_is_upgraded_and_stripped(backend, original, form):
    parquetext.upgrade(URL, form=form)
    assert list(backend.files) == [KEY]
    assert backend.files[KEY][1] != original
    with parquetext.open(URL) as file:
        assert file.form == form
        assert file.read().equals(TABLE)
    parquetext.strip(URL)
    assert backend.files == {KEY: (backend.files[KEY][0], original)}


def test_a_dataset_in_a_dict_is_written_listed_and_filtered(backend, original):
    parquetext.write_table(TABLE.slice(0, 10), "dict://lake/day=2/y.parquet")
    found = parquetext.dataset("dict://lake").to_table(filter=pc.field("id") < 5)
    assert sorted(found["day"].to_pylist()) == [1] * 5 + [2] * 5
    assert parquetext.read_table("dict://lake", filters=[("day", "=", 2)]).num_rows == 10


def test_a_sidecar_in_a_dict_is_built_opened_and_removed(backend, original):
    sidecar.build(URL)
    places = [place for place in sidecar.candidates(URL) if sidecar.exists(place)]
    assert [place.path for place in places] == sorted(backend.files.keys() - {KEY})
    with sidecar.open(URL) as plan:
        assert plan.num_row_groups == 3
    parquetext.upgrade(URL, form="flat")
    assert parquetext.read_table("dict://lake", filters=[("id", ">", 2990)]).num_rows == 9
    del backend.files[KEY]
    assert [each.path for each in sidecar.prune("dict://lake")]
    assert backend.files == {}


def test_a_missing_capability_is_refused_by_name(original):
    target = storage.resolve(URL)
    assert not target.can(storage.Capability.EDIT_IN_PLACE)
    with pytest.raises(Refused, match="in place"):
        parquetext.upgrade(URL, form="flat", in_place=True)
    with pytest.raises(Refused, match="times"):
        parquetext.upgrade(URL, form="flat", keep_mtime=True)


def test_a_change_by_another_writer_wins(backend, original):
    with storage.change(URL) as change:
        backend.files[KEY] = -2, original[:-1]
        with pytest.raises(Conflict):
            change.commit(storage.TailEdit(len(original), b"x"))
    assert backend.files == {KEY: (-2, original[:-1])}


def test_a_file_that_does_not_exist_is_not_found(backend):
    with pytest.raises(FileNotFoundError):
        parquetext.open(URL)


# ---- callers ask for capabilities


def storage_classes() -> set[str]:
    """Return the names of all classes in storage/ whose objects differ by backend: not those of plain values."""
    trees = (ast.parse(path.read_text()) for path in (PACKAGE / "storage").rglob("*.py"))
    return {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)} - {"TailEdit"}


def storage_attributes() -> set[str]:
    """The names of public attributes that only storage objects have: those of Python's files are not among them."""
    kinds = (storage.Target, storage.OpenTarget, storage.BatchedSource, storage.LocalSource, storage.Backend)
    names = {name for kind in kinds for name, _ in inspect.getmembers(kind)} | {"filesystem", "handler", "type_name"}
    return {name for name in names if not name.startswith("_")} - {
        "close",
        "hold",
        "name",
        "open",
        "path",
        "read",
        "size",
    }


def class_tests(tree: ast.AST, classes: set[str], attributes: set[str]) -> Iterator[str]:
    """Yield each test of a storage object's class, or of its attributes by name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            arguments = [ast.unparse(each) for each in node.args]
            if node.func.id in ("isinstance", "issubclass") and _named(node.args[1]) & classes:
                yield f"line {node.lineno}: {ast.unparse(node)}"
            if node.func.id == "hasattr" and arguments[1].strip("'") in attributes:
                yield f"line {node.lineno}: {ast.unparse(node)}"
        elif isinstance(node, ast.Compare) and any(_is_type(each) for each in (node.left, *node.comparators)):
            if classes & set().union(*(_named(each) for each in node.comparators)):
                yield f"line {node.lineno}: {ast.unparse(node)}"
        elif isinstance(node, ast.MatchClass) and _named(node.cls) & classes:
            yield f"line {node.lineno}: {ast.unparse(node)}"


def _named(node: ast.AST) -> set[str]:
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return names | {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}


def _is_type(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type"


def test_storage_objects_are_asked_for_capabilities_not_for_classes():
    kinds = storage_classes(), storage_attributes()
    outside = (path for path in sorted(PACKAGE.rglob("*.py")) if PACKAGE / "storage" not in path.parents)
    found = {str(path): list(class_tests(ast.parse(path.read_text()), *kinds)) for path in outside}
    assert not {path: tests for path, tests in found.items() if tests}, "use storage.capabilities or Target.can"


@pytest.mark.parametrize(
    "code",
    [
        "isinstance(source, LocalSource)",
        "isinstance(source, (storage.RemoteSource, int))",
        "type(target) is Target",
        "hasattr(source, 'fd')",
        "hasattr(filesystem, 'handler')",
        "match source:\n    case LocalSource(): pass",
    ],
)
def test_the_check_finds_each_kind_of_class_test(code):
    assert list(class_tests(ast.parse(code), storage_classes(), storage_attributes()))
