"""Recommendations of docs/spark.md: views by options, other threads, and recipes that report whether they were run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from pyspark.sql import functions as F

import parquetext
from parquetext import spark as jobs

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parents[2] / "docs" / "spark.md").read_text()


RECIPES = re.findall(r"```(python|sh)\n(.*?)```", PAGE.split("\n## ")[0], re.DOTALL)


def test_the_page_begins_with_three_recipes_of_three_lines():
    lines = [(language, len(list(filter(None, text.splitlines())))) for language, text in RECIPES]
    assert lines == [("python", 3), ("sh", 3), ("python", 3)]


@pytest.mark.parametrize("recipe", [RECIPES[0][1], RECIPES[2][1]], ids=["laptop", "managed cluster"])
def test_a_recipe_in_python_runs(spark, tmp_path, capsys, monkeypatch, recipe):
    monkeypatch.chdir(tmp_path)
    spark.range(5).coalesce(1).write.parquet(str(tmp_path / "lake/events"))
    exec(recipe.replace("s3://lake", f"{tmp_path}/lake"), {"spark": spark})
    assert re.search(r"\| *(upgraded|unchanged)\| *1\|", capsys.readouterr().out)


def test_the_program_of_spark_submit_runs_a_job(tmp_path):
    subprocess.run(["sh", "-c", RECIPES[1][1].splitlines()[1]], cwd=tmp_path, check=True)
    environment = os.environ | {"PYTHONPATH": str(Path(parquetext.__file__).parents[1])}
    command = [sys.executable, "main.py", "no-such-job", "lake"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "no such job: 'no-such-job'" in done.stderr


@pytest.fixture
def events(spark, tmp_path) -> Path:
    name, day = F.concat(F.lit("n"), "id").alias("name"), (F.col("id") % 3).alias("day")
    frame = spark.range(1000).select("id", name, day, F.lit(0).alias("rest"))
    jobs.write(frame, tmp_path / "events", partition_by="day")
    return tmp_path / "events"


def test_a_view_of_columns_and_prune_as_the_page_has_it(spark, events):
    view, query = re.search(r"### Views\n\n```sql\n(.*?);\n(.*?);\n```", PAGE, re.DOTALL).groups()
    spark.sql(view.replace("/lake/events", str(events)))
    try:
        assert spark.table("events").columns == ["id", "name", "day"]
        assert sorted(row.name for row in spark.sql(query).collect()) == ["n991", "n994", "n997"]
    finally:
        spark.catalog.dropTempView("events")


def test_readers_writers_and_jobs_work_in_other_threads_and_sessions(spark, events, tmp_path):
    for name, session in (("same", spark), ("new", spark.newSession())):
        found = {}

        def work(session=session, found=found, name=name):
            found["read"] = jobs.read(session, events, ["id"], [("day", "=", 1)]).count()
            found["job"] = {row.outcome for row in jobs.verify(session, events, progress=False).collect()}
            found["format"] = session.read.format("parquetext").load(str(events)).count()
            found["rows"] = jobs.write(session.range(5), tmp_path / name).rows

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert found == {"read": 333, "job": {"ok"}, "format": 1000, "rows": 5}


def test_recipes_that_were_not_tested_are_marked():
    recipes = PAGE.split("## Recipes\n")[1].split("\n## ")[0]
    message = dict(re.findall(r"\*\*(Standalone|YARN|Kubernetes)\*\* \((covered by tests|not tested)", recipes))
    assert message == {"Standalone": "covered by tests", "YARN": "not tested", "Kubernetes": "not tested"}
    assert "venv-pack -p" in recipes and "conda-pack -p" in recipes
