"""Values that take much memory for few bytes of a file: refused beyond a limit, and read up to it."""

from __future__ import annotations

import contextlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.hostile_pages import nulls
from support.pages import Column, data_page, parquet_file
from support.parquet_bytes import footer_of
from support.vast_files import vast_files

import parquetext
from parquetext import wire
from parquetext.encoding.decoded_sizes import VARIABLE
from parquetext.errors import LimitExceeded, OutOfMemory, ParquetextError, naming_memory
from parquetext.footer import expansion
from parquetext.footer.expansion import check_expansion
from parquetext.footer.thrift_form import ThriftForm
from parquetext.inspection.integrity import verify
from parquetext.storage import open_source

ENGINES = None, "pyarrow", "parquetext", "auto"
VALUES = (
    "nulls in one page",
    "nulls in many pages",
    "prefixes",
    "a long text in all rows",
    "a page of three numbers",
    "a page of three numbers, version 2",
    "a page of three texts",
    "a dictionary of three numbers",
)


@pytest.fixture(scope="module")
def vast(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vast")
    paths = {}
    for number, (name, data) in enumerate(vast_files()):
        paths[name] = folder / f"{number}.parquet"
        paths[name].write_bytes(data)
    return paths


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", VALUES)
def test_values_out_of_proportion_are_refused_by_every_engine(vast, name, engine):
    path = str(vast[name])
    for read in (
        lambda: parquetext.read_table(path, engine=engine),
        lambda: parquetext.dataset(path, engine=engine).to_table(),
    ):
        with pytest.raises(LimitExceeded) as caught:
            read()
        assert caught.value.file == path and isinstance(caught.value, pa.ArrowNotImplementedError)


def test_the_error_names_the_limit_and_the_option_that_raises_it(vast):
    message = (
        "2147483647 values take 8589934588 bytes in memory, and the file has 37 bytes for them; the limit is 42949"
    )
    with pytest.raises(LimitExceeded) as caught:
        parquetext.read_table(str(vast["nulls in one page"]))
    assert message in str(caught.value) and VARIABLE in str(caught.value) and "decoded_size_limit" in str(caught.value)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_limit_is_an_option_or_a_variable(tmp_path, engine, monkeypatch):
    path = tmp_path / "nulls.parquet"
    path.write_bytes(parquet_file([nulls("a", 1000)], 1000))
    with pytest.raises(LimitExceeded, match="1000 values take 4000 bytes"):
        parquetext.read_table(path, engine=engine, decoded_size_limit=3999)
    assert parquetext.read_table(path, engine=engine, decoded_size_limit=4000)["a"].null_count == 1000
    monkeypatch.setenv(VARIABLE, "3999")
    with pytest.raises(LimitExceeded):
        parquetext.read_table(path, engine=engine)
    assert parquetext.read_table(path, engine=engine, decoded_size_limit=4000).num_rows == 1000
    monkeypatch.setenv(VARIABLE, "many")
    with pytest.raises(ParquetextError, match="a number of bytes above 0, not 'many'"):
        parquetext.read_table(path, engine=engine)
    with pytest.raises(ValueError, match="larger than zero"):
        parquetext.read_table(path, engine=engine, decoded_size_limit=0)


@pytest.mark.parametrize("engine", ENGINES)
def test_texts_are_counted_by_their_lengths(tmp_path, engine):
    """A text of 1,000 bytes in 7 of 1,000 rows, others of one byte: their memory is not the product of the two."""
    texts = ["x" * 1000 if row % 150 == 0 else "y" for row in range(1000)]
    for name, options in {
        "dictionary": {},
        "prefixes": {"use_dictionary": False, "column_encoding": "DELTA_BYTE_ARRAY"},
    }.items():
        path = tmp_path / f"{name}.parquet"
        pq.write_table(pa.table({"a": texts, "b": [None, *texts[1:]]}), path, compression="zstd", **options)
        # Seven long texts and 993 short ones are 7,993 bytes: not beyond 64 times the chunk's bytes.
        found = parquetext.read_table(path, engine=engine, decoded_size_limit=7000)
        assert found["a"].to_pylist() == texts


@pytest.mark.parametrize("engine", ENGINES)
def test_many_rows_of_one_value_are_read(tmp_path, engine):
    """20 million rows in a few hundred bytes are valid, and below the default limit."""
    path = tmp_path / "constant.parquet"
    path.write_bytes(parquet_file([nulls("a", 20_000_000)], 20_000_000))
    assert parquetext.read_table(path, columns=["a"], engine=engine)["a"].null_count == 20_000_000


@pytest.mark.parametrize("name", ["nulls in many pages", "prefixes", "a long text in all rows"])
def test_the_deep_tier_leaves_values_beyond_the_limit_undecoded(vast, name):
    report = verify(vast[name], deep=True)
    assert [finding.kind for finding in report.findings if not finding.is_note] == []
    assert [finding.kind for finding in report.findings].count("undecoded") == 1


def test_a_page_of_zeros_that_its_values_need_is_read(tmp_path):
    """zstd compresses a page of 32 MiB of equal numbers to 1 KiB."""
    count = 1 << 23
    page = data_page(bytes(4 * count), count, wire.ENCODING_PLAIN, codec=wire.CODEC_ZSTD)
    path = tmp_path / "zeros.parquet"
    path.write_bytes(parquet_file([Column("a", wire.PHYSICAL_INT32, [page], codec=wire.CODEC_ZSTD)], count))
    for engine in ENGINES:
        assert parquetext.read_table(path, engine=engine)["a"].to_numpy().sum() == 0


def test_out_of_memory_names_the_file_and_is_no_damage():
    with pytest.raises(OutOfMemory) as caught, naming_memory("a.parquet"):
        raise pa.ArrowMemoryError("malloc of size 9 failed")
    assert (
        isinstance(caught.value, MemoryError)
        and str(caught.value) == "a.parquet: out of memory: malloc of size 9 failed"
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_ordinary_texts_of_many_row_groups_are_read_with_dictionaries_of_any_size(tmp_path, engine):
    """Dictionary pages times rows exceed the limit; the texts, and the longest text times the rows, do not."""
    table = pa.table({"a": [f"text {number % 999}" for number in range(20_000)]})
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=1000)
    limit = 1 << 26
    with parquetext.open(tmp_path / "x.parquet") as file:
        batches = list(file.iter_batches(512, engine=engine, decoded_size_limit=limit))
    assert pa.Table.from_batches(batches)["a"].to_pylist() == table["a"].to_pylist()
    found = parquetext.read_table(tmp_path / "x.parquet", engine=engine, decoded_size_limit=limit)
    assert found["a"].to_pylist() == table["a"].to_pylist()


def test_texts_are_counted_exactly_only_if_their_upper_bound_exceeds_the_limit(tmp_path, monkeypatch):
    pq.write_table(pa.table({"a": ["x" * 99, *["y"] * 9_999]}), tmp_path / "x.parquet", row_group_size=1000)
    counted = []
    count = expansion._Texts._count
    monkeypatch.setattr(expansion._Texts, "_count", lambda *given: counted.append(given) or count(*given))
    with parquetext.open(tmp_path / "x.parquet") as file:
        list(file.iter_batches(decoded_size_limit=1 << 20))
        assert not counted
        list(file.iter_batches(decoded_size_limit=50_000))
        assert counted


@pytest.mark.parametrize("codec, rows, is_short", [("snappy", 3, True), ("zstd", 3, False), ("none", 1 << 16, False)])
def test_pages_of_short_chunks_of_codecs_with_a_known_factor_are_not_looked_at(tmp_path, codec, rows, is_short):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"x": range(rows), "l": [["a"]] * rows}), path, compression=codec, use_dictionary=False)
    footer = footer_of(path.read_bytes())
    with open_source(path) as source:
        assert check_expansion(ThriftForm(footer), None, source, pages=False) is is_short
        assert check_expansion(ThriftForm(footer), None, source) is is_short


@pytest.mark.parametrize("limit", [1 << 20, 1 << 32, 1 << 60])
def test_chunks_are_short_only_if_the_exact_rule_looks_at_no_page_either(vast, monkeypatch, limit):
    def check(path, **options) -> bool:
        with open_source(path) as source:
            return check_expansion(ThriftForm(footer_of(path.read_bytes())), None, source, limit, **options)

    short = []
    for path in vast.values():
        with contextlib.suppress(ParquetextError):
            short += [path] if check(path, pages=False) else []
    assert bool(short) == (limit == 1 << 60) and len(short) < len(vast)
    monkeypatch.setattr(expansion, "_are_short", lambda *given: False)
    monkeypatch.setattr(expansion, "_Texts", lambda *given: pytest.fail("a page is looked at"))
    for path in short:
        check(path)
