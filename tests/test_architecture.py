"""The layout of the package follows docs/architecture.md."""

from __future__ import annotations

import ast
import datetime
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pyarrow.parquet
import pytest
from support.selection import is_fast, is_without_fast_tests
from support.systems import needs

import parquetext
from parquetext.cli.app import HIDDEN, PANELS
from parquetext.footer import forms

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "parquetext"
GENERATED = {PACKAGE / "wire.py"}

# From the ground up: a room imports from the rooms before it only.
FLOORS = [
    {"wire"},
    {"records"},
    {"masking"},
    {"errors"},
    {"c_library"},
    {"escaping"},
    {"cells"},
    {"tabular"},
    {"findings"},
    {"nearest"},
    {"unpicklable"},
    {"lazy_names"},
    {"compute"},
    {"windows"},
    {"systems"},
    {"forks"},
    {"libraries"},
    {"private"},
    {"threads"},
    {"storage"},
    {"_native", "_pure"},
    {"kernels"},
    {"thrift"},
    {"block_text"},
    {"extension_blocks"},
    {"extension"},
    {"logical_types"},
    {"encoding"},
    {"pruning"},
    {"footer"},
    {"inspection/structure"},
    {"rewrite"},
    {"indexing"},
    {"sidecar"},
    {"edits"},
    {"inspection/layout"},
    {"reading"},
    {"arrow"},
    {"engines"},
    {"torch"},
    {"catalog"},
    {"inspection/integrity"},
    {"inspection/content"},
    {"inspection"},
    {"spark"},
    {"demo"},
    {"cli"},
    {"__main__"},
]
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}


# The same within the packages reading and arrow, for their folders and the files next to them.
FLOORS_WITHIN = {
    "reading": [{"open_file"}, {"fields"}, {"request"}, {"plan"}, {"choose"}, {"execute"}, {"stages"}, {"explanation"}],
    "arrow": [
        {"read_options", "metadata", "counted_file"},
        {"encrypted_reading"},
        {"file"},
        {"parquet_file", "planned", "flattened"},
        {"writing"},
        {"datasets"},
        {"shaped"},
        {"tables"},
        {"parquet_dataset"},
    ],
}


def room_of(path: Path) -> str:
    first, *rest = path.relative_to(PACKAGE).parts
    if first == "inspection" and len(rest) > 1:
        return f"inspection/{rest[0]}"
    return first.removesuffix(".py").removesuffix(".pyx")


def imported_rooms(path: Path) -> set[str]:
    """Return the packages from which a module imports, at any position in it."""
    package = path.relative_to(PACKAGE).parts[:-1]
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom):
            continue
        module = (node.module or "").split(".") if node.module else []
        if node.level and node.level <= len(package) + 1:
            module = [*package[: len(package) + 1 - node.level], *module]
        elif module[:1] == ["parquetext"]:
            module = module[1:]
        else:
            continue
        for name in node.names:
            full = [*module, name.name]
            rooms.add("/".join(full[:2]) if full[0] == "inspection" else full[0])
    return rooms - {room_of(path)}


def modules() -> list[Path]:
    return [path for path in sorted(PACKAGE.rglob("*.py")) if path != PACKAGE / "__init__.py"]


def modules_within() -> list[Path]:
    return [path for path in modules() if room_of(path) in FLOORS_WITHIN and path.name != "__init__.py"]


def test_imports_go_down_never_up():
    upward = {}
    for path in modules():
        room = room_of(path)
        allowed = {"_native", "_pure"} if room == "kernels" else set()
        if up := {other for other in imported_rooms(path) & FLOOR.keys() if FLOOR[other] > FLOOR[room]} - allowed:
            upward[str(path.relative_to(PACKAGE))] = up
    assert not upward


def test_imports_within_a_room_go_down_never_up():
    upward = {str(path.relative_to(PACKAGE)): up for path in modules_within() if (up := imported_from_above(path))}
    assert not upward


