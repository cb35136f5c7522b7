"""Parquet files written anew with their column chunks elsewhere: bytes are copied, and every offset is patched."""
