"""Keep a forked process from waiting for locks of threads that exist only in its parent."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Generic, Protocol, Self, TypeVar, overload

T = TypeVar("T")


class _Lock(Protocol):
    def acquire(self) -> bool: ...

    def release(self) -> None: ...


class cached_property(Generic[T]):
    """A property that is computed once per object; two threads may both compute it.

    Up to Python 3.11, that of `functools` has one lock per class, which a fork may leave locked.
    """

    def __init__(self, compute: Callable[[Any], T]):
        self._compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object, owner: type) -> Self | T:
        if instance is None:
            return self
        return instance.__dict__.setdefault(self._name, self._compute(instance))


def unlocked_in_forks(lock: _Lock) -> None:
    """Let a fork wait until no other thread holds a lock that is held only briefly."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)


def call_in_forks(call: Callable[[], object]) -> None:
    """Call something in each forked process."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=call)
