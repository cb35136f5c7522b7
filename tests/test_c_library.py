"""The C library as other programs embed it: its exported functions, and the example program on real files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.embedding import CSRC, declarations, made
from support.wide_files import write_forms

from parquetext.footer.locate import read_tail
from parquetext.storage import open_source

pytestmark = [
    pytest.mark.skipif(
        not (shutil.which("make") and shutil.which("cc") and shutil.which("nm")), reason="needs make, cc and nm"
    ),
    pytest.mark.slow,
]


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    return made(tmp_path_factory)


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return pa.table(
        {
            "id": pa.array(range(10), pa.int64()),
            "place": pa.array([{"x": n / 2, "name": f"p{n}"} for n in range(10)]),
            "sparse": pa.array([n if n % 3 else None for n in range(10)], pa.int32()),
        }
    )


def test_the_shared_library_exports_exactly_the_declared_functions(built):
    listing = subprocess.run(
        ["nm", "-D", "--defined-only", built / "libparquetext.so"], check=True, capture_output=True, text=True
    )
    assert {line.split()[-1] for line in listing.stdout.splitlines()} == declarations().keys()


def test_the_public_header_is_small_and_its_functions_have_at_most_six_parameters():
    functions = declarations()
    assert 25 <= len(functions) <= 40
    assert {name: len(parameters) for name, parameters in functions.items() if len(parameters) > 6} == {}


def test_the_library_has_the_version_of_the_package():
    import parquetext

    assert f'#define PQX_VERSION "{parquetext.__version__}"\n' in (CSRC / "include/parquetext.h").read_text()


@pytest.mark.skipif(not shutil.which("abidiff"), reason="needs abidiff")
@pytest.mark.usefixtures("long")
def test_an_incompatible_change_needs_a_new_abi_version(tmp_path):
    copy = tmp_path / "csrc"
    shutil.copytree(CSRC, copy, ignore=shutil.ignore_patterns("build", "tests", "fuzz", "examples"))
    check = ["./abi.sh"]
    environment = os.environ | {"BUILD": str(tmp_path / "build")}
    assert subprocess.run(check, cwd=copy, env=environment, capture_output=True).returncode == 0
    header = copy / "include/parquetext.h"
    header.write_text(header.read_text().replace("    int32_t code;", "    int64_t code;"))
    changed = subprocess.run(check, cwd=copy, env=environment, capture_output=True, text=True)
    assert changed.returncode != 0 and "pqx_error" in changed.stdout


def placement(built: Path, path: Path, column: str) -> list[list[int]]:
    result = subprocess.run([built / "placement", path, column], check=True, capture_output=True, text=True)
    return [[int(word) for word in line.split()] for line in result.stdout.splitlines()[1:]]


def by_pyarrow(path: Path, column: str) -> list[list[int]]:
    metadata = pq.read_metadata(path)
    rows = []
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        chunk = next(c for c in map(group.column, range(group.num_columns)) if c.path_in_schema == column)
        dictionary = -1 if chunk.dictionary_page_offset is None else chunk.dictionary_page_offset
        rows.append([number, chunk.data_page_offset, dictionary, chunk.total_compressed_size, chunk.num_values,
                     chunk.statistics.null_count])  # fmt: skip
    return rows


@pytest.mark.parametrize("column", ["id", "place.x", "place.name", "sparse"])
def test_the_example_finds_a_column_by_the_thrift_footer(built, table, tmp_path, column):
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=4)
    assert placement(built, tmp_path / "t.parquet", column) == by_pyarrow(tmp_path / "t.parquet", column)


@pytest.mark.parametrize("column", ["id", "place.x", "place.name", "sparse"])
def test_the_example_finds_a_column_by_the_footer_index(built, table, tmp_path, column):
    import parquetext

    path = tmp_path / "t.parquet"
    pq.write_table(table, path, row_group_size=4)
    parquetext.upgrade(path, form="index")
    assert placement(built, path, column) == by_pyarrow(path, column)


@pytest.mark.parametrize("column", ["id", "place.x", "place.name", "sparse"])
@pytest.mark.parametrize("where", ["aside", "in-struct", "after-stop"])
def test_the_example_finds_a_column_by_the_flat_footer(built, table, tmp_path, column, where):
    import parquetext

    path = tmp_path / "t.parquet"
    pq.write_table(table, path, row_group_size=4)
    parquetext.upgrade(path, form="flat", placement=where)
    thrift = by_pyarrow(path, column)
    assert placement(built, path, column) == thrift
    parquetext.finalize(path, confirm=True)
    assert placement(built, path, column) == thrift


def test_the_example_prints_the_error(built, table, tmp_path):
    pq.write_table(table, tmp_path / "t.parquet")
    (tmp_path / "other").write_bytes(bytes(100))
    for path, column, message in (
        ("t.parquet", "nowhere", "no such leaf"),
        ("t.parquet", "place", "no such leaf"),
        ("other", "id", "not a Parquet file"),
    ):
        result = subprocess.run([built / "placement", tmp_path / path, column], capture_output=True, text=True)
        assert result.returncode == 1
        assert message in result.stderr


def values(built: Path, path: Path, leaf: int) -> subprocess.CompletedProcess:
    return subprocess.run([built / "values", path, str(leaf)], capture_output=True, text=True)


@pytest.mark.parametrize("options", [{}, {"use_dictionary": False, "data_page_version": "2.0", "data_page_size": 64}])
def test_the_example_decodes_files_of_pyarrow(built, table, tmp_path, options):
    texts = pa.array([None if n == 4 else f"text {n % 3}" for n in range(10)])
    table = table.append_column("texts", texts)
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=4, compression="none", **options)
    columns = [table["id"], table["place"].combine_chunks().field("x"), table["place"].combine_chunks().field("name")]
    for leaf, column in enumerate([*columns, table["sparse"], texts]):
        printed = values(built, tmp_path / "t.parquet", leaf).stdout.splitlines()
        expected = ["null" if value is None else value for value in column.to_pylist()]
        assert [type(value)(text) for text, value in zip(printed, expected, strict=True)] == expected


def test_the_example_prints_the_position_of_damaged_values(built, table, tmp_path):
    pq.write_table(table, tmp_path / "t.parquet", compression="none", use_dictionary=False)
    chunk = pq.read_metadata(tmp_path / "t.parquet").row_group(0).column(0)
    data = bytearray((tmp_path / "t.parquet").read_bytes())
    data[chunk.data_page_offset + 1] = 0xFF  # a size in the page's header
    (tmp_path / "t.parquet").write_bytes(data)
    done = values(built, tmp_path / "t.parquet", 0)
    assert done.returncode == 1 and f"(offset {chunk.data_page_offset}" in done.stderr


@pytest.fixture(scope="module")
def wide(tmp_path_factory) -> dict[str, Path]:
    return write_forms(tmp_path_factory.mktemp("wide"))


@pytest.mark.parametrize("form", ["flat", "index", "par3"])
def test_no_flipped_bit_of_the_last_64_kib_makes_a_wrong_answer(built, wide, form, request):
    """Bytes after the payload, which C does not read, are flipped in tests/footer/test_damage.py.

    Without --long every seventh bit is flipped.
    """
    step = 1 if request.config.getoption("--long") else 7
    program, span = built / "flips", 1 << 16
    if not program.exists():
        sources = CSRC / "tests/flips.c", built / "libparquetext.a", f"-I{CSRC / 'include'}"
        subprocess.run(["cc", "-std=c11", "-O1", *sources, "-o", program], check=True)
    with open_source(str(wide[form])) as source:
        tail = read_tail(source)
    block = tail.blocks[0]
    positions = tail.footer_offset, block.payload, block.length, span, step
    done = subprocess.run(
        [program, "index" if form == "index" else "flat", wide[form], *map(str, positions)],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    same, errors, unread = map(int, done.stdout.split())
    flipped = range(8 * (tail.file_size - span), 8 * (block.payload + block.length))
    assert same + errors + unread == sum(bit % step == 0 for bit in flipped)
    assert errors > 0.99 * (same + errors + unread)


def test_the_fuzz_targets_have_footers_to_start_from_without_a_corpus(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "PARQUETEXT_CORPUS"}
    footers, chunks = tmp_path / "footers", tmp_path / "chunks"
    subprocess.run([sys.executable, CSRC / "fuzz/seeds.py", footers, chunks], check=True, env=environment)
    assert len(list(footers.iterdir())) >= 10 and len(list(chunks.iterdir())) == 6
