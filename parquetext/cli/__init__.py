"""The command line: `parquetext COMMAND …`."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command line; its packages are imported only here."""
    from .app import app

    app()
