"""Blocking work in async code, on few threads of its own. Iterators are run a step at a time."""

import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cache, partial
from typing import Any, Generic, ParamSpec, TypeVar

from langchain_core.runnables import run_in_executor

from langchain_pymupdf_coords.caller_warnings import remember_caller

# The engine does one thing at a time, so more threads would wait for it; these few are for what waits for
# workers or a download. All beyond their number waits here, not in the executor that all code shares.
_THREADS = 4

T = TypeVar("T")

P = ParamSpec("P")

_END = object()


@cache
def _threads(purpose: str) -> ThreadPoolExecutor:
    """Return the threads for a purpose: a question shall not wait for the end of long loads."""
    return ThreadPoolExecutor(_THREADS, thread_name_prefix=f"pymupdf-coords-{purpose}")


async def run_in_background(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function on a thread of this module, in a copy of the present context."""
    context = copy_context()
    context.run(remember_caller)
    call = partial(context.run, function, *args, **kwargs)
    return await run_in_executor(_threads("call"), call)


async def in_background(make: Callable[[], Iterator[T]]) -> AsyncIterator[T]:
    """Yield what an iterator yields, each step of which is made on a thread of this module.

    Args:
        make: Makes the iterator; a generator is closed when this one is, after the step that it is in.
    """
    steps = _Steps(make)
    context = copy_context()
    context.run(remember_caller)
    try:
        while (item := await run_in_executor(_threads("load"), context.run, steps.next)) is not _END:
            yield item
    finally:
        # Not awaited: a load that is cancelled is in a step that may take seconds.
        _threads("load").submit(steps.close)


class _Steps(Generic[T]):
    """An iterator that is used by one thread after the other."""

    def __init__(self, make: Callable[[], Iterator[T]]) -> None:
        self._lock = threading.Lock()
        self._make = make
        self._iterator: Iterator[T] | None = None

    def next(self) -> T | Any:
        """Return the next item, or ``_END``."""
        with self._lock:
            if self._iterator is None:
                self._iterator = self._make()
            return next(self._iterator, _END)

    def close(self) -> None:
        """Close the iterator, if it is a generator."""
        with self._lock:
            if isinstance(self._iterator, Generator):
                self._iterator.close()