def imported_from_above(path: Path) -> set[str]:
    """Return the parts of its room that are above a module, and from which it imports."""
    room, *here = path.relative_to(PACKAGE).parts
    floors = {part: floor for floor, parts in enumerate(FLOORS_WITHIN[room]) for part in parts}
    part = here[0].removesuffix(".py")
    imported = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == len(here):
            imported |= {node.module.split(".")[0]} if node.module else {alias.name for alias in node.names}
    return {other for other in imported if floors[other] > floors[part]}


def test_every_room_has_its_floor():
    rooms = {room_of(path) for path in modules()}
    assert rooms <= FLOOR.keys(), f"give {sorted(rooms - FLOOR.keys())} a floor"


def test_both_implementations_have_the_same_modules_for_every_kernel():
    from parquetext import kernels

    pure = {path.stem for path in (PACKAGE / "_pure").glob("*.py")}
    native = {path.stem for path in (PACKAGE / "_native").glob("*.pyx")}
    assert set(kernels.MODULES) <= pure
    assert set(kernels.MODULES) <= native


def test_c_includes_go_down_only():
    rooms = ["base", "thrift", "encoding", "page", "arrow", "footer", "flat", "index", "packed", "modular", "sidecar"]
    source = ROOT / "csrc" / "src"
    upward = []
    for path in sorted(source.rglob("*.[ch]")):
        here = rooms.index(path.parent.name)
        for room in re.findall(r'^#include "(\w+)/', path.read_text(encoding="utf-8"), re.MULTILINE):
            if rooms.index(room) > here:
                upward.append(f"{path.relative_to(source)} includes {room}/")
    assert not upward


