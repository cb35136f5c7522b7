"""Errors of reading are ours and pyarrow's: an `except` that was written for pyarrow catches them."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe
import pytest
from support.flat_files import write_with_flat_footer
from support.served_files import Whole, served

import parquetext
from parquetext.errors import ColumnError, Damaged, Malformed, ParquetextError, Unsupported
from parquetext.footer.column_footer import column_footer
from parquetext.footer.pyarrow_chunks import PyarrowChunks
from parquetext.nearest import nearest


@pytest.fixture
def path(tmp_path, implementation) -> str:
    path = tmp_path / "prices.parquet"
    pq.write_table(pa.table({"price": [1, 2], "size": [3, 4], "at": pa.array([{"x": 1, "y": 2}] * 2)}), path)
    return str(path)


def test_bytes_that_are_no_parquet_file_raise_arrow_invalid(tmp_path, implementation):
    path = tmp_path / "text.parquet"
    path.write_text("a text of more than twelve bytes")
    for read in (parquetext.open, parquetext.read_table, parquetext.read_schema):
        with pytest.raises(pa.ArrowInvalid) as caught:
            read(path)
        assert isinstance(caught.value, Malformed) and caught.value.file == str(path)


def test_a_file_that_is_not_regular_raises_arrow_invalid(tmp_path, implementation):
    path = tmp_path / "pipe.parquet"
    os.mkfifo(path)
    for read in (parquetext.open, parquetext.read_table, parquetext.read_schema, parquetext.dataset):
        with pytest.raises(pa.ArrowInvalid, match="not a regular file") as caught:
            read(path)
        assert isinstance(caught.value, Malformed) and caught.value.file == str(path)


def test_a_broken_thrift_footer_raises_arrow_invalid(path, tmp_path):
    data = bytearray(Path(path).read_bytes())
    length = int.from_bytes(data[-8:-4], "little")
    data[-8 - length : -8] = b"\xff" * length
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(data)
    with pytest.raises(pa.ArrowInvalid) as caught:
        parquetext.read_table(broken)
    assert isinstance(caught.value, Malformed) and caught.value.offset >= len(data) - 8 - length


def test_a_damaged_par3_footer_raises_arrow_invalid(path, implementation):
    write_with_flat_footer(path, path)
    parquetext.finalize(path, confirm=True)
    data = bytearray(Path(path).read_bytes())
    data[-60] ^= 0xFF
    Path(path).write_bytes(data)
    with pytest.raises(pa.ArrowInvalid) as caught:
        parquetext.open(path)
    assert isinstance(caught.value, Damaged) and caught.value.file == path


@pytest.mark.parametrize("form", ["thrift", "flat", "index", "par3"])
def test_any_changed_byte_of_a_footer_raises_errors_that_are_also_pyarrows(path, form):
    if form == "par3":
        parquetext.finalize(path, confirm=True)
    elif form != "thrift":
        parquetext.upgrade(path, form=form)
    data = Path(path).read_bytes()
    for at in range(len(data) // 4, len(data), 14 if form == "thrift" else 47):
        Path(path).write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
        for read in (parquetext.read_table, last_column, whole_metadata):
            try:
                read(path)
            except (pa.ArrowException, OSError) as error:
                assert not isinstance(error, ParquetextError) or error.file == path


def last_column(path: str) -> pq.ColumnChunkMetaData:
    return parquetext.read_metadata(path).row_group(0).column(3)


def whole_metadata(path: str) -> pq.FileMetaData:
    return parquetext.read_metadata(path).to_pyarrow()


def test_a_broken_thrift_footer_with_a_damaged_index_raises_arrow_invalid(path):
    parquetext.upgrade(path, form="index")
    parts = parquetext.layout(path).parts.to_pylist()
    nodes = next(part["offset"] for part in parts if part["name"] == "nodes")
    data = bytearray(Path(path).read_bytes())
    for at in (nodes, len(data) - 8 - int.from_bytes(data[-8:-4], "little")):
        data[at] ^= 0xFF
    Path(path).write_bytes(data)
    with pytest.raises(pa.ArrowInvalid) as caught:
        parquetext.read_table(path)
    assert caught.value.file == path


def test_unsupported_files_raise_arrow_not_implemented(path, tmp_path):
    signed = str(tmp_path / "signed.parquet")
    keys = pe.create_encryption_properties(footer_key=b"0123456789abcdef", plaintext_footer=True)
    pq.write_table(pq.read_table(path), signed, encryption_properties=keys)
    ours = {"engine": "parquetext"}  # which does not decrypt
    for read in (
        lambda: parquetext.read_table(signed, **ours),
        lambda: parquetext.ParquetFile(signed, **ours).read(["price"]),
        lambda: list(parquetext.ParquetFile(signed, **ours).iter_batches()),
        lambda: parquetext.dataset(signed, **ours).to_table(),
    ):
        with pytest.raises(pa.ArrowNotImplementedError, match="encrypted") as caught:
            read()
        assert isinstance(caught.value, Unsupported) and caught.value.file == signed
        assert type(pickle.loads(pickle.dumps(caught.value))) is type(caught.value)


def test_few_bytes_that_would_become_very_many_raise_arrow_not_implemented(corpus):
    path = corpus / "parquet-testing/data/large_string_map.brotli.parquet"
    with pytest.raises(pa.ArrowNotImplementedError, match="decompresses to 1073741828; the limit is"):
        parquetext.read_table(path, engine="parquetext")


@pytest.mark.parametrize("make", [FileNotFoundError, IsADirectoryError])
def test_paths_that_are_not_files_raise_the_systems_error(make, tmp_path, implementation):
    path = tmp_path / "there"
    if make is IsADirectoryError:
        path.mkdir()
    for read in (parquetext.open, parquetext.read_schema):
        with pytest.raises(make, match=str(path)):
            read(path)


def test_an_unknown_column_lists_the_nearest_names_and_the_file(path):
    for name, found in (("prise", "'price'"), ("SIZE", "'size'"), ("at.X", "'at.x', 'at.y', 'at'")):
        with pytest.raises(pa.ArrowInvalid) as caught:
            parquetext.read_table(path, [name])
        assert isinstance(caught.value, ColumnError)
        assert str(caught.value) == f"{path}: no column {name!r}; the nearest: {found}"
    with parquetext.open(path) as file, pytest.raises(KeyError, match=r"no column 'volume'$"):
        file.column("volume")


def test_a_dataset_lists_the_nearest_names_too(path):
    with pytest.raises(pa.ArrowInvalid, match="no column 'prise' in the dataset's schema; the nearest: 'price'"):
        parquetext.dataset(path).to_table(columns=["prise"])


def test_errors_that_are_also_pyarrows_are_pickled_whole(path):
    with pytest.raises(ColumnError) as caught:
        parquetext.read_table(path, ["prise"])
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is type(caught.value) and str(again) == str(caught.value)
    assert (again.absent, again.file) == ("prise", path)


def test_a_server_without_ranges_raises_arrow_not_implemented(path, tmp_path):
    for read in (
        parquetext.open,
        parquetext.read_table,
        parquetext.read_metadata,
        parquetext.ParquetFile,
        parquetext.ParquetDataset,
        parquetext.dataset,
    ):
        with served(tmp_path, Whole) as (url, _), pytest.raises(pa.ArrowNotImplementedError, match="ranges"):
            read(f"{url}/prices.parquet")


def test_errors_and_extension_do_not_import_pyarrow():
    code = "import parquetext.errors, parquetext.extension, sys; print('pyarrow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_nearest_names_are_few_and_ordered():
    names = [f"column_{number}" for number in range(3000)]
    assert len(nearest("column_500x", names)) == 3
    assert nearest("Column_17", names)[0] == "column_17"
    assert nearest("other", names) == []


@pytest.mark.parametrize("name", [b"my_map", b"value"], ids=bytes.decode)
def test_a_name_that_is_not_utf8_in_a_schema_that_pyarrow_refuses_raises_arrow_invalid(corpus, tmp_path, name):
    data = (corpus / "parquet-testing/data/incorrect_map_schema.parquet").read_bytes()
    (tmp_path / "x.parquet").write_bytes(data.replace(name, b"\xe1" + name[1:]))
    with pytest.raises(pa.ArrowInvalid, match="is not UTF-8"):
        parquetext.read_table(tmp_path / "x.parquet", engine="parquetext")


def test_row_groups_that_the_thrift_footer_lacks_raise_arrow_invalid(tmp_path, implementation):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"a": range(4)}), path, row_group_size=1)
    footer = column_footer_of(path, row_groups=2)
    with pytest.raises(Malformed, match="the Thrift footer has 2 row groups of 1 columns"):
        PyarrowChunks(footer)[2, 0]


def column_footer_of(path: Path, row_groups: int) -> bytes:
    with parquetext.open(path) as file:
        return file._on_form(lambda form: column_footer(form, 0, 0, row_groups))


def test_uris_without_a_filesystem_raise_arrow_invalid(implementation):
    for uri in ("bogus://x/y.parquet", "s3://b/y.parquet?bogus=1", "file://elsewhere/y.parquet"):
        shown = uri.replace("=1", "=…")  # any value of a query may be a secret
        for read in (
            parquetext.open,
            parquetext.read_table,
            parquetext.read_schema,
            parquetext.read_metadata,
            parquetext.ParquetFile,
            parquetext.ParquetDataset,
            parquetext.dataset,
        ):
            with pytest.raises(pa.ArrowInvalid, match=re.escape(shown)) as caught:
                read(uri)
            assert isinstance(caught.value, ParquetextError)


def test_a_stream_that_cannot_seek_raises_an_os_error(path):
    data = Path(path).read_bytes()
    for read in (parquetext.open, parquetext.read_table, parquetext.ParquetFile, parquetext.ParquetDataset):
        with pytest.raises(OSError, match="cannot seek") as caught:
            read(pa.CompressedInputStream(pa.BufferReader(pa.compress(data, "gzip", asbytes=True)), "gzip"))
        assert isinstance(pickle.loads(pickle.dumps(caught.value)), OSError)


@pytest.mark.parametrize("form", ["thrift", "flat"])
def test_a_closed_file_raises_arrow_invalid(path, form):
    if form == "flat":
        parquetext.upgrade(path, form=form)
    for kind in (parquetext.open, parquetext.ParquetFile):
        file = kind(path)
        file.close()
        for read in (file.read, lambda file=file: list(file.iter_batches()), lambda file=file: file.read_row_group(0)):
            with pytest.raises(pa.ArrowInvalid, match="closed"):
                read()


def test_a_binary_type_that_is_no_type_is_a_type_error(path):
    for read in (
        lambda given: parquetext.read_table(path, **given),
        lambda given: parquetext.read_table([path], **given),
        lambda given: parquetext.open(path).read(**given),
        lambda given: list(parquetext.open(path).iter_batches(**given)),
        lambda given: parquetext.ParquetFile(path, **given),
        lambda given: parquetext.ParquetDataset(path, **given),
    ):
        with pytest.raises(TypeError, match="not 'large_binary'"):
            read({"binary_type": "large_binary"})
