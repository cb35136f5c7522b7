"""The command line in a terminal: the progress bar, the results and the errors share its lines."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.described import write
from support.samples import some
from support.terminal import in_terminal

FILES = 12


@pytest.fixture
def lake(tmp_path):
    for number in range(FILES):
        pq.write_table(pa.table({"a": [number]}), tmp_path / f"part-{number:02}.parquet")
    (tmp_path / "part-05.parquet").write_bytes(b"not a Parquet file")
    (tmp_path / "part-07.parquet").unlink()
    (tmp_path / "part-07.parquet").symlink_to("nowhere")
    return tmp_path


@pytest.mark.parametrize("apart", [False, True], ids=["one terminal", "two terminals"])
def test_the_bar_leaves_every_line_whole(lake, apart):
    code, lines = in_terminal([sys.executable, "-m", "parquetext", "verify", str(lake)], 200, apart=apart)
    good = [number for number in range(FILES) if number not in (5, 7)]
    assert code == 1
    assert [line for line in lines if line.startswith("ok")] == [
        f"ok  {lake}/part-{number:02}.parquet  (thrift footer, no checksums)" for number in good
    ]
    assert [line[:24] for line in lines if "part-05" in line] == [f"findings  {lake}"[:24]]
    assert lines[-1] == f"{FILES} files: {FILES - 2} fine, 1 with findings, 1 unreadable"
    message = [line for line in lines if "part-07" in line]
    assert message == ([] if apart else [f"{lake}/part-07.parquet: No such file or directory"])
    assert len(lines) == FILES + 3 - apart


@pytest.mark.parametrize("command", ["verify", "upgrade --dry-run"])
def test_the_bar_takes_no_line_of_standard_output_in_a_file(lake, command):
    shell = f"{sys.executable} -m parquetext {command} {lake} >{lake}/printed.txt"
    code, lines = in_terminal(["sh", "-c", shell], 200)
    printed = (lake / "printed.txt").read_text().splitlines()
    good = [f"part-{number:02}.parquet" for number in range(FILES) if number not in (5, 7)]
    assert code == 1 and len(lines) < len(good)
    assert [name for name in good if not any(name in line for line in printed)] == []
    assert printed[-1].startswith(f"{FILES} files: {len(good)}")


def test_a_narrow_terminal_wraps_lines_and_loses_none(lake):
    code, lines = in_terminal([sys.executable, "-m", "parquetext", "upgrade", "--dry-run", str(lake)], 40)
    assert code == 1
    text = "".join(lines)
    assert all(f"part-{number:02}.parquet" in text for number in range(FILES))
    assert text.endswith("12 files: 10 unchanged, 2 failed")


def test_no_help_is_cut_in_a_terminal_of_80_columns():
    program = """
from typer.main import get_command
from parquetext.cli.app import app
command = get_command(app)
names = [[], *([name] for name in command.commands)]
names += [["sidecar", name] for name in command.commands["sidecar"].commands]
for words in names:
    print("#", *words, flush=True)
    try:
        app([*words, "-h"], standalone_mode=False)
    except SystemExit:
        pass
"""
    code, lines = in_terminal([sys.executable, "-c", program])
    assert code == 0 and sum(line.startswith("#") for line in lines) > 30
    assert [line for line in lines if "…" in line] == []


@pytest.mark.slow
def test_the_demos_table_fits_a_terminal_of_80_columns():
    command = [
        sys.executable,
        "-m",
        "parquetext",
        "demo",
        "--columns",
        "20",
        "--row-groups",
        "1",
        "--reader",
        "pyarrow",
    ]
    code, lines = in_terminal(command)
    assert code == 0 and max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines[:2]] == ["step", "write"] and lines[-1] == "everything is as it should be"
    assert not any("…" in line for line in lines)


def program_of(commands: Sequence[str], path: Path) -> list[str]:
    """Return the program that runs several commands on a file, each below a line with it, and ends at an error."""
    program = f"""
import sys
from parquetext.cli.app import app
for words in {commands!r}:
    print("#", words, flush=True)
    try:
        app([*words.split(), {str(path)!r}], standalone_mode=False)
    except SystemExit as end:
        if end.code:
            raise
    sys.stdout.flush()
