"""A changed file gives the slice of the unchanged one or none; nothing but our own errors leaves the reader."""

from __future__ import annotations

import base64
import io
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.golden_files import FOLDER, with_block
from support.java_slices import Request, columns_of
from support.later_layouts import with_later_layout

from parquetext import edits, extension, kernels, wire

FEW = [
    "nested-flat",
    "nested-index",
    "nested-par3",
    "ids-flat-aside",
    "ids-flat-aside-on-foreign",
    "ids-flat-after-stop",
    "ids-index-aside",
    "types-flat-compact",
    "wide-flat-aside",
    "wide-index-aside",
    "empty-flat",
]


def assert_no_other_slice(run_java, seed: int, changes: int, paths: list[Path]) -> None:
    *wrong, done = run_java("SliceFuzz", str(seed), str(changes), *map(str, paths)).splitlines()
    assert wrong == []
    word, slices, _, none, _ = done.replace(",", "").split()
    assert word == "done:" and int(slices) > 10 * changes and int(none) > 10 * changes


def test_changed_golden_files_give_the_same_slice_or_none(run_java):
    assert_no_other_slice(run_java, 7, 60, [FOLDER / f"{name}.parquet" for name in FEW])


def test_changed_files_whose_footers_are_read_in_pieces_give_the_same_slice_or_none(run_java, tmp_path):
    paths = []
    for form in ("flat", "index", "packed"):
        paths.append(tmp_path / form)
        table = pa.table({f"column_{i}": [{"x": i, "y": str(i)}] * 3 if i % 50 == 3 else [i] * 3 for i in range(400)})
        pq.write_table(table, paths[-1], row_group_size=1)
        edits.upgrade(paths[-1], form=form)
    assert_no_other_slice(run_java, 8, 100, paths)


def written(columns: dict, **options) -> bytes:
    """A Parquet file's bytes."""
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, **options)
    return file.getvalue()


def packed_files(folder: Path) -> list[Path]:
    """Packed footers with several templates, chains, predictions, long texts, and compressed texts."""
    texts = {"text": [f"{'ab' * (30 * (n % 3))}{n}" for n in range(40)], "blob": [b"", None, b"\xff" * 20, b"a"] * 10}
    types = {"b": [True, None] * 20, "f": [n / 4 for n in range(40)], "x": pa.array(range(40), pa.decimal128(12, 2))}
    nested = {"list": [[{"y": 7, "z": [1.5]}], None] * 20, "struct": [{"s": {"t": 1}}, None] * 20}
    files = {
        "texts": written(texts, row_group_size=3),
        "types": written(types | texts, row_group_size=7, write_page_index=True, use_dictionary=["text", "f"]),
        "nested": written(nested | types, row_group_size=11, store_schema=False),
    }
    paths = []
    for name, data in files.items():
        for placement in ("aside", "in-struct"):
            paths.append(folder / f"{name}-{placement}")
            paths[-1].write_bytes(data)
            edits.upgrade(paths[-1], form="packed", placement=placement)
    return paths


def test_changed_packed_footers_give_the_same_slice_or_none(run_java, tmp_path):
    assert_no_other_slice(run_java, 9, 100, packed_files(tmp_path))


def test_many_changes_of_packed_footers_give_the_same_slice_or_none(long, run_java, tmp_path):
    assert_no_other_slice(run_java, 10, 2000, packed_files(tmp_path))


@pytest.mark.parametrize("seed", range(3))
def test_many_changes_of_golden_files_give_the_same_slice_or_none(long, run_java, seed):
    assert_no_other_slice(run_java, seed, 500, with_block())


def footer_of(data: bytes) -> bytes:
    return data[-8 - int.from_bytes(data[-8:-4], "little") : -8]


def with_footer(data: bytes, footer: bytes) -> bytes:
    """Bytes of a file with another footer in place of its own."""
    return data[: -8 - len(footer_of(data))] + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def test_encrypted_columns_are_not_sliced(ask, corpus, tmp_path):
    data = (corpus / "parquet-testing/data/encrypt_columns_plaintext_footer.parquet.encrypted").read_bytes()
    signed = footer_of(data)
    footer = signed[: kernels.thrift.struct_end(signed)]
    payload = kernels.flat.write(kernels.scan.scan(footer, strict=False))
    path = tmp_path / "encrypted"
    path.write_bytes(with_footer(data, extension.append_block(footer, wire.UUID_FLAT_FOOTER, payload)))
    names = [b"boolean_field", b"int32_field", b"float_field", b"double_field"]
    answers = dict(zip(names, ask([Request(path, [name], "slice") for name in names]), strict=True))
    assert {name for name, answer in answers.items() if answer.reason == "ENCRYPTED"} == {
        b"float_field",
        b"double_field",
    }
    assert columns_of(answers[b"int32_field"]) == ["boolean_field", "int32_field"]


@pytest.mark.parametrize(
    ("form", "name"), [("flat", "flat"), ("index", "index"), ("packed", "packed-in-struct"), ("par3", "par3")]
)
def test_layouts_of_later_versions_are_not_sliced(ask, form, name, tmp_path):
    data = (FOLDER / f"ids-{name}.parquet").read_bytes()
    (tmp_path / form).write_bytes(with_later_layout(data, form))
    (answer,) = ask([Request(tmp_path / form, [], "slice")])
    assert answer.reason == "UNKNOWN_LAYOUT"


def test_a_reference_of_a_later_version_is_not_followed(ask, tmp_path):
    data = (FOLDER / "ids-flat-aside.parquet").read_bytes()
    position = kernels.extension.find(footer := footer_of(data), file_metadata=True)
    text = footer[position.payload : position.payload + position.length]
    block = bytearray(base64.b64decode(text))
    block[0] += 1
    block[-28:-24] = zlib.crc32(block[:-28]).to_bytes(4, "little")
    (tmp_path / "later").write_bytes(data.replace(text, base64.b64encode(block)))
    (answer,) = ask([Request(tmp_path / "later", [], "slice")])
    assert answer.reason == "UNKNOWN_LAYOUT"


def test_compressed_texts_of_a_packed_footer_are_sliced_with_a_zstd_library_only(ask, ask_without_zstd, tmp_path):
    """Long bounds are compressed; columns without some do not need the library."""
    path = tmp_path / "packed"
    path.write_bytes(written({"long": [f"{n} some text " * 30 for n in "ab"], "short": ["a", "b"]}))
    edits.upgrade(path, form="packed")
    requests = [Request(path, [b"short"]), Request(path, [b"long"])]
    short, long = ask(requests)
    assert short.form == long.form == "packed" and b"a some text a some text" in long.footer
    assert ask_without_zstd(requests)[0] == short
    assert ask_without_zstd(requests)[1].reason == "UNSUPPORTED"


@pytest.mark.parametrize("size", [0, 1, 8, 11, 12, 100])
def test_files_that_are_not_parquet_are_not_sliced(ask, size, tmp_path):
    (tmp_path / "file").write_bytes(b"\0" * size)
    (answer,) = ask([Request(tmp_path / "file", [], "slice")])
    assert answer.reason == "NO_BLOCK"
