"""Whole datasets on Spark: shipping the package to executors, jobs, a data source.

Public names are imported, and pyspark with them, when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import homes_of, lazy_names
from .versions import check_version

# Modules, and the public names that come from them. A module with the name of its function would hide it.
_HOMES = homes_of(
    """
    jobs: upgrade add_page_index encode strip finalize restore verify build_sidecars build_catalog JobFailed
    listing: list_files
    watching: watch
    column_reads: read
    starting: session
    java: JavaNotFound find_java_home
    writing: write recover
    shipping: ship
    scan_jar: NoJar jar
    """
)

__all__ = [*_HOMES]

if TYPE_CHECKING:
    from .column_reads import read as read
    from .java import JavaNotFound as JavaNotFound
    from .java import find_java_home as find_java_home
    from .jobs import JobFailed as JobFailed
    from .jobs import add_page_index as add_page_index
    from .jobs import build_catalog as build_catalog
    from .jobs import build_sidecars as build_sidecars
    from .jobs import encode as encode
    from .jobs import finalize as finalize
    from .jobs import restore as restore
    from .jobs import strip as strip
    from .jobs import upgrade as upgrade
    from .jobs import verify as verify
    from .listing import list_files as list_files
    from .scan_jar import NoJar as NoJar
    from .scan_jar import jar as jar
    from .shipping import ship as ship
    from .starting import session as session
    from .watching import watch as watch
    from .writing import recover as recover
    from .writing import write as write
else:
    _import, __dir__ = lazy_names(globals(), _HOMES)

    def __getattr__(name: str) -> object:
        if _HOMES.get(name) not in (None, "java", "scan_jar"):  # the others import names that an old pyspark lacks
            check_version()
        return _import(name)
