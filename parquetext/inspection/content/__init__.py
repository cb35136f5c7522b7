"""Answer a Parquet user's first questions: schema, values of columns and row groups, differences between two files.

The answers use only the footer if possible.
"""
