"""Hadoop's settings of HDFS that hdfs-native's client goes by; libhdfs reads its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

__all__ = ["as_written", "hdfs_settings", "of_hdfs"]

_NAMES = ("fs.defaultFS", "dfs.nameservices")
# Name nodes by a common name, mounts, and writing on in spite of lost data nodes.
_BELOW = (
    "dfs.ha.namenodes.",
    "dfs.namenode.rpc-address.",
    "dfs.client.failover.",
    "fs.viewfs.mounttable.",
    "dfs.client.block.write.replace-datanode-on-failure.",
)


def hdfs_settings(get: Callable[[str], str | None], below: Callable[[str], Mapping[str, str]]) -> dict[str, str | None]:
    """The settings that count, out of Hadoop's configuration."""
    found = {name: get(name) for name in _NAMES}
    for prefix in _BELOW:
        found |= below(prefix)
    return found


def of_hdfs(settings: Mapping[str, str]) -> dict[str, str]:
    """Those of HDFS among the settings of all filesystems."""
    return {name: value for name, value in settings.items() if name in _NAMES or name.startswith(_BELOW)}


def as_written(options: Mapping[str, str]) -> dict[str, str]:
    """Those of HDFS whose names hold capitals, among options in small letters."""
    return {name: options[name.lower()] for name in _NAMES if name.lower() in options}
