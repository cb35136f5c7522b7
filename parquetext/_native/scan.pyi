# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.scan import Scan as Scan
from .._pure.scan import scan as scan
from .._pure.scan import scan_plainly as scan_plainly
