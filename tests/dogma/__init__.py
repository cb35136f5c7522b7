"""An evaluator of the part of the Dogma metalanguage that docs/parquet.dogma uses."""
