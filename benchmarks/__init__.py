"""Compare parquetext with the installed readers in one run, as ratios."""
