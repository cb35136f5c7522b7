"""VARIANT columns are read as pyarrow reads them; its extension type is refused by writers, not a crash."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pyarrow as pa
import pytest

import parquetext
from parquetext.errors import Unsupported

STORAGE = pa.struct([pa.field("metadata", pa.binary(), False), pa.field("value", pa.binary(), False)])
ROWS = pa.array([{"metadata": b"\1\0\0", "value": b"\x0c\1"}], STORAGE)


class Variant(pa.ExtensionType):
    """The type that a program may define: pyarrow has none."""

    def __init__(self, storage: pa.DataType):
        super().__init__(storage, "arrow.parquet.variant")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    def __reduce__(self):
        return Variant, (self.storage_type,)

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type, serialized):
        return cls(storage_type)


def variant() -> pa.ExtensionArray:
    return pa.ExtensionArray.from_storage(Variant(STORAGE), ROWS)


TABLES = {
    "column": lambda: pa.table({"v": variant()}),
    "list": lambda: pa.table({"v": pa.ListArray.from_arrays([0, 1], variant())}),
    "struct": lambda: pa.table({"v": pa.StructArray.from_arrays([variant()], ["x"])}),
}


@pytest.mark.parametrize("name", TABLES)
def test_the_extension_type_of_variants_is_refused(tmp_path, name):
    table = TABLES[name]()
    with pytest.raises(Unsupported, match=r"column 'v': pyarrow cannot write the type arrow\.parquet\.variant"):
        parquetext.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(Unsupported, match=r"arrow\.parquet\.variant"):
        parquetext.write_to_dataset(table, tmp_path / "folder")
    assert not (tmp_path / "x.parquet").exists() and not (tmp_path / "folder").exists()


def test_the_storage_of_variants_is_written(tmp_path):
    path = tmp_path / "x.parquet"
    parquetext.write_table(pa.table({"v": variant().storage}), path)
    assert parquetext.read_table(path)["v"].to_pylist() == ROWS.to_pylist()


@pytest.mark.parametrize("is_registered", [False, True])
def test_real_variants_are_read_as_pyarrow_reads_them(corpus, is_registered):
    code = f"""
        import glob, sys
        import pyarrow as pa, pyarrow.parquet as pq
        sys.path[:0] = {[str(Path(__file__).parent), *sys.path]!r}
        import parquetext
        from test_variants import Variant, STORAGE
        if {is_registered}:
            pa.register_extension_type(Variant(STORAGE))
        paths = sorted(glob.glob({str(corpus)!r} + "/parquet-testing/shredded_variant/*.parquet"))
        kinds = set()
        for path in paths:
            expected = pq.read_table(path)
            kinds |= {{isinstance(field.type, Variant) for field in expected.schema if field.name == "var"}}
            for engine in (None, "auto", "parquetext", "pyarrow"):
                found = parquetext.read_table(path, engine=engine)
                assert found.schema.equals(expected.schema, check_metadata=True), path
                assert found.equals(expected), path
        print(len(paths), kinds)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["137", f"{{{is_registered}}}"], done.stderr
