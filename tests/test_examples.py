"""The examples of the README and of the guides have the results that they show."""

from __future__ import annotations

import datetime
import re
import shlex
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.geometries import point
from support.typer_runner import CliRunner

from parquetext.cli.app import app

ROOT = Path(__file__).parents[1]
TABLE = pa.table(
    {
        "price": [float(n) for n in range(300)],
        "customer": [{"name": f"c{n}"} for n in range(300)],
        "place": [{"x": n} for n in range(300)],
        "day": [datetime.date(2023, 12, 1) + datetime.timedelta(n) for n in range(300)],
    }
)


@pytest.fixture
def wide(tmp_path, monkeypatch) -> Path:
    """A file of the examples' name, in the current folder."""
    if not (ROOT / "README.md").exists():
        pytest.skip("not in a checkout")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "wide.parquet"
    pq.write_table(TABLE, path, row_group_size=100)
    return path


@pytest.fixture
def lake(wide) -> Path:
    """A directory of one day next to it."""
    path = wide.parent / "lake" / "day=2024-01-01" / "part.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(pa.table({"id": range(9), "price": [100.0 + n for n in range(9)]}), path)
    return path.parents[1]


def examples(page: str) -> str:
    return "\n".join(re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL))


def test_the_readmes_ten_lines(wide, capsys):
    lines, more, copies = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    before = wide.read_bytes()
    assert len([line for line in lines.splitlines() if line]) == 10
    names = {}
    exec(lines, names)
    assert capsys.readouterr().out.startswith("flat 300 []\n")
    assert names["table"].equals(TABLE.select(["price"]))
    assert wide.read_bytes() == before

    exec(more, names)
    assert names["table"].equals(pq.read_table(wide, filters=[("price", ">", 100)]))
    assert {"DATA_PAGE"} <= set(names["pages"]["type"].to_pylist())
    assert sum(names["kinds"]["bytes"].to_pylist()) == len(before)

    exec(copies, names)
    assert [column.column for column in names["advice"].columns] == ["price", "customer.name", "place.x", "day"]
    assert names["prices"].equals(TABLE.select(["price"]))
    assert wide.read_bytes() == before
    assert pq.read_table("prices.parquet").equals(names["prices"])


def test_the_guide_to_copies(wide):
    path = wide.with_name("prices.parquet")
    pq.write_table(pa.table({"price": [n / 100 for n in range(900)], "url": ["https://example.com"] * 900}), path)
    before = path.read_bytes()
    exec(examples("docs/copies.md"), {})
    assert path.read_bytes() == before


def test_the_reading_guides_example(wide):
    geometries = [point(10.0, 50.0), point(10.0, 51.0), point(0.0, 0.0)]
    pq.write_table(pa.table({"id": range(3), "geometry": geometries}), "places.parquet")
    names = {"date": datetime.date}
    exec(examples("docs/reading.md"), names)
    assert names["places"]["id"].to_pylist() == [1]
    assert names["table"].num_rows == (TABLE["day"].to_pylist()[-1] - datetime.date(2024, 1, 1)).days + 1
    assert names["table"].column_names == ["price", "place"]


def test_the_dataset_guides_example(lake):
    names = {}
    exec(examples("docs/datasets.md"), names)
    assert names["table"].to_pydict() == {"price": [101.0 + n for n in range(8)]}
    assert names["batch"].column("id").to_pylist() == [5, 7]
    assert (names["fragment"].path, names["fragment"].row_groups) == ("lake/day=2024-01-01/part.parquet", [0])


def test_the_engines_page(lake):
    names = {}
    exec(examples("docs/engines.md"), names)
    assert names["cheap"].columns == ["day", "price"] and names["cheap"].height == 100
    assert (names["first"].height, len(names["prices"])) == (5, 300)
    assert names["con"].execute("SELECT count(*) FROM sales").fetchall() == [(9,)]


def test_the_pytorch_pages_model_learns(wide):
    torch = pytest.importorskip("torch", reason="needs torch")
    torch.manual_seed(1)
    names = {}
    exec(examples("docs/torch.md"), names)
    model = names["model"]
    assert names["loss"] < 0.01
    assert torch.allclose(model.weight, torch.tensor([[3.0, -2.0]]), atol=0.2)


def test_the_readmes_commands(wide):
    for folder in ("lake", "parts"):
        (wide.parent / folder).mkdir()
        pq.write_table(TABLE, wide.parent / folder / "part.parquet")
    page = (ROOT / "README.md").read_text()
    commands = [shlex.split(line, comments=True) for line in re.findall(r"^    (parquetext .*)$", page, re.MULTILINE)]
    assert len(commands) >= 5
    for command in commands:
        done = CliRunner().invoke(app, command[1:])
        assert done.exit_code == 0, (command, done.output)


def test_the_migration_pages_commands_restore_the_original(wide):
    folder = wide.parent / "lake" / "trips"
    folder.mkdir(parents=True)
    wide.rename(folder / "wide.parquet")
    before = (folder / "wide.parquet").read_bytes()
    page = (ROOT / "docs" / "migration.md").read_text()
    commands = [shlex.split(line, comments=True) for line in re.findall(r"^    (parquetext .*)$", page, re.MULTILINE)]
    magics = {}
    for _, *arguments in commands:
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, (arguments, done.output)
        magics[arguments[0]] = (folder / "wide.parquet").read_bytes()[-4:]
    assert list(magics) == ["upgrade", "inspect", "verify", "finalize", "restore", "strip"]
    assert (magics["upgrade"], magics["finalize"], magics["restore"]) == (b"PAR1", b"PAR3", b"PAR1")
    assert (folder / "wide.parquet").read_bytes() == before
