"""Options for Java programs that live for seconds: no slow compiler, one thread for garbage, Spark's classes mapped.

Spark's user interface is off unless a test turns it on. `quick_java.py FOLDER` makes the archive of classes in the
folder before the tests need it.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

__all__ = ["PLAIN", "java_options"]

PLAIN = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dspark.ui.enabled=false"
PATIENCE = 150  # seconds: a sixth of them does on a machine that has nothing else to do
# Spark reads its launcher's standard output: nothing is said there about an archive that does not fit.
_SILENT = "-Xlog:disable -Xlog:all=error:stderr"

# Loads the classes that most tests load, and leaves them in an archive when its Java ends.
_TRAINING = """
import sys
from pyspark.sql import SparkSession

folder, archive = sys.argv[1:]
spark = (SparkSession.builder.master("local[1]")
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


def java_options(folder: Path, java_home: str, patience: float = PATIENCE) -> str:
    """Return options for the variable JDK_JAVA_OPTIONS. The archive of classes is kept in `folder`.

    The first process that needs the archive makes it. Other processes do not wait: Java ignores an archive that does
    not exist yet. If making it fails or takes more than `patience` seconds, a warning says so, Java programs start
    without it, and nobody tries again for an hour.
    """
    try:
        archive = _archive(folder, java_home, patience)
    except (OSError, subprocess.SubprocessError) as error:
        warnings.warn(f"Java programs start slowly, without an archive of classes: {error}", stacklevel=2)
        return PLAIN
    if archive.exists() and not archive.stat().st_size:
        return PLAIN
    return f"{PLAIN} {_SILENT} -XX:SharedArchiveFile={archive}"


def _archive(folder: Path, java_home: str, patience: float) -> Path:
    import pyspark

    java, jars = Path(java_home, "bin", "java").resolve(), Path(pyspark.__path__[0], "jars")
    fitting = hashlib.sha256(f"{java} {jars} {jars.stat().st_mtime_ns}".encode()).hexdigest()[:16]
    archive, failed = folder / f"{fitting}.jsa", folder / f"{fitting}.failed"
    with Path(folder, "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return archive  # another process is making it
        if archive.exists():
            return archive
        if failed.exists() and time.time() - failed.stat().st_mtime < 3600:
            raise OSError(failed.read_text())
        for old in folder.glob("*.jsa"):
            old.unlink()
        try:
            _train(archive, java_home, patience)
        except (OSError, subprocess.SubprocessError) as error:
            failed.write_text(str(error))
            raise
    return archive


def _train(archive: Path, java_home: str, patience: float) -> None:
    """Leave an archive; an empty file where this Java makes none."""
    with tempfile.TemporaryDirectory(dir=archive.parent, ignore_cleanup_errors=True) as folder:
        new = Path(folder, archive.name)
        environment = os.environ | {"JAVA_HOME": java_home, "PYSPARK_PYTHON": sys.executable, "JDK_JAVA_OPTIONS": PLAIN}
        training = subprocess.Popen(
            [sys.executable, "-c", _TRAINING, folder, new],
            env=environment,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            said, _ = training.communicate(timeout=patience)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(training.pid, signal.SIGKILL)  # its Java, too
            training.wait()
            training.stdout.close()
        if training.returncode:
            raise subprocess.SubprocessError(
                f"the program that trains it ended with {training.returncode}: {said[-2000:].strip()}"
            )
        new.touch()
        new.rename(archive)


if __name__ == "__main__":
    from parquetext.spark import find_java_home

    chosen = Path(sys.argv[1])
    chosen.mkdir(parents=True, exist_ok=True)
    print(java_options(chosen, find_java_home(), 600))  # beside builds it takes longer
