"""Names of files, columns and key-values that would end lines, move cursors or be markup: shown escaped."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cli_runs import run

from parquetext.escaping import escaped, json_line

NAMES = [
    "x.parquet\nok  forged.parquet",
    "red \x1b[31m.parquet",
    "[b]bold.parquet",
    "left \u202e.parquet",
    ":smile:.parquet",
    "wide é長.parquet",
]
AT_THE_END = "x[/b].parquet"  # in a folder "x["
UNSHOWN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\ud800-\udfff]")


@pytest.fixture
def lake(tmp_path, monkeypatch) -> Path:
    table = pa.table({"a\nok  column.parquet": [1], "b\x1b[2J": ["x"]})
    table = table.replace_schema_metadata({"[/k]\n": "\x1b[1m\n"})
    (tmp_path / "x[").mkdir()
    monkeypatch.chdir(tmp_path)
    for name in (*NAMES, AT_THE_END, os.fsdecode(b"byte \xff.parquet")):
        with open(name, "wb") as file:
            pq.write_table(table, file)
    with open("bad\n\x1b[1m[b].parquet", "wb") as file:
        file.write(b"\n\x1b[31m nothing")
    return tmp_path


COMMANDS = [
    ("inspect",),
    ("schema",),
    ("schema", "--format", "duckdb"),
    ("meta", "--full"),
    ("row-groups",),
    ("count",),
    ("verify",),
    ("verify", "--deep"),
    ("upgrade", "--form", "flat"),
    ("strip",),
    ("recover",),
    ("finalize", "--yes"),
    ("restore",),
    ("sidecar", "build"),
    ("sidecar", "verify"),
    ("sidecar", "show"),
]


def test_no_command_is_ended_by_a_name_or_shows_it_raw(lake):
    for command in COMMANDS:
        done = run(*command, lake)
        assert done.exit_code in (0, 1), (command, done.output, done.exception)
        assert not UNSHOWN.search(done.output), (command, UNSHOWN.search(done.output), done.output)
        assert not [line for line in done.output.splitlines() if line.startswith("ok  forged")]
        assert "[b]bold" in done.output and ":smile:" in done.output and "x[/" in done.output, done.output
        assert "x.parquet\\nok  forged" in done.output and "é長" in done.output and "byte \\udcff" in done.output


def test_json_stays_valid_and_has_the_names_as_they_are(lake):
    names = {*NAMES, AT_THE_END, os.fsdecode(b"byte \xff.parquet")}
    for command in COMMANDS:
        done = run(*command, "--json", lake)
        assert not UNSHOWN.search(done.stdout)
        found = [json.loads(line)["path"] for line in done.stdout.splitlines()]
        assert names <= {str(Path(path).relative_to(lake)) for path in found}, (command, done.output)


@pytest.mark.parametrize("command", ["inspect", "verify", "upgrade"])
def test_an_unknown_name_is_reported_on_one_line(command, tmp_path):
    done = run(command, tmp_path / "no\nsuch \x1b[1m[/b].parquet")
    message = [line for line in done.output.splitlines() if "such" in line]
    assert len(message) == 1 and "no\\nsuch \\x1b[1m[/b].parquet" in message[0], done.output


@given(st.text(st.characters()) | st.text(st.characters(categories=["Cs", "Cc", "Cf", "Zl", "Zp"])))
def test_every_text_is_shown_on_one_line_and_comes_back_from_json(text):
    shown = escaped(text)
    assert len(shown.splitlines()) <= 1 and not UNSHOWN.search(shown)
    shown.encode()
    line = json_line({"text": text})
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")  # halves that meet are one letter
    assert json.loads(line) == {"text": joined} and len(line.splitlines()) == 1
    line.encode()


def test_plain_text_stays_as_it_is():
    text = "lake/day=1/é長 🙂 [b]x[/b] \\n 100%.parquet"
    assert escaped(text) == text and json.loads(json_line(text)) == text


def test_pages_of_columns_that_share_a_name_are_listed(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), path, use_dictionary=False)
    found = run("pages", path, "--json")
    assert [json.loads(line)["max"] for line in found.output.splitlines()] == [1, 2]
    assert found.exit_code == 0
