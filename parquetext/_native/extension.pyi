# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.extension import Place as Place
from .._pure.extension import block_before as block_before
from .._pure.extension import find as find
from .._pure.extension import read_trailer as read_trailer
from .._pure.extension import trailer as trailer
