"""`python -m parquetext`."""

from .cli import main

main()
