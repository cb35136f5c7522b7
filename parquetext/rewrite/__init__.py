"""Rewrite Parquet files with their column chunks at other offsets: bytes are copied, and every offset is patched."""
