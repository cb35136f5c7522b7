"""The examples of docs/copies.md run, and have the results that it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.typer_runner import CliRunner

import parquetext
from parquetext.cli.app import app

PAGE = (Path(__file__).parents[2] / "docs/copies.md").read_text()
ROWS = 5000
TABLE = pa.table(
    {
        "price": [row * 37 % 1000 / 100 for row in range(ROWS)],
        "url": [f"https://example.org/{row}" for row in range(ROWS)],
    }
)


@pytest.fixture(autouse=True)
def prices(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "prices.parquet"
    pq.write_table(TABLE, path, compression="zstd")
    return path


def test_the_python_example_gives_the_file_back(prices):
    before = prices.read_bytes()
    [example] = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    encode, read, strip = [line for line in example.splitlines() if line.startswith("parquetext.")]
    exec(encode, {"parquetext": parquetext})
    assert prices.read_bytes() != before
    assert eval(read, {"parquetext": parquetext}).equals(TABLE.select(["price"]))
    exec(strip, {"parquetext": parquetext})
    assert prices.read_bytes() == before


def test_the_commands_have_the_documented_effect(prices):
    before, message = prices.read_bytes(), []
    for line in re.findall(r"^    parquetext (.*)$", PAGE, re.M):
        for variant in (re.sub(r"\[(.*?)\]", r"\1", line), re.sub(r" \[.*?\]", "", line)):  # with all options first
            done = CliRunner().invoke(app, shlex.split(variant))
            assert done.exit_code == 0, (variant, done.output)
            message.append(variant.split()[0])
    assert message.count("encode") == 6 and message.count("strip") == 2
    assert prices.read_bytes() == before
    with parquetext.open("new.parquet") as file:
        assert file.read(engine="parquetext").equals(TABLE) and file.findings == []
