"""Artifacts of Maven Central with the libraries that they need, kept for the next run."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

__all__ = ["maven_jars"]

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>tests</groupId><artifactId>tests</artifactId><version>1</version><dependencies><dependency>
<groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>{}</dependency></dependencies></project>"""


def maven_jars(artifact: str, exclusions: str = "") -> Path:
    """A folder of the jars of an artifact, "group:name:version"; skips loudly if Maven cannot get them."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "parquetext-ci")
    group, name, version = artifact.split(":")
    folder = cache / f"{name}-{version}"
    if folder.is_dir():
        return folder
    if not shutil.which("mvn"):
        pytest.skip(f"needs mvn, or the jars of {artifact} in {folder}")
    unfinished = folder.with_name(f"{folder.name}.{os.getpid()}")
    unfinished.mkdir(parents=True)
    (unfinished / "pom.xml").write_text(POM.format(group, name, version, exclusions))
    command = ["mvn", "-q", "-B", "-f", unfinished / "pom.xml", "dependency:copy-dependencies"]
    fetched = subprocess.run([*command, f"-DoutputDirectory={unfinished}"], capture_output=True, text=True)
    if fetched.returncode:
        shutil.rmtree(unfinished)
        pytest.skip(f"mvn cannot get {artifact}: {fetched.stdout[-500:]}")
    unfinished.rename(folder)
    return folder
