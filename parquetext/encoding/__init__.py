"""Pages of column chunks and their encodings; knows no file and no footer."""
