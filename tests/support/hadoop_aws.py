"""Hadoop's S3A and Amazon's SDK, which pyspark does not contain: 690 MB, by Maven, kept for the next run."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pyspark

from .maven import maven_jars

__all__ = ["hadoop_aws_jars"]

WITHOUT_COMMON = """<exclusions><exclusion><groupId>org.apache.hadoop</groupId><artifactId>hadoop-common</artifactId>
</exclusion></exclusions>"""


def hadoop_aws_jars() -> list[Path]:
    """The jars of `PARQUETEXT_HADOOP_AWS`, a folder, or those that fit pyspark's Hadoop; skips loudly without them."""
    if folder := os.environ.get("PARQUETEXT_HADOOP_AWS"):
        return sorted(Path(folder).glob("*.jar"))
    (client,) = Path(pyspark.__path__[0], "jars").glob("hadoop-client-api-*.jar")
    version = re.fullmatch(r"hadoop-client-api-(.*)\.jar", client.name)[1]
    return sorted(maven_jars(f"org.apache.hadoop:hadoop-aws:{version}", WITHOUT_COMMON).glob("*.jar"))
