"""Secrets of URLs: no function and no command shows one, writes one to a file, or puts one into a column."""

from __future__ import annotations

import contextlib
import io
import traceback
import types
import warnings
from collections.abc import Callable, Iterator
from enum import EnumMeta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer
from support.every_verb import PYTHON
from support.served_files import Ranged, served

import parquetext
from parquetext import catalog, edits, sidecar
from parquetext.cli.app import app
from parquetext.masking import Names, is_masked, without_secrets
from parquetext.storage import resolve

PARTS = ("SECRET", "pa%2Fss", "pa/ss")
QUERY = "?sig=SECRET&X-Amz-Signature=SECRET#access_token=SECRET"
CHANGES = (
    "add_page_index",
    "upgrade",
    "finalize",
    "encode",
    "sidecar",
    "drop_original_encoding",
    "recover",
)  # these copy a local file first
LEFT_OUT = ("demo",)
GIVE_BACK = ("Planned", "Result", "each", "names_of")  # check the arguments that these receive
COMMAND = typer.main.get_command(app)
SMALL = 200  # batches, rows or files of a result that are checked


@pytest.fixture(scope="module")
def host(tmp_path_factory) -> Iterator[str]:
    """The host and port of a server with a file and one that is cut."""
    folder = tmp_path_factory.mktemp("served")
    table = pa.table({"n": range(30), "text": ["x"] * 30})
    pq.write_table(table, folder / "data.parquet", row_group_size=10)
    (folder / "cut.parquet").write_bytes((folder / "data.parquet").read_bytes()[:-20])
    with served(folder, Ranged) as (url, _):
        yield url.removeprefix("http://")


@pytest.fixture(params=["data", "cut", "nowhere"])
def url(request, host, monkeypatch, tmp_path) -> str:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.chdir(tmp_path)  # some functions take an argument of the scan as the name of a new file
    return f"http://user:pa%2Fss@{host}/{request.param}.parquet{QUERY}"


@pytest.fixture
def data(host, monkeypatch) -> str:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return f"http://user:pa%2Fss@{host}/data.parquet{QUERY}"


def shown(call: Callable[[], object]) -> str:
    """Collect everything that a call shows: its result, output, warnings, and its error with all causes."""
    streams, message = io.StringIO(), []
    with (
        contextlib.redirect_stdout(streams),
        contextlib.redirect_stderr(streams),
        warnings.catch_warnings(record=True) as warned,
    ):
        warnings.simplefilter("always")
        try:
            found = call()
            message.append(repr(found))
            if isinstance(found, types.GeneratorType):
                message += [repr(each) for each, _ in zip(found, range(SMALL), strict=False)]
        except (Exception, SystemExit) as error:
            message += traceback.format_exception(error)
            message += [repr(error), repr(error.args), repr(vars(error)), repr(getattr(error, "filename", ""))]
    return "\n".join([streams.getvalue(), *message, *(str(each.message) for each in warned)])


def check(call: Callable[[], object], folder: Path) -> None:
    texts = [shown(call)]
    for path in folder.rglob("*"):
        texts.append(str(path))
        if path.is_file():
            texts.append(path.read_bytes().decode("latin-1"))
    for text in texts:
        found = [part for part in PARTS if part in text]
        assert not found, text


@pytest.mark.parametrize("name", [name for name in PYTHON if not name.startswith(CHANGES)])
def test_no_verb_shows_a_secret(name, url, tmp_path):
    check(lambda: PYTHON[name](url, tmp_path), tmp_path)


def public_functions() -> Iterator[tuple[str, Callable]]:
    for module in (parquetext, edits, sidecar, catalog):
        for name in module.__all__:
            each = getattr(module, name)
            if (
                name not in GIVE_BACK
                and callable(each)
                and not (isinstance(each, type) and issubclass(each, BaseException))
            ):
                yield f"{module.__name__}.{name}", each


@pytest.mark.parametrize(("name", "function"), list(public_functions()))
def test_no_public_function_shows_a_secret(name, function, url, tmp_path):
    out = str(tmp_path / "out")
    calls = [[url], [url, out], [url, "n"], [url, {"n": "plain"}], [[url]], [[url], out], [pa.table({}), url]]
    if isinstance(function, EnumMeta):
        calls = calls[:1]  # Python's own machinery takes further arguments, as the names of a new enumeration
    for arguments in calls:
        check(lambda arguments=arguments: function(*arguments), tmp_path)


def commands(command: typer.core.TyperGroup, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, each in command.commands.items():
        if hasattr(each, "commands"):
            yield from commands(each, (*words, name))
        elif name not in LEFT_OUT:
            yield (*words, name)


@pytest.mark.parametrize("words", list(commands(COMMAND)), ids=" ".join)
def test_no_command_shows_a_secret(words, url, tmp_path):
    out = str(tmp_path / "out")
    for more in ([], ["--json"], ["--out", out], [out], ["n"], ["--filter", "n > 3"], [url]):
        check(lambda more=more: COMMAND.main([*words, url, *more]), tmp_path)


def test_the_scan_finds_a_secret_wherever_it_is(tmp_path):
    def fails() -> None:
        try:
            raise OSError("SECRET")
        except OSError as error:
            raise ValueError("no") from error

    for call in (lambda: "SECRET", lambda: print("SECRET"), lambda: warnings.warn("SECRET", stacklevel=1), fails):
        with pytest.raises(AssertionError):
            check(call, tmp_path)
    (tmp_path / "file").write_text("SECRET")
    with pytest.raises(AssertionError):
        check(lambda: None, tmp_path)


def test_a_dataset_opens_by_files_and_names_them_without_secrets_in_columns(data):
    other = data.replace("sig=SECRET", "sig=SECRET2")
    lake = parquetext.dataset([data, other])
    assert lake.files == [data, other]
    table = lake.to_table(columns=["n", "__filename", "__fragment_index"])
    [name] = set(table["__filename"].to_pylist())
    assert name == without_secrets(data) and "SECRET" not in str(table.to_pydict())
    assert [parquetext.read_table(lake.files[index]).num_rows for index in (0, 1)] == [30, 30]
    assert table["__fragment_index"].to_pylist() == [0] * 30 + [1] * 30
    for fragment in lake.get_fragments():
        assert fragment.path in (data, other) and fragment.open().size() > 0
        assert "SECRET" not in repr(fragment) and fragment.name == name
    with parquetext.ParquetFile(data) as file:
        assert "SECRET" not in repr(file)
        with pytest.raises(IndexError) as error:
            file.read_row_group(9)
        assert "SECRET" not in str(error.value)


def test_local_files_have_their_whole_names_in_columns(tmp_path):
    path = tmp_path / "x?token=part.parquet"
    pq.write_table(pa.table({"n": [1]}), path)
    assert parquetext.dataset([path]).to_table(columns=["__filename"])["__filename"].to_pylist() == [str(path)]
    assert resolve(path).shown == str(path)


def test_parts_of_a_url_are_named_by_its_path(data, tmp_path):
    parts = list(parquetext.split(data, tmp_path, row_groups=1))
    assert [Path(part.path).name for part in parts] == [f"data-0000{number}.parquet" for number in range(3)]


def test_names_show_if_something_was_masked(data):
    names = Names()
    assert [is_masked(names.add(each)) for each in (data, data.replace("sig=", "sig=x"), "https://host/…/x")] == [
        True,
        True,
        False,
    ]
    assert not is_masked("/lake/…/x.parquet") and is_masked("s3://…@bucket/x") and is_masked("https://host/x#…")