"""
    return [sys.executable, "-c", program]


def by_command(lines: Iterable[str]) -> dict[str, list[str]]:
    """Return the lines of each command of such a program."""
    parts: dict[str, list[str]] = {}
    for line in lines:
        if line.startswith("# "):
            found = parts[line[2:]] = []
        else:
            found.append(line)
    return parts


def test_tables_fit_a_terminal_of_80_columns(tmp_path):
    """One line for each row, none folded: headings, rows, totals, and a note of the omitted columns."""
    path = write(tmp_path / "a.parquet")
    commands = "columns", "columns -g", "pages --column id", "row-groups", "head"
    code, lines = in_terminal(program_of(commands, path))
    assert code == 0 and max(map(len, lines)) <= 80
    parts = by_command(lines)
    leaves, groups = 15, 4
    counts = {name: len(found) for name, found in parts.items()}
    assert counts == {
        "columns": leaves + 3,
        "columns -g": leaves * groups + 3,
        "pages --column id": 1 + 2 * groups + 3,
        "row-groups": groups + 2,
        "head": 10 + 3,
    }, lines
    assert parts["columns"][0].split()[0] == "column" and parts["columns"][-2].startswith(f"{leaves} columns")
    assert parts["columns"][-1].startswith("no room for: ") and parts["head"][-1] == "10 of 1,000 rows"


def test_numbers_of_pages_are_never_cut(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"price": [number / 7 for number in range(40_000)]}), path, row_group_size=10_000)
    code, lines = in_terminal([sys.executable, "-m", "parquetext", "pages", str(path)])
    assert code == 0 and max(map(len, lines)) <= 80
    assert lines[1].split() == ["group", "page", "type", "encoding", "values", "nulls", "at", "bytes"]
    assert "8 pages" in lines[-2] and lines[-1] == "no room for: uncompressed, crc, min, max (--json has them)"
    sizes = [line.split()[-1].replace(",", "") for line in lines[2:-2]]
    assert len(sizes) == 8 and all(map(str.isdigit, sizes))


@pytest.mark.slow
@pytest.mark.parametrize("width", some([40, 60, 80, 100, 120], 2))
def test_a_minimum_is_shown_with_its_maximum_or_not_at_all(tmp_path, width):
    path = tmp_path / "a.parquet"
    times = [datetime(2024, 1, 1, 12, 30, 15, 123456), datetime(2024, 12, 31, 1, 2, 3, 400000), None]
    pq.write_table(pa.table({"when": times, "price": [1 / 3, 2 / 3, None]}), path, write_page_index=True)
    code, lines = in_terminal(program_of(("columns", "columns -g", "pages"), path), width)
    parts = by_command(lines)
    assert code == 0 and len(parts) == 3
    for command, found in parts.items():
        headings = next(line.split() for line in found if "encoding" in line or "column" in line)
        assert ("min" in headings) == ("max" in headings), command
        assert "nulls" in headings or "min" not in headings, command


def test_bounds_that_are_numbers_are_never_cut_in_columns(tmp_path):
    path = tmp_path / "a.parquet"
    table = pa.table({"price": [2056.84306461984, 999199.3182784583], "name": ["n" * 40, "o" * 40]})
    pq.write_table(table, path)
    code, lines = in_terminal([sys.executable, "-m", "parquetext", "columns", str(path)])
    assert code == 0 and max(map(len, lines)) <= 80
    assert "2056.84306461984" in lines[1] and "999199.3182784583" in lines[1] and "…" in lines[2]
    assert lines[-1] == "no room for: encodings, uncompressed (--json has them)"


WHOLE = {
    "when": pa.array([1704067200123456], pa.timestamp("us")),
    "zoned": pa.array([1704067200123456789], pa.timestamp("ns", "UTC")),
    "day": pa.array([19723], pa.date32()),
    "at": pa.array([45296123456], pa.time64("us")),
    "amount": pa.array([Decimal("-1234567890123456789012345678.901234567")], pa.decimal128(37, 9)),
    "price": [-2056.8430646198401],
    "count": [9223372036854775807],
    "took": pa.array([86400123456], pa.duration("us")),
    "hash": [bytes(range(100, 132))],
    "id": ["550e8400-e29b-41d4-a716-446655440000"],
}
TEXTS = {
    "when": "2024-01-01 00:00:00.123456",
    "zoned": "2024-01-01 00:00:00.123456789Z",
    "day": "2024-01-01",
    "at": "12:34:56.123456",
    "amount": "-1234567890123456789012345678.901234567",
    "price": "-2056.84306461984",
    "count": "9223372036854775807",
    "took": "86400123456",
    "hash": bytes(range(100, 132)).hex(),
    "id": "550e8400-e29b-41d4-a716-446655440000",
}


@pytest.mark.slow
@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_terminal_of_any_width_shows_values_whole_or_not_at_all(tmp_path, width):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({**WHOLE, "text": ["a long text " * 30]}), path, write_page_index=True)
    commands = "head", "cat --format table", "columns", "columns -g", "pages"
    code, lines = in_terminal(program_of(commands, path), width)
    assert code == 0 and [*by_command(lines)] == [*commands] and len(lines) > 15
    values = {text.replace(",", "") for text in TEXTS.values()}
    for line in lines:
        for word in re.findall(r"\S*\d\S*…", line):
            assert not any(value.startswith(word[:-1]) for value in values), line


@pytest.mark.slow
def test_names_identify_columns_in_a_narrow_terminal(tmp_path):
    """Each column that is shown is whole; the others are counted."""
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table(WHOLE), path)
    for width in (40, 80, 120, 200, 400):
        code, lines = in_terminal([sys.executable, "-m", "parquetext", "head", str(path)], width)
        names, values = lines[0].split(), re.split(" {2,}", lines[1].strip())
        assert code == 0 and len(lines[1]) <= width
        assert values == [TEXTS[name] for name in names]
        assert (len(names) == len(WHOLE)) == (not lines[2].startswith("no room for: "))
    assert len(names) == len(WHOLE)


def test_nothing_is_shortened_in_a_pipe(tmp_path):
    commands = "head", "cat --format table", "columns", "columns -g", "pages", "meta", "schema"
    path = tmp_path / "a.parquet"
    text = "a long text " * 40
    wide = {f"column {number:03}": [number] for number in range(60)}
    table = pa.table({**WHOLE, "text": [text], "n" * 300: [1], **wide}, metadata={"key": "k" * 300})
    pq.write_table(table, path, write_page_index=True, compression="none")
    done = subprocess.run(
        program_of(commands, path), capture_output=True, text=True, env=os.environ | {"COLUMNS": "40"}
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "…" not in done.stdout and "no room" not in done.stdout
    parts = by_command(done.stdout.splitlines())
    assert [*parts] == [*commands]
    for command, lines in parts.items():
        printed = "\n".join(lines)
        if command == "meta":
            assert "k" * 300 in printed
        else:
            assert "n" * 300 in printed and "column 059" in printed, command
        if command in ("head", "cat --format table"):
            assert text.strip() in printed and all(value in printed for value in TEXTS.values()), command


@pytest.mark.parametrize(
    ("environment", "letters"), [({}, "■"), ({"TERM": "dumb"}, "dvhfi"), ({"NO_COLOR": "1"}, "dvhfi")], ids=str
)
def test_the_map_has_letters_without_colors(tmp_path, environment, letters):
    path = write(tmp_path / "a.parquet")
    code, lines = in_terminal([sys.executable, "-m", "parquetext", "layout", str(path)], **environment)
    at = [line.split()[0] for line in lines].index("what")
    bar, marks = lines[at - 1], {line[0] for line in lines[at + 1 : at + 5]}
    assert code == 0 and set(bar) <= ({"█"} if letters == "■" else set("dvhfix")) and marks <= set(letters)


def test_encodings_of_the_advice_are_whole_names_with_their_codecs(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a_long_name_of_a_column": range(5_000)}), path)
    code, lines = in_terminal([sys.executable, "-m", "parquetext", "encode", "--advise", str(path)])
    assert code == 0 and re.search("delta_binary_packed +zstd", "\n".join(lines))
    assert max(len(line) for line in lines if "packed" in line and "best:" not in line) <= 80
