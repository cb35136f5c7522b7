"""Inspect files: structure and layout of the bytes, integrity, and content."""
