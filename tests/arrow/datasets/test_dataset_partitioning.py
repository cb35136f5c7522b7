"""Column values in the names of files and directories, discovery and reading of files: as in pyarrow.dataset."""

from __future__ import annotations

import base64
import io
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as encryption
import pytest

import parquetext
from parquetext.errors import ParquetextError

F = pc.field
KEYS = pa.schema([("y", pa.int32()), ("m", pa.string())])
DICTIONARY = pa.schema([("y", pa.int32()), ("m", pa.dictionary(pa.int8(), pa.string()))])
MONTHS = pa.array(["jan", "feb", "mar", "x y"])


def put(path: Path, value: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"v": [value, None]}), path)


@pytest.fixture(scope="module")
def lakes(tmp_path_factory) -> dict[str, Path]:
    """A folder for each flavor; not every file has all keys."""
    folder, flavors = tmp_path_factory.mktemp("lakes"), {}
    months = ["jan", "feb", "x%20y"]
    for number, (year, month) in enumerate((year, month) for year in (2021, 2022, 7) for month in months):
        put(folder / f"directory/{year}/{month}/f{number}.parquet", number)
        put(folder / f"hive/y={year}/m={month}/f{number}.parquet", number)
        put(folder / f"filename/{year}_{month}_f{number}.parquet", number)
    put(folder / "directory/2021/g.parquet", 100)
    put(folder / "hive/y=2021/g.parquet", 100)
    put(folder / "hive/y=__HIVE_DEFAULT_PARTITION__/m=jan/h.parquet", 101)
    put(folder / "hive/i.parquet", 102)
    for name in ("directory", "hive", "filename"):
        flavors[name] = folder / name
    return flavors


SCHEMES = [
    ("hive", "hive"),
    ("hive", ds.partitioning(KEYS, flavor="hive")),
    ("hive", ds.partitioning(DICTIONARY, flavor="hive", dictionaries={"m": MONTHS})),
    ("hive", ds.HivePartitioning.discover(infer_dictionary=True)),
    ("hive", ds.HivePartitioning.discover(schema=pa.schema([("y", pa.int64()), ("m", pa.string())]))),
    ("hive", None),
    ("directory", ["y", "m"]),
    ("directory", ds.partitioning(KEYS)),
    ("directory", ds.partitioning(DICTIONARY, dictionaries={"m": MONTHS})),
    ("directory", ds.DirectoryPartitioning.discover(["y", "m"], infer_dictionary=True)),
    ("filename", ds.partitioning(KEYS, flavor="filename")),
    ("filename", ds.FilenamePartitioning(KEYS.remove(1))),
]
FILTERS = [
    F("y") == 2021,
    (F("y") > 7) & (F("m") == "feb"),
    F("m") == "x y",
    F("y").is_null() | (F("v") == 100),
    (F("m") == "jan") & (F("v") < 4),
]


class Kms(encryption.KmsClient):
    """Keys that are kept as they are, as text."""

    def wrap_key(self, key, name):
        return base64.b64encode(key)

    def unwrap_key(self, key, name):
        return base64.b64decode(key)


@pytest.mark.parametrize(("flavor", "scheme"), SCHEMES, ids=lambda one: str(one)[:40])
def test_partitionings(lakes, flavor, scheme):
    ours = parquetext.dataset(lakes[flavor], partitioning=scheme)
    theirs = ds.dataset(str(lakes[flavor]), partitioning=scheme)
    assert ours.files == theirs.files
    assert ours.schema.equals(theirs.schema, check_metadata=True)
    assert ours.to_table().to_pydict() == theirs.to_table().to_pydict()
    message = [[str(one.partition_expression) for one in lake.get_fragments()] for lake in (ours, theirs)]
    assert [ds.get_partition_keys(one.partition_expression) for one in ours.get_fragments()] == [
        ds.get_partition_keys(one.partition_expression) for one in theirs.get_fragments()
    ], message
    assert type(ours.partitioning) is type(theirs.partitioning)
    assert ours.partitioning.schema == theirs.partitioning.schema
    assert ours.partitioning.dictionaries == theirs.partitioning.dictionaries
    for filter in FILTERS if "m" in ours.schema.names else ():
        assert ours.to_table(filter=filter).to_pydict() == theirs.to_table(filter=filter).to_pydict()
        if "v" not in str(filter):
            kept = [[one.path for one in lake.get_fragments(filter)] for lake in (ours, theirs)]
            assert set(kept[0]) <= set(kept[1])  # pyarrow keeps files that have no such key and no such column


