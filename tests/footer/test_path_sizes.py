"""Long names of groups above many columns: refused wherever all paths would be made, and read column by column."""

from __future__ import annotations

import pytest
from support.vast_files import long_group_name

import parquetext
from parquetext.errors import LimitExceeded
from parquetext.footer.path_sizes import check_paths
from parquetext.inspection import integrity

LONG = 50_000


@pytest.fixture(scope="module", params=[True, False], ids=["short paths", "no paths"])
def path(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("names") / "x.parquet"
    path.write_bytes(long_group_name(400, LONG, paths=request.param))
    return str(path)


def test_all_paths_are_refused_with_their_size_and_the_file(path):
    for ask in (
        lambda file: list(file),
        lambda file: file.columns(),
        lambda file: file.parquet_schema.paths,
        lambda file: list(file.parquet_schema),
        lambda file: file.to_arrow(),
        lambda file: file.schema,
        lambda file: file.read(),
        lambda file: file.read(engine="parquetext"),
    ):
        with parquetext.open(path) as file, pytest.raises(LimitExceeded, match="the limit is 16777216") as caught:
            ask(file)
        assert caught.value.file == path
    with pytest.raises(LimitExceeded, match=r"the paths of the columns have 2000\d{4} bytes"):
        parquetext.dataset(path).schema  # noqa: B018


def test_verify_reports_that_it_checks_nothing_more(path):
    report = integrity.verify(path, deep=True)
    assert [finding.kind for finding in report.findings if "paths of the columns" in finding.message] == ["schema"]
    assert not report.ok


def test_a_column_is_found_by_its_path(path):
    with parquetext.open(path) as file:
        column = file.column(("g" * LONG, "c7"))
        assert column.path == ("g" * LONG, "c7") and column.physical_type == "INT32"


def test_paths_of_usual_length_are_below_the_limit():
    """1,000 columns of a group whose name has 100 letters."""
    from support.footers import footer_of

    from parquetext import kernels

    check_paths(kernels.scan.scan(footer_of(long_group_name(1000, 100))), groups=True)


def test_the_bounds_of_a_very_wide_column_take_no_memory(tmp_path):
    from support.vast_files import vast_files

    path = tmp_path / "wide.parquet"
    path.write_bytes(next(data for name, data in vast_files() if name == "fixed width of 2 GiB"))
    with parquetext.open(path) as file:
        column = file.column("a")
        with pytest.raises(parquetext.errors.Unsupported, match="2147483647 bytes for 1 values of 2147483647 bytes"):
            column.min  # noqa: B018
        assert "FIXED_LEN_BYTE_ARRAY" in repr(column)
