"""The command line in a terminal: the progress bar, the results and the errors share its lines."""

from __future__ import annotations

import re
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.described import write
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
    told = [line for line in lines if "part-07" in line]
    assert told == ([] if apart else [f"{lake}/part-07.parquet: No such file or directory"])
    assert len(lines) == FILES + 2 - apart


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


def test_tables_fit_a_terminal_of_80_columns(tmp_path):
    """One line for each row, none folded: headings, rows, totals, and what there was no room for."""
    path = write(tmp_path / "a.parquet")
    program = f"""
from parquetext.cli.app import app
for words in ("columns", "columns -g", "pages --column id", "row-groups", "head"):
    print("#", words, flush=True)
    try:
        app([*words.split(), {str(path)!r}], standalone_mode=False)
    except SystemExit:
        pass
"""
    code, lines = in_terminal([sys.executable, "-c", program])
    assert code == 0 and max(map(len, lines)) <= 80
    parts: dict[str, list[str]] = {}
    for line in lines:
        if line.startswith("# "):
            found = parts[line[2:]] = []
        else:
            found.append(line)
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
    assert lines[1].split() == ["group", "page", "type", "encoding", "values", "bytes", "min", "max"]
    assert "8 pages" in lines[-2] and "at" in lines[-1]
    sizes = [line.split()[5].replace(",", "") for line in lines[2:-2]]
    assert len(sizes) == 8 and all(map(str.isdigit, sizes))


def test_bounds_that_are_numbers_are_never_cut_in_columns(tmp_path):
    path = tmp_path / "a.parquet"
    table = pa.table({"price": [2056.84306461984, 999199.3182784583], "name": ["n" * 40, "o" * 40]})
    pq.write_table(table, path)
    code, lines = in_terminal([sys.executable, "-m", "parquetext", "columns", str(path)])
    assert code == 0 and max(map(len, lines)) <= 80
    assert "2056.84306461984" in lines[1] and "999199.3182784583" in lines[1] and "…" in lines[2]
    assert lines[-1] == "no room for: encodings, uncompressed (--json has them)"


@pytest.mark.parametrize(
    ("environment", "letters"), [({}, "■"), ({"TERM": "dumb"}, "dvhfi"), ({"NO_COLOR": "1"}, "dvhfi")], ids=str
)
def test_the_map_has_letters_where_a_terminal_has_no_colours(tmp_path, environment, letters):
    path = write(tmp_path / "a.parquet")
    code, lines = in_terminal([sys.executable, "-m", "parquetext", "layout", str(path)], **environment)
    at = [line.split()[0] for line in lines].index("what")
    bar, marks = lines[at - 1], {line[0] for line in lines[at + 1 : at + 5]}
    assert code == 0 and set(bar) <= ({"█"} if letters == "■" else set("dvhfix")) and marks <= set(letters)


def test_encodings_of_the_advice_are_whole_names_beside_their_codecs(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a_long_name_of_a_column": range(5_000)}), path)
    code, lines = in_terminal([sys.executable, "-m", "parquetext", "encode", "--advise", str(path)])
    assert code == 0 and re.search("delta_binary_packed +zstd", "\n".join(lines))
    assert max(len(line) for line in lines if "packed" in line and "best:" not in line) <= 80
