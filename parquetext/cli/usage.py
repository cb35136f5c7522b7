"""Commands whose messages about wrong options are in plain words, whatever library checks the options."""

from __future__ import annotations

import typer
from typer.core import TyperCommand

from ..masking import without_secrets

__all__ = ["Command"]

UsageError = typer.BadParameter.__base__
_OF_NUMBERS = {
    "int_parsing": "{input!r} is not a whole number",
    "int_from_float": "{input!r} is not a whole number",
    "float_parsing": "{input!r} is not a number",
    "bool_parsing": "{input!r} is neither yes nor no",
    "greater_than_equal": "{input} is too small: the least is {ge}",
    "less_than_equal": "{input} is too large: the greatest is {le}",
}


class Command(TyperCommand):
    """A command that says what is wrong with an option in words of its own."""

    def parse_args(self, ctx, args):
        try:
            return super().parse_args(ctx, args)
        except UsageError as error:
            error.message = without_secrets(_plain(error))
            raise


def _plain(error: UsageError) -> str:
    """Return the message without the words of pydantic, by which some versions of Typer check options."""
    message = error.message.removeprefix("Value error, ")
    found = getattr(error.__cause__, "errors", None)
    if not callable(found):
        return message
    first = found()[0]
    plain = _OF_NUMBERS.get(first["type"])
    return message if plain is None else plain.format(input=first["input"], **first.get("ctx", {}))
