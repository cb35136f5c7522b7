"""Spark's settings of S3, as pyarrow's filesystem takes them."""

from __future__ import annotations

import pytest

from parquetext.errors import ParquetextError
from parquetext.spark.s3_settings import s3_options

KEYS = {"fs.s3a.access.key": "a", "fs.s3a.secret.key": "s"}


def options(settings: dict, bucket: str = "lake") -> dict:
    return {name: value for name, value in s3_options(settings, bucket).items() if name != "attempts"}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, {}),
        (KEYS, {"access_key": "a", "secret_key": "s"}),
        ({**KEYS, "fs.s3a.session.token": "t"}, {"access_key": "a", "secret_key": "s", "session_token": "t"}),
        (
            {
                "fs.s3a.assumed.role.arn": "arn:x",
                "fs.s3a.assumed.role.session.name": "n",
                "fs.s3a.assumed.role.session.duration": "30m",
                "fs.s3a.aws.credentials.provider": "org.apache.hadoop.fs.s3a.auth.AssumedRoleCredentialProvider",
            },
            {"role_arn": "arn:x", "session_name": "n", "load_frequency": 1800},
        ),
        (
            {
                "fs.s3a.assumed.role.arn": "arn:x",
                "fs.s3a.aws.credentials.provider": "x.SimpleAWSCredentialsProvider",
                **KEYS,
            },
            {"access_key": "a", "secret_key": "s"},
        ),
        (
            {**KEYS, "fs.s3a.aws.credentials.provider": "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider"},
            {"anonymous": True},
        ),
        ({"fs.s3a.endpoint": "http://127.0.0.1:9000"}, {"endpoint_override": "127.0.0.1:9000", "scheme": "http"}),
        (
            {
                "fs.s3a.endpoint": "store.example",
                "fs.s3a.connection.ssl.enabled": "false",
                "fs.s3a.path.style.access": "true",
            },
            {"endpoint_override": "store.example", "scheme": "http"},
        ),
        (
            {"fs.s3a.endpoint": "https://store.example"},
            {"endpoint_override": "store.example", "force_virtual_addressing": True},
        ),
        ({"fs.s3a.endpoint": "s3.eu-west-1.amazonaws.com"}, {"region": "eu-west-1"}),
        ({"fs.s3a.endpoint": "s3.amazonaws.com"}, {}),
        ({"fs.s3a.endpoint.region": "eu-north-1"}, {"region": "eu-north-1"}),
        (
            {"fs.s3a.connection.timeout": "200s", "fs.s3a.connection.establish.timeout": "5000"},
            {"request_timeout": 200.0, "connect_timeout": 5.0},
        ),
    ],
)
def test_a_setting_has_its_meaning(settings, expected):
    assert options(settings) == expected


@pytest.mark.parametrize(
    ("settings", "port"),
    [({}, 443), ({"fs.s3a.connection.ssl.enabled": "false"}, 80), ({"fs.s3a.proxy.port": "8080"}, 8080)],
)
def test_a_proxy_has_hadoops_port_unless_one_is_given(settings, port):
    assert options({"fs.s3a.proxy.host": "here", **settings})["proxy_options"]["port"] == port


@pytest.mark.parametrize("setting", ["proxy.port", "attempts.maximum", "connection.timeout"])
def test_an_invalid_setting_is_an_error_with_its_name(setting):
    with pytest.raises(ParquetextError, match=rf"^fs\.s3a\.{setting}=soon: .* expected"):
        options({"fs.s3a.proxy.host": "here", f"fs.s3a.{setting}": "soon"})


def test_the_settings_of_a_bucket_go_first():
    settings = {**KEYS, "fs.s3a.bucket.lake.access.key": "b", "fs.s3a.attempts.maximum": "7"}
    assert options(settings)["access_key"] == "b"
    assert options(settings, "other")["access_key"] == "a"
    assert s3_options(settings, "lake")["attempts"] == 7
