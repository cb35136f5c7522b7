"""Fixtures of the tests of storage."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def server():
    """An S3 server, and the recorder of its requests."""
    from support.objects import recorded_s3_server  # needs moto

    with recorded_s3_server() as both:
        yield both


@pytest.fixture
def client(server):
    import boto3  # only for these tests

    return boto3.client(
        "s3", endpoint_url=server[1].url, aws_access_key_id="any", aws_secret_access_key="any", region_name="us-east-1"
    )
