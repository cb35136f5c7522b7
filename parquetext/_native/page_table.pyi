# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.page_table import PageTable as PageTable
from .._pure.page_table import load as load
from .._pure.page_table import parse as parse
from .._pure.page_table import walk as walk
