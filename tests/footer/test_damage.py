"""No flipped bit in a file's tail gives a wrong answer: the same results, or a finding with them, or an error."""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.chunk_members import COUNTS, INDEXES, SIZES
from support.flat_files import with_flat_footer, with_index, write_with_flat_footer
from support.wide_files import write_forms

import parquetext
from parquetext import kernels, systems, wire
from parquetext.errors import ParquetextError
from parquetext.footer.model import GROUP
from parquetext.footer.names import as_path
from parquetext.footer.pyarrow_footer import schema_of
from parquetext.footer.row_groups import RowGroup
from parquetext.inspection.integrity.inspection import inspect

TAIL, END = 4096, 28 + 1 + 8
FACTS = (*SIZES, *COUNTS, *INDEXES, "codec", "encodings")
EXACTNESS = wire.PRESENT_MIN_EXACT_SET | wire.PRESENT_MIN_EXACT | wire.PRESENT_MAX_EXACT_SET | wire.PRESENT_MAX_EXACT
VALUES_EVERY = 61  # flips between two that also compare values
TWIN_EVERY = 211


@pytest.fixture(scope="module", params=["aside", "in-struct"])
def path(tmp_path_factory, request) -> str:
    """A file whose flat footer is larger than the tail: leaves of several types, a struct, a list, key-values."""
    folder = tmp_path_factory.mktemp("damage")
    rows = [
        {
            **{f"number_{n}": n * i for n in range(3)},
            **{f"text_{n}": f"{n} times {i}" for n in range(2)},
            "place": {"x": i / 3, "y": None},
            "tags": ["a", str(i)],
        }
        for i in range(9)
    ]
    table = pa.Table.from_pylist(rows).replace_schema_metadata({"owner": "somebody", "empty": ""})
    pq.write_table(table, folder / "plain.parquet", row_group_size=3, write_page_index=True)
    path = write_with_flat_footer(folder / "plain.parquet", folder / "flat.parquet", request.param)
    assert os.path.getsize(path) - os.path.getsize(folder / "plain.parquet") > TAIL
    return path


@pytest.fixture(scope="module")
def wide(tmp_path_factory) -> dict[str, str]:
    """One file in each form, whose footers are larger than 64 KiB."""
    folder = tmp_path_factory.mktemp("wide")
    return {form: str(path) for form, path in write_forms(folder).items()}


def test_another_version_of_the_layout_is_a_finding_and_the_thrift_footer_is_read(path, tmp_path, implementation):
    data = bytearray(with_flat_footer((Path(path).parent / "plain.parquet").read_bytes()))
    record = len(data) - END - 32
    length = int.from_bytes(data[record + 24 : record + 28], "little")
    data[record + 16] = 2
    checked = bytes(data[record + 32 - length : record + 28])
    data[record + 28 : record + 32] = zlib.crc32(checked).to_bytes(4, "little")
    later = tmp_path / "later.parquet"
    later.write_bytes(data)
    with parquetext.open(later) as file, parquetext.open(path) as known:
        assert (known.form, file.form) == ("flat", "thrift")
        assert [finding.offset for finding in file.findings] == [record + 16]
        assert "unknown layout" in file.findings[0].message
        assert list(file.column("text_1").null_count) == list(known.column("text_1").null_count)


class Look:
    """Everything that the footer says, from a fresh open; then the findings, and the form in use at the end."""

    schemas: ClassVar[dict[bytes, pa.Schema]] = {}

    def __init__(self, path: str, *, values: bool):
        with parquetext.open(path) as file:
            columns = file.columns()
            ids = [*range(file.num_columns), *(GROUP | node for node in range(file._form.node_count))]
            nodes = file._on_form(
                lambda form: [
                    (
                        node.thrift,
                        node.path,
                        node.parent,
                        node.schema_index,
                        node.first_leaf,
                        node.leaf_count,
                        node.max_definition,
                        node.max_repetition,
                    )
                    for node in map(form.node, ids)
                ]
            )
            self.facts = {
                "columns": [[bytes(column.chunks.array(fact)) for fact in FACTS] for column in columns],
                "exactness": [[present & EXACTNESS for present in column.present] for column in columns],
                "bounds": [(column.min_bytes.to_list(), column.max_bytes.to_list()) for column in columns],
                "nodes": nodes,
                "by name": [file.column(as_path(node[1])).leaf for node in nodes[: file.num_columns]],
                "rows": file.num_rows,
                "version": file.version,
                "created by": file.created_by,
                "schema": file.schema if values else self.schema(file),
                "key-values": file.key_values,
                "row groups": [bytes(getattr(file.row_groups, fact)) for fact in RowGroup._fields],
                "values": file.read() if values else None,
            }
            self.findings, self.form = list(file.findings), file.form

    @classmethod
    def schema(cls, file) -> pa.Schema:
        """The schema without its metadata; made once for equal slices."""
        footer = file._on_form(lambda form: form.slice(range(form.leaf_count), []))
        if footer not in cls.schemas:
            cls.schemas[footer] = schema_of(footer)
        return cls.schemas[footer]


