"""Hadoop's S3A and Amazon's SDK, which pyspark does not bring: 690 MB, by Maven, kept for the next run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pyspark
import pytest

__all__ = ["hadoop_aws_jars"]

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>tests</groupId><artifactId>tests</artifactId><version>1</version><dependencies><dependency>
<groupId>org.apache.hadoop</groupId><artifactId>hadoop-aws</artifactId><version>{version}</version><exclusions>
<exclusion><groupId>org.apache.hadoop</groupId><artifactId>hadoop-common</artifactId></exclusion>
</exclusions></dependency></dependencies></project>"""


def hadoop_aws_jars() -> list[Path]:
    """The jars of `PARQUETEXT_HADOOP_AWS`, a folder, or those that fit pyspark's Hadoop; skips loudly without them."""
    if folder := os.environ.get("PARQUETEXT_HADOOP_AWS"):
        return sorted(Path(folder).glob("*.jar"))
    (client,) = Path(pyspark.__path__[0], "jars").glob("hadoop-client-api-*.jar")
    version = re.fullmatch(r"hadoop-client-api-(.*)\.jar", client.name)[1]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "parquetext-ci")
    folder = cache / f"hadoop-aws-{version}"
    if not folder.is_dir():
        _install(version, folder)
    return sorted(folder.glob("*.jar"))


def _install(version: str, folder: Path) -> None:
    if not shutil.which("mvn"):
        pytest.skip("needs mvn, or the jars of hadoop-aws in the folder PARQUETEXT_HADOOP_AWS")
    unfinished = folder.with_name(f"{folder.name}.{os.getpid()}")
    unfinished.mkdir(parents=True)
    (unfinished / "pom.xml").write_text(POM.format(version=version))
    command = ["mvn", "-q", "-B", "-f", unfinished / "pom.xml", "dependency:copy-dependencies"]
    fetched = subprocess.run([*command, f"-DoutputDirectory={unfinished}"], capture_output=True, text=True)
    if fetched.returncode:
        shutil.rmtree(unfinished)
        pytest.skip(f"hadoop-aws {version} cannot be had by mvn: {fetched.stdout[-500:]}")
    unfinished.rename(folder)