def test_random_directories_and_schemas(tmp_path):
    for seed in range(12):
        choose, folder = random.Random(seed), tmp_path / str(seed)
        names = choose.sample(["a", "b", "v"], 2)
        for number in range(choose.randint(1, 4)):
            values = [choose.choice(["1", "02", "x", "2024-01-01", "1.5"]) for _ in names]
            put(
                folder
                / "/".join(f"{name}={value}" for name, value in zip(names, values, strict=True))
                / f"{number}.pq",
                1,
            )
        kinds = [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())]
        chosen = pa.schema([("new", pa.int8()), *((name, choose.choice(kinds)) for name in names)])
        for scheme in ("hive", ds.HivePartitioning.discover(infer_dictionary=True)):
            for schema in (None, chosen) if scheme == "hive" else (None,):
                read = []
                for open_lake in (parquetext.dataset, ds.dataset):
                    try:
                        lake = open_lake(str(folder), schema=schema, partitioning=scheme)
                        read.append(lake.to_table(filter=F(names[0]) != "x" if schema else None))
                    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
                        read.append(type(error))
                assert read[0] == read[1] or (isinstance(read[0], pa.Table) and isinstance(read[1], type)), seed


class TestFinding:
    def test_below_a_base_directory(self, lakes):
        given = {"partitioning": ["day", "y", "m"], "partition_base_dir": str(lakes["directory"].parent)}
        ours, theirs = parquetext.dataset(lakes["directory"], **given), ds.dataset(str(lakes["directory"]), **given)
        assert ours.schema == theirs.schema and ours.to_table() == theirs.to_table()
        elsewhere = {"partitioning": "hive", "partition_base_dir": "/elsewhere"}
        ours, theirs = parquetext.dataset(lakes["hive"], **elsewhere), ds.dataset(str(lakes["hive"]), **elsewhere)
        assert ours.schema == theirs.schema and ours.to_table() == theirs.to_table()

    def test_prefixes_that_do_not_count(self, tmp_path):
        for name in ("a.parquet", "_b.parquet", ".c.parquet", "tmp/d.parquet", "x/_e/f.parquet", "x/tmpg.parquet"):
            put(tmp_path / name, 1)
        for prefixes in (None, [], ["tmp"], ["_", "x"], ["."]):
            ours = parquetext.dataset(tmp_path, ignore_prefixes=prefixes)
            assert ours.files == ds.dataset(str(tmp_path), ignore_prefixes=prefixes).files

    def test_files_that_are_not_parquet(self, tmp_path):
        put(tmp_path / "a.parquet", 1)
        (tmp_path / "b.txt").write_text("no Parquet")
        (tmp_path / "c.parquet").touch()
        ours = parquetext.dataset(tmp_path, exclude_invalid_files=True)
        assert (
            ours.files == ds.dataset(str(tmp_path), exclude_invalid_files=True).files == [str(tmp_path / "a.parquet")]
        )
        assert ours.to_table()["v"].to_pylist() == [1, None]
        with pytest.raises(ParquetextError, match=r"b\.txt"):
            parquetext.dataset(tmp_path).to_table()

    def test_an_empty_directory(self, tmp_path):
        (tmp_path / "sub").mkdir()
        ours, theirs = parquetext.dataset(tmp_path), ds.dataset(str(tmp_path))
        assert ours.schema == theirs.schema and ours.to_table() == theirs.to_table()
        assert ours.files == list(ours.get_fragments()) == list(ours.to_batches()) == [] and ours.count_rows() == 0
        schema = pa.schema([("a", pa.int64())])
        assert parquetext.dataset(tmp_path, schema).head(3) == schema.empty_table()

    def test_patterns_lists_and_filesystems(self, lakes):
        folder = str(lakes["directory"])
        expected = sorted(str(path) for path in lakes["directory"].glob("20*/*/*.parquet"))
        assert parquetext.dataset(f"{folder}/20*/*/*.parquet").files == expected
        assert parquetext.dataset(Path(folder) / "202[12]").files == parquetext.dataset(f"{folder}/202?").files
        filesystem = pafs.SubTreeFileSystem(folder, pafs.LocalFileSystem())
        for one in (filesystem, f"file://{folder}"):
            assert parquetext.dataset("2021", filesystem=one, partitioning=None).count_rows() == 8
        some = [path.removeprefix(f"{folder}/") for path in expected[:2]]
        assert parquetext.dataset(some, filesystem=filesystem).files == expected[:2]
        infos = pafs.LocalFileSystem().get_file_info(expected[:2])
        assert parquetext.dataset(infos).files == expected[:2]
        assert parquetext.dataset(iter(expected)).files == expected
        with pytest.raises(FileNotFoundError, match=r"\*\.nothing"):
            parquetext.dataset(f"{folder}/*.nothing")
        with pytest.raises(IsADirectoryError, match="directory"):
            parquetext.dataset([folder])
        for wrong in (None, 3, [3], iter([3]), io.BytesIO(b"PAR1"), b"PAR1", pa.py_buffer(b"PAR1")):
            with pytest.raises(TypeError, match=r"Expected|made of paths"):
                parquetext.dataset(wrong)


