# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.plan import NONE as NONE
from .._pure.plan import OTHER as OTHER
from .._pure.plan import PLANNED as PLANNED
from .._pure.plan import UNUSED as UNUSED
from .._pure.plan import first_schema as first_schema
from .._pure.plan import gather as gather
