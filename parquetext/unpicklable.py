"""Objects that hold a file open, and that no pickle can open again."""

from __future__ import annotations


class Unpicklable:
    """Refuses to be pickled and copied, by an error that says why."""

    __slots__ = ()

    def __reduce__(self):
        raise TypeError(
            f"a {type(self).__name__} cannot be pickled or copied: it uses a file that is open; open it anew"
        )
