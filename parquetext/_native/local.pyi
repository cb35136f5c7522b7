# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.local import LocalFile as LocalFile
from .._pure.local import own_block as own_block
from .._pure.local import read_pages as read_pages