class TestFormats:
    @pytest.fixture(scope="class")
    @classmethod
    def file(cls, tmp_path_factory) -> str:
        path = tmp_path_factory.mktemp("formats") / "a.parquet"
        table = pa.table(
            {
                "t": ["a", "b", "a", None],
                "b": [b"1", b"2", None, b"3"],
                "l": [[1], [], None, [2, 3]],
                "time": pa.array([1, 2, 3, None], pa.timestamp("ns")),
            }
        )
        pq.write_table(table, path, use_deprecated_int96_timestamps=True, store_schema=False, row_group_size=2)
        return str(path)

    @pytest.mark.parametrize(
        "format",
        [
            "parquet",
            ds.ParquetFileFormat(dictionary_columns=["t", "b"]),
            ds.ParquetFileFormat(coerce_int96_timestamp_unit="ms"),
            ds.ParquetFileFormat(binary_type=pa.large_binary(), list_type=pa.LargeListType),
            ds.ParquetFileFormat(
                default_fragment_scan_options=ds.ParquetFragmentScanOptions(
                    use_buffered_stream=True, buffer_size=4096, pre_buffer=False, page_checksum_verification=True
                )
            ),
        ],
        ids=["parquet", "dictionaries", "milliseconds", "binary and lists", "scan options"],
    )
    def test_options_of_reading(self, file, format):
        ours, theirs = parquetext.dataset(file, format=format), ds.dataset(file, format=format)
        assert ours.schema.equals(theirs.schema, check_metadata=True)
        assert ours.to_table() == theirs.to_table()
        assert pa.Table.from_batches(ours.to_batches(batch_size=1)) == theirs.to_table()
        assert ours.format == theirs.format
        fragment = next(ours.get_fragments())
        assert fragment.to_table() == theirs.to_table() and fragment.physical_schema == theirs.schema
        assert ours.to_pyarrow().to_table() == theirs.to_table()

    def test_options_of_one_scan(self, file):
        strict = ds.ParquetFragmentScanOptions(thrift_string_size_limit=3)
        assert parquetext.dataset(file).to_table().num_rows == 4
        for lake in (parquetext.dataset(file), ds.dataset(file)):
            with pytest.raises((OSError, ParquetextError)):
                lake.to_table(fragment_scan_options=strict)

    @pytest.mark.parametrize("plain", [False, True], ids=["encrypted footer", "plaintext footer"])
    def test_encrypted_files_are_pyarrows(self, tmp_path, plain):
        path = tmp_path / "a.parquet"
        config = encryption.EncryptionConfiguration(footer_key="k", column_keys={"c": ["v"]}, plaintext_footer=plain)
        factory, kms = encryption.CryptoFactory(lambda _: Kms()), encryption.KmsConnectionConfig()
        written = factory.file_encryption_properties(kms, config)
        pq.write_table(pa.table({"v": [1, 2]}), path, encryption_properties=written)
        options = ds.ParquetFragmentScanOptions(decryption_properties=factory.file_decryption_properties(kms))
        format = ds.ParquetFileFormat(default_fragment_scan_options=options)
        for schema in (None, pa.schema([("v", pa.int64())])):
            assert parquetext.dataset(path, schema, format).to_table()["v"].to_pylist() == [1, 2]
        with pytest.raises(ParquetextError, match="encrypted"):
            parquetext.dataset(path).to_table()


@pytest.mark.parametrize("name", ["y", "m"])
def test_a_null_key_is_null_over_the_dictionary_that_all_files_share(tmp_path, name):
    folders = ["y=2/m=b", "y=__HIVE_DEFAULT_PARTITION__/m=a", "y=1/m=__HIVE_DEFAULT_PARTITION__", "y=1/m=a"]
    for number, folder in enumerate(folders):
        put(tmp_path / folder / "f.parquet", number)
    ours, theirs = parquetext.read_table(tmp_path), pq.read_table(tmp_path)
    assert ours.schema == theirs.schema
    assert ours.to_pylist() == theirs.to_pylist()
    found, wanted = ours[name].chunks, theirs[name].chunks
    assert len({tuple(chunk.dictionary.to_pylist()) for chunk in found}) == 1
    assert all(one.equals(other) for one, other in zip(found, wanted, strict=True) if None not in other.to_pylist())
    assert ours[name].null_count == 2
    kept = ours.to_pandas()
    assert kept[name].isna().sum() == 2
    with pytest.raises(pa.ArrowInvalid, match="nulls"):  # pyarrow's null is a value of a dictionary of its own
        theirs.to_pandas()
