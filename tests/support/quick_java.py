"""Options for Java programs that live for seconds: no slow compiler, one thread for garbage, Spark's classes mapped."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["PLAIN", "java_options"]

PLAIN = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
# Spark reads its launcher's standard output: nothing is said there about an archive that does not fit.
_SILENT = "-Xlog:disable -Xlog:all=error:stderr"

# Loads the classes that most tests load, and leaves them in an archive when its Java ends.
_TRAINING = """
import sys
from pyspark.sql import SparkSession

folder, archive = sys.argv[1:]
spark = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
         .config("spark.driver.host", "127.0.0.1").config("spark.sql.warehouse.dir", f"{folder}/warehouse")
         .config("spark.driver.extraJavaOptions", f"-XX:ArchiveClassesAtExit={archive}").getOrCreate())
frame = spark.range(10).selectExpr("id", "cast(id as string) text", "id % 2 key")
frame = frame.mapInArrow(lambda batches: batches, "id long, text string, key long")
frame.write.partitionBy("key").parquet(f"{folder}/data")
spark.read.parquet(f"{folder}/data").where("id > 3").groupBy("key").count().orderBy("key").toArrow()
spark.sparkContext.parallelize([1], 1).map(str).collect()
java = spark.sparkContext._gateway.proc
spark.stop()
java.stdin.close()
java.wait()
"""


def java_options(folder: Path, java_home: str) -> str:
    """For the variable JDK_JAVA_OPTIONS. The archive of classes is kept in `folder`; the first who comes makes it."""
    import pyspark

    java, jars = Path(java_home, "bin", "java").resolve(), Path(pyspark.__path__[0], "jars")
    fitting = hashlib.sha256(f"{java} {jars} {jars.stat().st_mtime_ns}".encode()).hexdigest()[:16]
    archive = folder / f"{fitting}.jsa"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not archive.exists():
            for old in folder.glob("*.jsa"):
                old.unlink()
            _train(archive, java_home)
    return f"{PLAIN} {_SILENT} -XX:SharedArchiveFile={archive}" if archive.stat().st_size else PLAIN


def _train(archive: Path, java_home: str) -> None:
    """Leave an archive; an empty file where this Java makes none."""
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
        new = Path(folder, archive.name)
        environment = os.environ | {"JAVA_HOME": java_home, "PYSPARK_PYTHON": sys.executable, "JDK_JAVA_OPTIONS": PLAIN}
        done = subprocess.run([sys.executable, "-c", _TRAINING, folder, new], env=environment, cwd=folder,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        new.touch()
        new.rename(archive)
