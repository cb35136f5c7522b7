"""Recommendations of docs/spark.md: views by options, other threads, and recipes that report whether they were run."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest
from pyspark.sql import functions as F

from parquetext import spark as jobs

PAGE = (Path(__file__).parents[2] / "docs" / "spark.md").read_text()


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


def test_recipes_that_were_not_run_are_marked():
    recipes = PAGE.split("## Recipes\n")[1].split("\n## ")[0]
    message = dict(re.findall(r"\*\*(Standalone|YARN|Kubernetes)\*\* \((run|not run)", recipes))
    assert message == {"Standalone": "run", "YARN": "not run", "Kubernetes": "not run"}
    assert "venv-pack -p" in recipes and "conda-pack -p" in recipes
