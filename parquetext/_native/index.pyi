# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.index import GROUP as GROUP
from .._pure.index import Node as Node
from .._pure.index import Reader as Reader
from .._pure.index import verify as verify
from .._pure.index import write as write
