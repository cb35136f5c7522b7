"""Page indexes and Bloom filters of column chunks, made from their pages."""