def test_tables_shared_by_c_and_python_have_not_drifted():
    done = subprocess.run(
        [sys.executable, "csrc/tables/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_files_stay_short():
    sources = [
        *PACKAGE.rglob("*.py"),
        *PACKAGE.rglob("*.pyx"),
        *(ROOT / "csrc" / "src").rglob("*.c"),
        *(ROOT / "tests").rglob("*.py"),
    ]
    lengths = {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8").count("\n") for path in {*sources} - GENERATED
    }
    assert {name: lines for name, lines in lengths.items() if lines > 520} == {}


def test_importing_the_package_imports_no_big_library():
    code = (
        "import sys, parquetext; print([name for name in ('pyarrow', 'rich', 'typer', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_opening_a_file_imports_no_decoder(tmp_path):
    """The first `open` of a process is to take hardly longer than that of pyarrow."""
    pyarrow.parquet.write_table(pyarrow.table({"x": [1]}), tmp_path / "small.parquet")
    code = f"import sys, parquetext; parquetext.open({str(tmp_path / 'small.parquet')!r}); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    slow = ("pyarrow.compute", "pyarrow.parquet", "pyarrow.dataset", "tempfile", "hashlib", "parquetext.encoding")
    rooms = ("parquetext.pruning", "parquetext.reading.execute", "parquetext.footer.dialect.dialect_form")
    assert not {*slow, *rooms} & {*done.stdout.split()}


def test_the_first_rows_in_a_pipe_need_no_library_that_is_slow_to_import(tmp_path):
    """A newer typer imports pydantic; rich and `pyarrow.compute` take 20 and 40 ms."""
    instant = datetime.datetime(2024, 1, 31, 1, 2, 3)
    columns = {"x": [1], "t": [instant], "d": [Decimal("1.5")], "f": pyarrow.array([0.1], pyarrow.float32())}
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "small.parquet")
    code = (
        "import sys, typer; before = {*sys.modules}; from parquetext.cli import main\n"
        "try: main()\n"
        "finally: print(*{*sys.modules} - before, 'pydantic' if 'pydantic' in before else '', file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, "head", tmp_path / "small.parquet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not {"pydantic", "rich", "pyarrow.compute"} & {*done.stderr.split()}
    assert "2024-01-31 01:02:03.000000  1.5  0.1" in done.stdout


def test_help_lists_every_public_name_once_and_separates_those_of_pyarrow():
    ours, drop_in = parquetext.__doc__.split("Drop-in names")
    drop_in, of_pyarrow = drop_in.split("Names of ``pyarrow.parquet`` itself")
    names = [re.findall(r"``(\w+)``", text) for text in (ours, drop_in, of_pyarrow)]
    assert sorted([*names[0], *names[1], *names[2]]) == sorted(parquetext.__all__)
    for name in names[1] + names[2]:
        assert hasattr(pyarrow.parquet, name)
    assert not [name for name in names[0] if hasattr(pyarrow.parquet, name)]


@needs("fork")
def test_every_public_name_is_there_in_a_fresh_interpreter():
    """The names of each module are looked up by a process that has imported nothing else but pyarrow."""
    program = """if True:
        import os, pyarrow, parquetext

        names = {}
        for name in parquetext.__all__:
            names.setdefault(parquetext._HOMES.get(name, name), []).append(name)
        for alike in names.values():
            child = os.fork()
            if not child:
                for name in alike:
                    getattr(parquetext, name)
                os._exit(0)
            status = os.waitpid(child, 0)[1]
            for name in alike:
                print(name, status)"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    statuses = dict(line.split() for line in done.stdout.splitlines())
    assert "catalog" in statuses and {*statuses.values()} == {"0"}, done.stderr


def test_the_architecture_is_read_in_ten_minutes_and_names_every_package_and_form():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = FLOOR.keys() - {"__main__"}
    assert [room for room in rooms if f"{room}/" not in page and f"{room}.py" not in page] == []
    assert sum(bool(re.search(r"\w", word)) for word in page.split()) <= 1200
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    assert [name for name in forms.BY_NAME if f"`{name}`" not in page or f"`{name}`" not in glossary] == []


@pytest.mark.parametrize("name", [name for names in PANELS.values() for each in names.values() for name in each])
def test_the_page_of_commands_describes_each_command(name):
    page = (ROOT / "docs" / "command.md").read_text(encoding="utf-8")
    assert name in HIDDEN or re.search(rf"`{name}\b", page)


# The packages of the extra "dev" and those of parquetext itself.
INSTALLED_BY_DEV = {"pytest", "hypothesis", "parquetext", "pyarrow", "zlib_ng", "typer", "rich"}


def imported_at_once(path: Path) -> set[str]:
    """Return the modules that a file of tests, and the files of tests/support that it uses, import at once."""
    found, left = set(), [path]
    for each in left:
        for node in ast.parse(each.read_text(encoding="utf-8")).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                module = f"support.{node.module}" if node.level else node.module
                names += [f"support.{alias.name}" for alias in node.names] if module == "support" else [module]
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytest_plugins":
                names += ast.literal_eval(node.value)
            for name in names:
                helper = ROOT / "tests" / f"{name.replace('.', '/')}.py"
                if not helper.exists():
                    found.add(name.partition(".")[0])
                elif helper not in left:
                    left.append(helper)
    return found


def collected_by_fast() -> list[Path]:
    """Return the files that `pytest -m fast` imports: the fast tests, and conftest.py of folders that have some."""
    tests = ROOT / "tests"
    fixtures = [path for path in tests.rglob("conftest.py") if not is_without_fast_tests(path.parent)]
    return sorted({*filter(is_fast, tests.rglob("*.py")), *fixtures})


@pytest.mark.parametrize("path", collected_by_fast(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_fast_tests_import_only_what_the_extra_dev_installs(path):
    assert imported_at_once(path) <= INSTALLED_BY_DEV | sys.stdlib_module_names | {"benchmarks"}


@pytest.mark.parametrize("path", sorted(filter(is_fast, (ROOT / "tests").rglob("*.py"))), ids=lambda path: path.name)
def test_fast_tests_that_read_proc_run_on_linux_alone(path):
    """CI runs the fast tests on macOS and Windows, too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and re.search(r"'/proc/\w", ast.unparse(node)):
            assert "needs_proc()" in map(ast.unparse, node.decorator_list), node.name


def test_fast_tests_are_collected_without_the_packages_of_other_tests():
    missing = ("boto3", "duckdb", "fastparquet", "moto", "polars", "pyspark", "torch")
    code = (
        f"import sys, pytest; sys.modules.update(dict.fromkeys({missing}))\n"
        "sys.exit(pytest.main(['-q', '--co', '-m', 'fast', '-p', 'no:cacheprovider']))"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
