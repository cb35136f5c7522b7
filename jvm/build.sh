#!/usr/bin/env bash
# Build the jar of Spark's scan in parquetext/spark/jars: needs javac (17 or later), and nothing else. The same as
# `python -m parquetext.spark.jar_build`, without the package's needs.
exec "${PYTHON:-python3}" -P "$(dirname "$0")/../parquetext/spark/jar_build.py"
