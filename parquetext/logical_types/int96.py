"""INT96 without an annotation: timestamps of old writers.

Statistics have an order only if the column order is INT96_TIMESTAMP_ORDER of parquet-format 2.14. The kernels do not
compare the two bounds of a chunk; readers must.
"""

from __future__ import annotations

import pyarrow as pa

from .entry import INT96, Entry


class _Int96(Entry):
    widths = {INT96: 0}
    arrow_type = pa.timestamp("ns")
    bounds_reading = 0
    spark_type = "timestamp"
    questdb_type = "TIMESTAMP_NS"


ENTRIES = (_Int96(),)
