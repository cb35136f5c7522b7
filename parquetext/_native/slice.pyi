# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.slice import arrow_build as arrow_build
from .._pure.slice import arrow_names as arrow_names
from .._pure.slice import arrow_pieces as arrow_pieces
from .._pure.slice import slice_footer as slice_footer
