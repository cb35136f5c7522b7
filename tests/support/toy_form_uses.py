"""Uses of the toy form, as a program in a package that has it: `python toy_form_uses.py FOLDER [spark]`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from typer.testing import CliRunner

import parquetext
from parquetext.catalog.footers import read_footer
from parquetext.cli.app import app
from parquetext.footer import forms
from parquetext.footer.locate import read_tail
from parquetext.storage import open_source

TABLE = pa.table({"a": range(30), "b": [f"text {n}" for n in range(30)]})


def check_file(folder: Path) -> None:
    """Locate, open, read, upgrade to, verify, list and strip; fall back to Thrift if it is damaged."""
    path = folder / "x.parquet"
    pq.write_table(TABLE, path, row_group_size=10)
    original = path.read_bytes()
    for placement in ("aside", "in-struct"):
        assert parquetext.upgrade(path, form=forms.Form.toy, placement=placement).form_after == "toy"
        assert parquetext.upgrade(path, form="toy", placement=placement).outcome == "unchanged"
        with open_source(path) as source:
            assert forms.names_in(read_tail(source)) == ("thrift", "toy")
        with parquetext.open(path) as file:
            assert (file.form, file.findings) == ("toy", [])
            assert file.read(["b"]).equals(TABLE.select(["b"]))
            assert file.column("a").min.to_pylist() == [0, 10, 20]
        with parquetext.open(path, form="toy") as file:
            assert file.num_rows == 30
        assert pq.read_table(path).equals(TABLE)
        report = parquetext.verify(path, deep=True)
        assert (report.findings, report.forms) == ([], ["thrift", "toy"])
        assert {part["kind"] for part in parquetext.layout(path).parts.to_pylist()} >= {"toy-footer"}
        assert read_footer(path).forms == ("thrift", "toy")
    check_damage(path)
    assert parquetext.upgrade(path, form="flat").form_after == "flat"
    assert parquetext.upgrade(path, form="toy").form_before == "flat"
    assert parquetext.strip(path).form_before == "toy" and path.read_bytes() == original


def check_damage(path: Path) -> None:
    """Damage the payload: another form is used, and a finding reports it."""
    data = bytearray(path.read_bytes())
    with open_source(path) as source:
        block = forms.BY_NAME["toy"].find(read_tail(source))
    data[block.payload + 9] ^= 1
    damaged = path.with_name("damaged.parquet")
    damaged.write_bytes(data)
    with parquetext.open(damaged) as file:
        assert (file.form, [finding.kind for finding in file.findings]) == ("thrift", ["toy-damaged"])
    assert {"toy-damaged", "block-checksum"} <= {finding.kind for finding in parquetext.verify(damaged).findings}
    damaged.unlink()


def check_commands(folder: Path) -> None:
    """Select it on the command line."""
    path = folder / "commands.parquet"
    pq.write_table(TABLE, path)

    def run(*arguments: str) -> dict:
        done = CliRunner().invoke(app, [*arguments, "--json", str(path)])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    assert run("upgrade", "--form", "toy")["form_after"] == "toy"
    assert "toy" in json.dumps(run("inspect"))
    assert run("verify")["forms"] == ["thrift", "toy"]
    assert run("strip")["form_before"] == "toy"
    assert "toy" in CliRunner().invoke(app, ["upgrade", "--help"], env={"COLUMNS": "200"}).stdout


def check_spark(folder: Path) -> None:
    """Run it through the Spark jobs, in workers that import it on their own."""
    from parquetext.spark import session

    lake = folder / "lake"
    lake.mkdir()
    for number in range(3):
        pq.write_table(TABLE, lake / f"{number}.parquet")
    spark = session(master="local[2]", sql_warehouse_dir=folder / "warehouse")
    try:
        for job, options in (("upgrade", {"form": "toy"}), ("verify", {}), ("strip", {})):
            done = getattr(parquetext.spark, job)(spark, str(lake), progress=False, **options).collect()
            forms_told = {row.form_after if job == "upgrade" else row.form_before for row in done}
            assert (len(done), forms_told) == (3, {"toy"}), done
    finally:
        spark.stop()


if __name__ == "__main__":
    if sys.argv[2:] == ["spark"]:
        check_spark(Path(sys.argv[1]))
    else:
        check_file(Path(sys.argv[1]))
        check_commands(Path(sys.argv[1]))
