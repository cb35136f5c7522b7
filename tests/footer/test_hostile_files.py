"""Files whose footers were damaged at will: an answer or an error of this package, and nothing else."""

from __future__ import annotations

import contextlib

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.flat_files import with_flat_footer, with_index
from support.parquet_bytes import footer_of, parquet_bytes, with_footer
from support.samples import examples

import parquetext
from parquetext import edits, footer
from parquetext.errors import ParquetextError
from parquetext.inspection.integrity.inspection import inspect

PLAIN = parquet_bytes(
    pa.table(
        {
            "a": pa.array([1, None, 3], pa.int32()),
            "s": [{"x": 1.5, "y": "text"}] * 3,
            "l": [[1], [], None],
        }
    ),
    row_group_size=2,
)
FILES = {"thrift": PLAIN, "flat": with_flat_footer(PLAIN), "index": with_index(PLAIN), "after-stop": None}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    path = folder / "x.parquet"
    path.write_bytes(PLAIN)
    edits.upgrade(path, placement="after-stop", form="flat")
    FILES["after-stop"] = path.read_bytes()
    return folder


def ask_everything(path: str) -> None:
    for work in (
        lambda: parquetext.verify(path),
        lambda: inspect(path),
        lambda: edits.upgrade(path, "flat", dry_run=True),
        lambda: edits.strip(path, dry_run=True),
        lambda: footer.scan(path),
        lambda: look(path),
    ):
        try:
            work()
        except ParquetextError as error:
            assert str(error)


def look(path: str) -> None:
    with parquetext.open(path) as file:
        for column in file.columns():
            assert len(column.null_count) == len(column.min) == len(file.row_groups)
        file.to_arrow()
        assert isinstance(file.key_values, dict)
        with contextlib.suppress(pa.ArrowException, OSError):  # pyarrow's own, of bytes that no checksum covers
            assert isinstance(file.schema, pa.Schema)
        file.column(field_id=1)


@settings(max_examples=examples(80), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
@pytest.mark.parametrize("kind", list(FILES))
def test_any_damage_to_a_footer_gives_answers_or_errors_of_this_package(implementation, folder, kind, data):
    original = footer_of(FILES[kind])
    damaged = bytearray(original)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        damaged[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    path = folder / f"{kind}-{implementation}.parquet"
    path.write_bytes(with_footer(FILES[kind], bytes(damaged)))
    ask_everything(str(path))


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200), st.sampled_from([b"PAR1", b"PARE", b"PAR3", b""]))
def test_any_bytes_do(implementation, folder, content, magic):
    path = folder / f"any-{implementation}.parquet"
    path.write_bytes(content + magic)
    ask_everything(str(path))
