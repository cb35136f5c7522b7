"""Side-by-side measurements: parquetext against whichever readers are installed, in one run, as ratios."""
