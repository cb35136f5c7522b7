"""docs/parquet.dogma over every form of footer, in every placement, with everything that a file may have."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.flat_files import as_par3
from support.golden_files import FOLDER as GOLDEN
from support.golden_files import expectation

import parquetext
from dogma.document import Mismatch
from dogma.parquet import layout_claims, parquet

OTHER = "00010203-0405-0607-0809-0a0b0c0d0e0f"

FAILS = {
    "wide-flat-aside-damaged-column": 3072,
    "wide-flat-aside-damaged-marker": 2656,  # no reference refers to the blocks here
    "wide-flat-aside-damaged-reference": 2656,
    "wide-index-aside-damaged-reference": 2656,
    "wide-flat-aside-damaged-moved": 13887,
    "wide-flat-aside-damaged-reference-size": 14249,
    "wide-flat-aside-damaged-tail-copy": 14251,
    "wide-flat-aside-damaged-trailer": 9392,
    "wide-flat-damaged-column": 7365,
    "wide-flat-damaged-encrypted": 13718,
    "wide-flat-damaged-length": 13714,
    "wide-flat-damaged-magic": 13718,
    "wide-flat-damaged-payload-crc": 13685,
    "wide-flat-damaged-size": 13697,
    "wide-flat-damaged-stop": 13713,
    "wide-flat-damaged-tail-block": 13681,
    "wide-flat-damaged-tail-record": 13653,
    "wide-flat-damaged-truncated": 13698,
    "wide-flat-damaged-uuid": 13697,
    "wide-index-aside-damaged-thrift-chunk": 8430,
    "wide-index-damaged-payload-crc": 8376,
    "wide-index-damaged-tail": 8372,
    "wide-index-damaged-thrift-chunk": 6966,
    "wide-par3-damaged-column": 9560,
    "wide-par3-damaged-magic": 9572,
    "wide-par3-damaged-payload-crc": 9560,
    "wide-par3-damaged-size": 9564,
    "wide-par3-damaged-size-crc": 9568,
    "wide-par3-damaged-tail-block": 9560,
    "wide-par3-damaged-tail-record": 9560,
    "wide-par3-damaged-truncated": 9552,
    # Proposals, which are not described: the index of a jump table, and another magic.
    "ids-jump-table": 147,
    "ids-jump-table-flat": 147,
    "ids-parx": 0,
    "long-jump-table": 9494,
    "long-parx": 0,
    "nested-jump-table": 1056,
    "nested-parx": 0,
    "wide-jump-table": 2656,
}


def check(path: Path) -> set[str]:
    """Compare the description with the layout; the kinds that there are."""
    claims = parquet().claims(path.read_bytes())
    assert claims == layout_claims(parquetext.layout(path))
    return {claim.owner.kind for claim in claims}


@pytest.fixture(params=["1.0", "2.0"])
def path(request, tmp_path) -> Path:
    """Nested columns, levels, dictionaries, page indexes, Bloom filters, six row groups."""
    table = pa.table(
        {
            "number": pa.array([None if n % 7 == 0 else n for n in range(300)], pa.int64()),
            "text": [f"value {n % 50}" for n in range(300)],
            "lists": [[[n], None, [n, n + 1]] if n % 3 else None for n in range(300)],
            "rows": [{"a": n, "b": {"c": str(n)}} for n in range(300)],
        }
    )
    found = tmp_path / "t.parquet"
    options = {"compression": "none", "row_group_size": 50, "data_page_size": 300, "write_page_index": True}
    pq.write_table(table, found, data_page_version=request.param, bloom_filter_options={"number": True}, **options)
    return found


@pytest.mark.parametrize("placement", ["aside", "in-struct", "after-stop"])
@pytest.mark.parametrize("form", ["flat", "index"])
def test_blocks_are_matched_in_every_placement(path, form, placement):
    parquetext.upgrade(path, form=form, placement=placement)
    kinds = check(path)
    assert {"flat": "flat-footer", "index": "footer-index"}[form] in kinds
    assert ("reference" in kinds) == (placement == "aside")
    assert {"definition-levels", "repetition-levels", "column-index", "offset-index", "bloom-bitset"} <= kinds


def test_a_flat_footer_alone_refers_to_all_data(path):
    before = check(path)
    path.write_bytes(as_par3(path.read_bytes()))
    footer = {"schema", "row-group", "chunk-metadata", "created-by", "column-orders", "footer-field"}
    assert check(path) == before - footer | {"flat-footer"}


@pytest.mark.parametrize("form", [None, "flat", "index"])
def test_copies_of_columns_are_matched_and_damage_to_them_is_found(path, form):
    if form is not None:
        parquetext.upgrade(path, form=form)
    encoded = path.with_name("encoded.parquet")
    parquetext.encode(path, {"number": "byte_stream_split", "rows.a": "delta_binary_packed"}, out=encoded)
    kinds = {"copy-header", "copy-levels", "copy-values", "column-extension", "original-block", "original-rest"}
    assert kinds <= check(encoded)
    data = encoded.read_bytes()
    _, end, _ = next(claim for claim in parquet().claims(data) if claim.owner.kind == "copy-values")
    with pytest.raises(Mismatch):
        parquet().claims(data[: end - 1] + bytes([data[end - 1] ^ 1]) + data[end:])


@pytest.mark.parametrize("placement", ["in-struct", "after-stop"])
def test_the_arrow_dialect_is_matched_next_to_a_flat_footer(path, placement):
    parquetext.upgrade(path, form="flat")
    parquetext.upgrade(path, form="arrow", placement=placement)
    assert {"arrow-dialect", "flat-footer", "block-trailer"} <= check(path)


def test_foreign_bytes_and_blocks_are_matched_in_the_extension(path):
    data = path.read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    for kind, footer in (
        ("free-form", parquetext.extension.append(data[start:-8], b"free form bytes, longer than a trailer is")),
        ("block", parquetext.extension.append_block(data[start:-8], OTHER, b"payload")),
    ):
        path.write_bytes(data[:start] + footer + len(footer).to_bytes(4, "little") + b"PAR1")
        assert kind in check(path)


@pytest.mark.parametrize(
    ("columns", "row_groups"), [(1, 0), (1, 1), (3, 70), (9, 5), (40, 0), (40, 1), (40, 3), (70, 1)]
)
def test_any_number_of_cells_is_matched(tmp_path, columns, row_groups):
    found = tmp_path / "t.parquet"
    table = pa.table({f"column {n}": pa.array([1, 2], pa.int32()) for n in range(columns)})
    with pq.ParquetWriter(found, table.schema) as writer:
        for _ in range(row_groups):
            writer.write_table(table)
    data = found.read_bytes()
    for form in ("flat", "index"):
        parquetext.upgrade(found, form=form)
        check(found)
    found.write_bytes(as_par3(data))
    check(found)


def is_described(path: Path) -> bool:
    """Return True unless the file has a form that the description does not contain."""
    return not expectation(path)["made"].startswith(("packed", "modular"))


@pytest.mark.parametrize("name", sorted(path.stem for path in GOLDEN.glob("*.parquet") if is_described(path)))
def test_golden_files_are_matched_and_damaged_ones_refused_at_the_damage(name):
    path = GOLDEN / f"{name}.parquet"
    if name in FAILS:
        with pytest.raises(Mismatch) as failed:
            parquet().claims(path.read_bytes())
        assert failed.value.offset == FAILS[name]
    else:
        assert "damaged" not in name
        check(path)
