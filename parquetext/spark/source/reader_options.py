"""Options of the reader: `.option(…)`."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ...errors import ParquetextError
from ...records import frozen
from ...storage import Target
from ..filesystems import Filesystems, is_setting, normal

MIB = 1 << 20
_SUFFIXES = {"": 1, "b": 1, "k": 1 << 10, "kb": 1 << 10, "m": MIB, "mb": MIB, "g": 1 << 30, "gb": 1 << 30}
NAMES = (
    "columns",
    "mergeSchema",
    "sidecar",
    "basePath",
    "maxPartitionBytes",
    "openCostInBytes",
    "minPartitionNum",
    "batchRows",
    "datetimeRebaseMode",
    "int96RebaseMode",
    "timeZone",
    "recursiveFileLookup",
    "pathGlobFilter",
    "prune",
    "catalog",
    "listing",
)
_KNOWN = {name.lower() for name in (*NAMES, "path", "paths")}
UNTOLD = 32  # partitions of large reads if the session's parallelism is unknown
REBASE_MODES = ("CORRECTED", "LEGACY", "EXCEPTION")


@frozen
class Options:
    """A reader's options, with Spark's names if Spark has them."""

    paths: list[str]
    filesystems: Filesystems
    columns: list[str] | None
    merge_schema: bool
    sidecar: bool
    base_path: str | None
    partition_bytes: int
    open_cost: int
    min_partitions: int
    batch_rows: int
    rebase: str
    int96_rebase: str
    time_zone: str | None
    recursive: bool
    name_filter: str | None
    prune: str | None
    catalog: str | None
    listing: bool

    @classmethod
    def of(cls, options: Mapping[str, str], parallelism: int = UNTOLD) -> Options:
        """Parse the options from Spark, for a session with this number of parallel tasks. Their names have any case.

        Raises
        ------
        ParquetextError
            If there is no path, or if an option is unknown or has an invalid value: ignoring an option of Spark's
            reader would return other rows.
        """
        unknown = {name for name in options if not is_setting(name) and name.lower() not in _KNOWN}
        if unknown:
            raise ParquetextError(
                f"unknown option {', '.join(sorted(unknown))}: known are {', '.join(NAMES)}, fs.…, dfs.…"
            )
        filesystems = Filesystems.of_options(options)
        options = {name.lower(): value for name, value in options.items()}
        catalog, listing = options.get("catalog"), _flag(options, "listing", "true")
        if catalog is None and not listing:
            raise ParquetextError("option listing is false, so that a catalog has to say which files there are")
        return cls(
            _paths(options),
            filesystems,
            _columns(options.get("columns")),
            _flag(options, "mergeSchema"),
            _flag(options, "sidecar"),
            options.get("basepath"),
            _bytes(options, "maxPartitionBytes", 128 * MIB),
            _bytes(options, "openCostInBytes", 4 * MIB),
            _bytes(options, "minPartitionNum", parallelism),
            _bytes(options, "batchRows", 1 << 15),
            _mode(options, "datetimeRebaseMode"),
            _mode(options, "int96RebaseMode"),
            options.get("timezone"),
            _flag(options, "recursiveFileLookup"),
            options.get("pathglobfilter"),
            options.get("prune"),
            catalog,
            listing,
        )

    def target(self, path: str) -> Target:
        """Resolve a path or URL with the filesystem settings that are among the options."""
        return self.filesystems.target(normal(path))


def _paths(options: Mapping[str, str]) -> list[str]:
    paths = json.loads(options["paths"]) if options.get("paths") else []
    if options.get("path"):
        paths = [options["path"], *paths]
    if not paths:
        raise ParquetextError("no path: say .load(path)")
    return paths


def _columns(text: str | None) -> list[str] | None:
    """Parse a JSON list of names, or names separated by commas."""
    if text is None:
        return None
    if text.lstrip().startswith("["):
        return json.loads(text)
    return [name.strip() for name in text.split(",") if name.strip()]


def _flag(options: Mapping[str, str], name: str, default: str = "false") -> bool:
    text = options.get(name.lower(), default).lower()
    if text not in ("true", "false"):
        raise ParquetextError(f"option {name} is true or false, not {text!r}")
    return text == "true"


def _bytes(options: Mapping[str, str], name: str, default: int) -> int:
    text = options.get(name.lower())
    if text is None:
        return default
    digits = text.strip().lower().rstrip("bkmg")
    factor = _SUFFIXES.get(text.strip().lower()[len(digits) :])
    if factor is None or not digits.isdecimal() or not int(digits):
        raise ParquetextError(f"option {name} is a positive number, such as 1000 or 128m, not {text!r}")
    return int(digits) * factor


def _mode(options: Mapping[str, str], name: str) -> str:
    mode = options.get(name.lower(), "CORRECTED").upper()
    if mode not in REBASE_MODES:
        raise ParquetextError(f"option {name} is one of {', '.join(REBASE_MODES)}, not {mode!r}")
    return mode
