"""How far a load has come: pages done, pages known, and an estimate of what is left."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

ProgressCallback = Callable[[int, int], None]
"""Called with the number of pages done and the number of pages known so far."""


@dataclass(slots=True)
class Progress:
    """Counts the pages of a load.

    Attributes:
        report: Called after each step; None for silence.
        files: How many files there are.
        opened: How many of them have been opened.
        done: Pages that were read.
        total: Pages of the files that were opened.
    """

    report: ProgressCallback | None = None
    files: int = 1
    opened: int = 0
    done: int = 0
    total: int = 0
    _bar: "_Bar | None" = field(default=None, repr=False)

    @classmethod
    def of(cls, option: "bool | ProgressCallback", files: int) -> "Progress":
        """Return the counter that the option ``progress`` asks for: a bar for True, nothing for False."""
        if option is True:
            bar = _Bar()
            return cls(bar.show, files, _bar=bar)
        return cls(option or None, files)

    def open(self, pages: int) -> None:
        """Count a file with this many pages to read."""
        self.opened += 1
        self.total += pages

    def advance(self, pages: int) -> None:
        """Count pages as done."""
        self.done += pages
        if self.report is not None:
            self.report(self.done, self.total)

    def remaining(self) -> float:
        """Estimate how many pages are left, taking unopened files to be as long as the others."""
        unopened = max(self.files - self.opened, 0) * self.total / max(self.opened, 1)
        return self.total - self.done + unopened

    def close(self) -> None:
        """Take the bar off the screen, if there is one."""
        if self._bar is not None:
            self._bar.close()


class _Bar:
    """A bar of tqdm whose total may grow."""

    def __init__(self) -> None:
        self._bar: Any = _tqdm()(unit="page", total=0)

    def show(self, done: int, total: int) -> None:
        self._bar.total = total
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        self._bar.close()


def require_bar() -> None:
    """Check that a progress bar can be shown.

    Raises:
        ImportError: ``tqdm``, of the extra ``progress``, is not installed.
    """
    _tqdm()


def _tqdm() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError as cause:
        raise ImportError(
            "progress=True needs tqdm: pip install 'langchain-pymupdf-coords[progress]', or pass a function"
        ) from cause
    return tqdm
