"""Fixtures of tests that need an object store or HDFS; each server starts once per process, when a test asks for it."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def object_server():
    """An S3 server with an empty bucket."""
    from support.objects import s3_server

    with s3_server() as filesystem:
        yield filesystem


@pytest.fixture(scope="session")
def azure(tmp_path_factory):
    """A container of Azurite."""
    from support.stores import azure_store

    with azure_store(tmp_path_factory.mktemp("azure")) as store:
        yield store


@pytest.fixture(scope="session")
def google(tmp_path_factory):
    """A bucket of fake-gcs-server."""
    from support.stores import google_store

    with google_store(tmp_path_factory.mktemp("google")) as store:
        yield store


@pytest.fixture(scope="session")
def hdfs(tmp_path_factory):
    """A folder of an HDFS with one data node."""
    from support.stores import hdfs_store

    with hdfs_store(tmp_path_factory.mktemp("hdfs")) as store:
        yield store


@pytest.fixture(params=["azure", "google", "hdfs"])
def store(request):
    """Each of the stores that run."""
    return request.getfixturevalue(request.param)
