"""A QuestDB that runs in a separate Java: tables, a partition as a Parquet file, and the counts of queries."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from support.readers import CACHE, PROGRAMS

__all__ = ["FILE", "STATEMENTS", "VERSION", "jar", "run"]

VERSION = "9.3.4"
DATA = Path(__file__).parents[1] / "data"
FILE = DATA / f"questdb-{VERSION}.parquet"  # a partition that this engine has written, by
STATEMENTS = DATA / f"questdb-{VERSION}.sql"  # these statements, with
ROW_GROUP_SIZE = 30  # rows per row group
POM = (
    "<project><modelVersion>4.0.0</modelVersion><groupId>engine</groupId><artifactId>engine</artifactId>"
    "<version>1</version><dependencies><dependency><groupId>org.questdb</groupId><artifactId>questdb</artifactId>"
    f"<version>{VERSION}</version></dependency></dependencies></project>"
)


def jar() -> Path:
    """The engine, from Maven Central."""
    folder = CACHE / f"QuestDB-{VERSION}"
    found = folder / f"questdb-{VERSION}.jar"
    if not found.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as made:
            (Path(made) / "pom.xml").write_text(POM)
            subprocess.run(
                ["mvn", "-q", "-B", "dependency:copy-dependencies", f"-DoutputDirectory={made}"],
                cwd=made,
                check=True,
                capture_output=True,
                text=True,
            )
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(made, folder)
    return found


def run(root: Path, statements: list[str], queries: list[str]) -> list[int]:
    """Run statements in the database at `root`, then give the first number of each query."""
    files = [root.with_name(f"{root.name}.{what}") for what in ("statements", "queries", "counts")]
    files[0].write_text("\n".join(statements))
    files[1].write_text("\n".join(queries))
    done = subprocess.run(
        [
            "java",
            "-Xmx512m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            jar(),
            PROGRAMS / "Partition.java",
            root,
            *files,
            str(ROW_GROUP_SIZE),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return [int(line) for line in files[2].read_text().splitlines()]
