# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.page import PageHeader as PageHeader
from .._pure.page import Pages as Pages
from .._pure.page import count_levels as count_levels
from .._pure.page import header as header
from .._pure.page import level_parts as level_parts
from .._pure.page import locations as locations
from .._pure.page import lz4_size as lz4_size
from .._pure.page import walk as walk
