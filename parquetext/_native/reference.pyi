# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.reference import AsideBlock as AsideBlock
from .._pure.reference import Reference as Reference
from .._pure.reference import parse as parse
