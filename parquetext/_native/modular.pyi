# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.modular import Placement as Placement
from .._pure.modular import SchemaIndex as SchemaIndex
from .._pure.modular import hash_of as hash_of
from .._pure.modular import pack as pack
from .._pure.modular import read_root as read_root
from .._pure.modular import statistics_directory as statistics_directory
from .._pure.modular import verify_array as verify_array
from .._pure.modular import verify_struct as verify_struct
