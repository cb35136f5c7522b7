"""What a Parquet user asks of a file first: its schema, facts of its columns and row groups, differences from another
one. Answered from the footer as far as a footer can answer."""