def check_flip(path: str, file, position: int, bit: int, original: int, sound: tuple[dict, dict], number: int) -> str:
    """Flip one bit, read everything, restore the bit, and return the outcome."""
    values = number % VALUES_EVERY == 0
    systems.pwrite(file, bytes([original ^ 1 << bit]), position)
    try:
        seen = Look(path, values=values)
    except ParquetextError as error:
        assert str(error)
        return "error"
    finally:
        systems.pwrite(file, bytes([original]), position)
    assert seen.facts == sound[values], f"byte {position}, bit {bit}: wrong answer, findings {seen.findings}"
    if seen.form in ("flat", "index", "par3") and not seen.findings:
        return "identical"
    assert seen.findings, f"byte {position}, bit {bit}: {seen.form} in silence"
    return "reported"


def flips(step: int, length: int = TAIL) -> list[int]:
    """Every `step`-th bit of the tail, and all those of the trailer and the end, or many of them."""
    return sorted({*range(0, 8 * length, step), *range(8 * (length - END), 8 * length, 1 + step // 1000)})


def flip_all(path: str, step: int, length: int = TAIL) -> dict[str, int]:
    size = os.path.getsize(path)
    tail = Path(path).read_bytes()[-length:]
    sound = {values: Look(path, values=values).facts for values in (False, True)}
    outcomes = dict.fromkeys(("identical", "reported", "error"), 0)
    file = os.open(path, os.O_RDWR)
    try:
        for number, flip in enumerate(flips(step, length)):
            at, bit = divmod(flip, 8)
            outcomes[check_flip(path, file, size - length + at, bit, tail[at], sound, number)] += 1
    finally:
        os.close(file)
    return outcomes


@pytest.mark.parametrize(("implementation", "step"), [("native", 9), ("pure", TWIN_EVERY)], indirect=["implementation"])
def test_a_flipped_bit_is_harmless_reported_or_an_error(path, implementation, step):
    assert kernels.implementation() == implementation
    outcomes = flip_all(path, step)
    assert sum(outcomes.values()) == len(flips(step))
    assert outcomes["reported"] > outcomes["error"] > 0
    if inspect(path).placement != "aside":  # otherwise the tail has Thrift bytes, which are not read
        assert outcomes["identical"] < sum(outcomes.values()) / 2


@pytest.mark.slow
@pytest.mark.parametrize("form", ["flat", "index", "par3"])
@pytest.mark.parametrize(
    ("implementation", "step"), [("native", 509), ("pure", 155 * TWIN_EVERY)], indirect=["implementation"]
)
def test_over_64_kib_of_each_form_too(wide, form, implementation, step):
    """Every bit of them is flipped by tests/test_c_library.py, below the façade."""
    outcomes = flip_all(wide[form], step, length=1 << 16)
    assert outcomes["error"] > outcomes["identical"] or form == "flat"
    assert (outcomes["reported"] > 0) == (form != "par3")
    assert outcomes["reported"] > outcomes["error"] or form != "flat"


@pytest.mark.slow
@pytest.mark.parametrize(("implementation", "step"), [("native", 3), ("pure", TWIN_EVERY)], indirect=["implementation"])
def test_in_an_index_it_is_reported_and_in_the_thrift_bytes_final(path, tmp_path, implementation, step):
    indexed = tmp_path / "index.parquet"
    plain = (Path(path).parent / "plain.parquet").read_bytes()
    indexed.write_bytes(with_index(plain))
    assert 2 * (indexed.stat().st_size - len(plain)) < TAIL  # the flips reach far into the Thrift bytes
    assert Look(str(indexed), values=True).form == "index"
    outcomes = flip_all(str(indexed), step)
    assert min(outcomes["error"], outcomes["reported"]) > outcomes["identical"]
