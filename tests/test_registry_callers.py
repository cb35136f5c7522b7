"""Code outside of a registry names no entry, and tests no entry's class: it asks for capabilities."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pyarrow.fs
import pytest

import parquetext
from parquetext import storage, wire
from parquetext.footer import forms

PACKAGE = Path(parquetext.__file__).parent

# Literals that are equal to a form's name and mean something else.
OTHER_MEANINGS = {
    ("__init__.py", "arrow"): "the package",
    **{("kernels.py", name): "a kernel module" for name in ("flat", "index", "modular", "packed", "thrift")},
    ("extension.py", "thrift"): "a marker",
    ("cli/choices.py", "arrow"): "a format of schemas",
    ("cli/choices.py", "thrift"): "a marker",
    ("edits/add_page_index.py", "index"): "a verb",
    ("edits/run.py", "index"): "a verb",
    ("inspection/content/schema_text.py", "arrow"): "a format of schemas",
    ("sidecar/plan.py", "index"): "a slot",
}

# Attributes of storage objects that errors, metadata of pyarrow and other objects have, too.
OF_OTHER_OBJECTS = {"file", "is_open", "metadata", "type_name"}


def literals_of(path: Path) -> set[str]:
    """Return the string literals of a module, without docstrings."""
    tree = ast.parse(path.read_text())
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body and is_text(node.body[0])
    }
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings)
    return {node.value for node in nodes if isinstance(node.value, str)}


def is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def test_no_code_outside_the_registry_names_a_footer_form():
    named = {
        (str(path.relative_to(PACKAGE)), name)
        for path in PACKAGE.rglob("*.py")
        if PACKAGE / "footer" / "forms" not in path.parents
        for name in literals_of(path) & forms.BY_NAME.keys()
    }
    assert named - OTHER_MEANINGS.keys() == set()
    assert OTHER_MEANINGS.keys() - named == set()


def test_only_the_registry_uses_the_uuids_and_readers_of_footer_forms():
    uuids = {name for name, value in vars(wire).items() if isinstance(value, UUID) and value in forms.BY_UUID}
    found = set()
    for path in PACKAGE.rglob("*.py"):
        name = str(path.relative_to(PACKAGE))
        if name.startswith(("_pure/", "wire.py", "extension_blocks.py", "footer/forms/", "footer/dialect/")):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute):
                text = ast.unparse(node)
                if node.attr in uuids or text in ("kernels.flat", "kernels.index"):
                    found.add((name, text))
    assert found == set()


def storage_classes() -> set[str]:
    """Return the names of all classes whose objects differ by backend: filesystems, and those of storage/.

    Classes of plain values are not among them.
    """
    trees = (ast.parse(path.read_text()) for path in (PACKAGE / "storage").rglob("*.py"))
    ours = {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    return {*ours, *(name for name in vars(pyarrow.fs) if name.endswith("FileSystem"))} - {"FileSystem", "TailEdit"}


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
    assigned = {
        ast.unparse(node.targets[0]): _named(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple | ast.Name | ast.Attribute)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            arguments = [ast.unparse(each) for each in node.args]
            if node.func.id in ("isinstance", "issubclass"):
                names = _named(node.args[1])
                if names.union(*(assigned.get(name, ()) for name in names)) & classes:
                    yield f"line {node.lineno}: {ast.unparse(node)}"
            has_default = node.func.id == "getattr" and len(arguments) == 3
            tested = attributes - OF_OTHER_OBJECTS if has_default else attributes
            if (has_default or node.func.id == "hasattr") and arguments[1].strip("'") in tested:
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
        "isinstance(folder.filesystem, pafs.LocalFileSystem)",
        "kinds = (str, Target)\nisinstance(source, kinds)",
        "hasattr(source, 'fd')",
        "getattr(target, 'filesystem', None)",
        "hasattr(filesystem, 'handler')",
        "match source:\n    case LocalSource(): pass",
    ],
)
def test_the_check_finds_each_kind_of_class_test(code):
    assert list(class_tests(ast.parse(code), storage_classes(), storage_attributes()))
