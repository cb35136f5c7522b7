"""Read a file's footer as a task does, in the driver's JVM, in which its CPU time can be read."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["footer_readers"]

PACKAGE = "dev.parquetext"


def footer_readers(spark, path: str) -> tuple[Callable[[str], float], Callable[[str], float]]:
    """Return two functions of a column's name that return CPU seconds: by a sliced footer, and by the whole one."""
    jvm = spark._jvm
    conf = spark._jsc.hadoopConfiguration()
    threads = jvm.java.lang.management.ManagementFactory.getThreadMXBean()
    everything = jvm.org.apache.parquet.format.converter.ParquetMetadataConverter.NO_FILTER
    footer_reader = jvm.org.apache.spark.sql.execution.datasources.parquet.ParquetFooterReader
    from_path = jvm.org.apache.parquet.hadoop.util.HadoopInputFile.fromPath
    real = jvm.org.apache.hadoop.fs.Path(path)
    metrics = _new(spark, "spark.scan.ScanMetrics", spark._jsc.sc())

    def seconds(where) -> float:
        before = threads.getCurrentThreadCpuTime()
        footer_reader.readFooter(from_path(where, conf), everything)
        return (threads.getCurrentThreadCpuTime() - before) / 1e9

    def sliced(name: str) -> float:
        names = jvm.java.util.ArrayList()
        names.add(name)
        projection = _new(spark, "footer.Projection", names, False, 0.5)
        return seconds(_new(spark, "spark.scan.SlicedPath", real, projection, metrics, True))

    return sliced, lambda _: seconds(real)


def _new(spark, name: str, *arguments):
    """Return a new object of a class of the jar, also of a class that is not public."""
    jvm = spark._jvm
    loader = jvm.org.apache.spark.util.Utils.getContextOrSparkClassLoader()
    constructors = jvm.java.lang.Class.forName(f"{PACKAGE}.{name}", True, loader).getDeclaredConstructors()
    constructor = next(one for one in constructors if one.getParameterCount() == len(arguments))
    constructor.setAccessible(True)
    array = spark.sparkContext._gateway.new_array(jvm.java.lang.Object, len(arguments))
    for index, argument in enumerate(arguments):
        array[index] = argument
    return constructor.newInstance(array)
