"""The workers of a session that `session` did not create run a Python with pyarrow, or an error names the variable."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
import pyspark_parquetext

PROGRAM = """
    import json, os, sys
    from pyspark.sql import SparkSession
    from parquetext import spark as jobs
    from parquetext.errors import Unsupported

    bare, lake = sys.argv[1:]
    builder = SparkSession.builder.master("local[1]").config("spark.driver.host", "127.0.0.1")
    said = {}

    def verify(name, python):
        os.environ.pop("PYSPARK_PYTHON", None)
        if python is not None:
            os.environ["PYSPARK_PYTHON"] = python
        spark = builder.getOrCreate()
        try:
            outcomes = [row.outcome for row in jobs.verify(spark, lake, progress=False).collect()]
            said[name] = [outcomes, os.environ["PYSPARK_PYTHON"], jobs.read(spark, lake, ["n"]).count()]
        except Unsupported as error:
            said[name] = str(error)
        spark.stop()

    verify("nothing set", None)
    verify("without pyarrow", bare)
    verify("missing", "/nonexistent/python3")
    print(json.dumps(said))
"""


@pytest.mark.slow
def test_local_workers_run_the_drivers_python_and_others_are_checked(run_driver, tmp_path, java_home):
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare], check=True)
    lake = tmp_path / "lake"
    lake.mkdir()
    pq.write_table(pa.table({"n": [1, 2]}), lake / "a.parquet")
    path = f"{bare}/bin:/usr/bin:/bin"  # the first python3 on it has no pyarrow
    (tmp_path / "package").mkdir()
    for package in (parquetext, pyspark_parquetext):  # without the packages that are installed beside them
        folder = Path(package.__file__).parent
        (tmp_path / "package" / folder.name).symlink_to(folder)
    variables = {"PATH": path, "JAVA_HOME": java_home, "PYTHONPATH": str(tmp_path / "package")}
    said = run_driver(PROGRAM, bare / "bin" / "python3", lake, **variables)
    message = json.loads(said.splitlines()[-1])
    assert message["nothing set"] == [["ok"], sys.executable, 2]
    remedy = f"before the session starts, set PYSPARK_PYTHON to a Python {sys.version_info[0]}.{sys.version_info[1]} "
    remedy += f"with pyarrow, such as {sys.executable}"
    assert message["without pyarrow"] == f"the workers' Python, {bare}/bin/python3, has no pyarrow: {remedy}"
    assert message["missing"].startswith("the workers' Python, /nonexistent/python3, does not start (")
    assert message["missing"].endswith(remedy) and "\n" not in message["missing"]
