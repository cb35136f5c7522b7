#!/usr/bin/env bash
# Build the jar of Spark's scan, parquetext/spark/jars/parquetext-spark_2.13.jar: needs javac (17 or later), and Spark 4
# (an installed pyspark, or SPARK_HOME). The same as `python -m parquetext.spark.jar`, without the package's needs.
exec "${PYTHON:-python3}" -P "$(dirname "$0")/../parquetext/spark/jar.py"
