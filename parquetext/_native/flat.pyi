# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.flat import GROUP as GROUP
from .._pure.flat import Node as Node
from .._pure.flat import Reader as Reader
from .._pure.flat import chunk_structs as chunk_structs
from .._pure.flat import to_thrift as to_thrift
from .._pure.flat import verify as verify
from .._pure.flat import write as write
