"""Patterns of paths: the same for jobs, the data source and Spark's own reader, on every filesystem."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.parquet_bytes import parquet_bytes

from parquetext import edits
from parquetext.errors import ParquetextError
from parquetext.spark import list_files
from parquetext.spark.filesystems import Filesystems
from parquetext.spark.globbing import is_named, matches

FILES = (
    "a/x",
    "b/x",
    "c/y",
    "ab/z",
    "a-b/x",
    "-m/x",
    "^k/x",
    "a*b/x",
    "[z]/x",
    "d,e/x",
    "e}f/x",
    "q{1,2}/x",
    "s\\t/x",
    "day=1/h=1/x",
    "day=1/h=2/x",
    "day=2/h=1/y",
    "_part=3/x",
    "_u/x",
    ".h/x",
)
# The names that each pattern matches.
CASES = {
    "{a,b}": ["a/x", "b/x"],
    "{a,{b,c}}": ["a/x", "b/x", "c/y"],
    "{a,a}": ["a/x"],
    "{,a}{b,-{b,m},}/[xz].parquet": ["-m/x", "a-b/x", "a/x", "ab/z", "b/x"],
    "{a,nope}/x.parquet": ["a/x"],
    "{a/x,c/y,nope/z}.parquet": ["a/x", "c/y"],
    "{a/x,?/x}.parquet": ["a/x", "b/x"],
    "{a,day={1/h=1,2/h=*}}": ["a/x", "day=1/h=1/x", "day=2/h=1/y"],
    "day={1,2}/h=1": ["day=1/h=1/x", "day=2/h=1/y"],
    "day=*/{h=2,h=[3-9],h=1/y}*": ["day=1/h=2/x", "day=2/h=1/y"],
    "?": ["a/x", "b/x", "c/y"],
    "[a-b]": ["a/x", "b/x"],
    "[!a]": ["b/x", "c/y"],
    "[^a]/*": ["b/x", "c/y"],
    "{[ab],c}/?.parquet": ["a/x", "b/x", "c/y"],
    "[a-]*b": ["a*b/x", "a-b/x", "ab/z"],
    "[]-]m": ["-m/x"],
    "[\\^]k": ["^k/x"],
    "^k": ["^k/x"],
    "a\\*b": ["a*b/x"],
    "*\\*b": ["a*b/x"],
    "\\[z\\]/*": ["[z]/x"],
    "{a\\,b,d\\,e}": ["d,e/x"],
    "d,e": ["d,e/x"],
    "e}f": ["e}f/x"],
    "q\\{1,2\\}": ["q{1,2}/x"],
    "s\\\\t": ["s\\t/x"],
    "_part=*": ["_part=3/x"],
    "{_u,.h,a}/*": [".h/x", "_u/x", "a/x"],
    "?{_u,part=3}": ["_part=3/x"],
    "[_]part=3": ["_part=3/x"],
    "*/{x,y}.parquet/*": [],
}
NOT_SPARKS = {  # where Spark goes by Hadoop's words rather than by their sense
    "[[]z]": ["[z]/x"],
    "[*?{,]": [],
    "a[*]b": ["a*b/x"],
    "q{1,2}": ["q{1,2}/x"],  # its very name
    "s\\t": ["s\\t/x"],
    "*u": [],
    "?h": [],
    "[._]*": ["_part=3/x"],
}


@pytest.fixture(scope="module")
def local(tmp_path_factory) -> str:
    lake = tmp_path_factory.mktemp("lake")
    for name in FILES:
        path = lake / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(parquet_bytes())
    return str(lake)


@pytest.fixture(scope="module", params=["local", "remote"])
def lake(request, local) -> str:
    if request.param == "local":
        return local
    import fsspec

    url = f"memory://{Path(local).name}"
    for name in FILES:
        fsspec.filesystem("memory").pipe_file(f"{url}/{name}.parquet", parquet_bytes())
    return url


@pytest.mark.parametrize("pattern", [*CASES, *NOT_SPARKS])
def test_a_pattern_is_the_same_for_jobs_and_for_the_data_source(spark, lake, pattern):
    files, expected = {name: f"{lake}/{name}.parquet" for name in FILES}, (CASES | NOT_SPARKS)[pattern]
    listed = list_files(spark, f"{lake}/{pattern}")["path"].to_pylist()
    assert sorted(name for name, file in files.items() if file in listed) == expected
    if not lake.startswith("memory:"):
        assert [file for file in edits.expand(f"{lake}/{pattern}") if Path(file).exists()] == listed
    if not expected:
        with pytest.raises(FileNotFoundError, match="nothing matches"):
            matches(Filesystems(), f"{lake}/{pattern}")
        return
    matched = matches(Filesystems(), f"{lake}/{pattern}")
    assert (
        sorted(name for name, file in files.items() if any(f"{file}/".startswith(f"{path}/") for path in matched))
        == expected
    )


def test_patterns_match_the_files_of_hadoop_as_often(spark, local):
    hadoop, settings = spark._jvm.org.apache.hadoop.fs, spark._jsc.hadoopConfiguration()
    for pattern, expected in CASES.items():
        path = hadoop.Path(f"{local}/{pattern}")
        theirs = [each.getPath().toUri().getPath() for each in path.getFileSystem(settings).globStatus(path) or ()]
        assert sorted(theirs) == (sorted(matches(Filesystems(), f"{local}/{pattern}")) if expected else []), pattern


@pytest.mark.parametrize("pattern", ["{a", "{a,{b}", "[a", "[]", "[b-a]", "a\\", "*/{a/[b,c}"])
def test_an_invalid_pattern_is_an_error_or_a_missing_file(spark, lake, pattern):
    with pytest.raises(ParquetextError, match="not a pattern"):
        matches(Filesystems(), f"{lake}/{pattern}")
    with pytest.raises(ParquetextError, match="not a pattern"):
        is_named("a", pattern)
    (missing,) = list_files(spark, f"{lake}/{pattern}").to_pylist()
    assert (missing["path"], missing["size"]) == (f"{lake}/{pattern}", -1)


def test_a_pattern_for_names_alone_of_which_none_is_there_is_a_file_that_is_not_there(spark, lake):
    assert list_files(spark, [f"{lake}/{{k,l}}.parquet", f"{lake}/k\\l"])["size"].to_pylist() == [-1, -1]


def test_two_asterisks_are_any_number_of_folders_for_jobs_and_as_one_for_the_data_source(spark, lake):
    listed = list_files(spark, f"{lake}/{{day=1,day=2,_u}}/**/?.parquet")["path"].to_pylist()
    assert listed == [f"{lake}/{name}.parquet" for name in ("_u/x", "day=1/h=1/x", "day=1/h=2/x", "day=2/h=1/y")]
    assert list_files(spark, f"{lake}/**/_u/*")["path"].to_pylist() == [f"{lake}/_u/x.parquet"]
    assert matches(Filesystems(), f"{lake}/{{day=2,a}}/**") == [f"{lake}/day=2/h=1", f"{lake}/a/x.parquet"]


def test_names_are_matched_by_the_same_patterns():
    assert is_named("a.parquet", "{a,b}.[op]*")
    assert not is_named("ab.parquet", "{a,b}.[op]*")
