"""What callers give, checked where they give it: each error names the option, the value and what is right.

Numbers of NumPy and the like are taken wherever Python's own are; a bool is no number.
"""

import operator
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from numbers import Integral, Real
from reprlib import Repr
from typing import Literal, TypeVar

from langchain_pymupdf_coords.errors import OptionError

Item = TypeVar("Item")

OnError = Literal["raise", "warn"]
"""What to do about a file that cannot be used: end with its error, or go on without it and warn."""

_REPR = Repr()
_REPR.maxstring = _REPR.maxother = 80
_REPR.maxlong = 30


def whole_number(name: str, value: object, *, low: int = 1, high: int | None = None) -> int:
    """Return an option that is a whole number from ``low``, to ``high`` if that is given.

    Raises:
        OptionError: It is none.
    """
    try:
        number = None if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or number < low or (high is not None and number > high):
        to = "" if high is None else f" to {high}"
        raise wrong(name, f"a whole number from {low}{to}", value)
    return number


def number(name: str, value: object, low: float, high: float) -> float:
    """Return an option that is a number from ``low`` to ``high``: an int if it is whole, or else a float.

    Raises:
        OptionError: It is none.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not low <= value <= high:  # type: ignore[operator]
        raise wrong(name, f"a number from {low:g} to {high:g}", value)
    return operator.index(value) if isinstance(value, Integral) else float(value)


def flag(name: str, value: object) -> None:
    """Check an option that is a bool.

    Raises:
        OptionError: It is none: a word such as ``"no"`` would count as True.
    """
    if not isinstance(value, bool):
        raise wrong(name, "True or False", value)


def choice(name: str, value: object, choices: Collection[str]) -> None:
    """Check an option that is one of some words.

    Raises:
        OptionError: It is none of them.
    """
    if not isinstance(value, str) or value not in choices:
        raise wrong(name, f"one of {', '.join(map(repr, choices))}", value)


def names(name: str, value: object, choices: Collection[str]) -> tuple[str, ...]:
    """Return an option that is a collection of names, each one of some.

    Raises:
        OptionError: It is something else, a single string too, or holds another name.
    """
    found = texts(name, value)
    for item in found:
        if item not in choices:
            raise wrong(name, f"of {', '.join(map(repr, choices))}", item)
    return found


def texts(name: str, value: object) -> tuple[str, ...]:
    """Return an option that is a collection of strings; a single string would be taken for many.

    Raises:
        OptionError: It is something else.
    """
    found = tuple(value) if isinstance(value, Iterable) and not isinstance(value, str | bytes) else None
    if found is None or not all(isinstance(item, str) for item in found):
        hint = f"give [{value!r:.80}]" if isinstance(value, str) else ""
        raise wrong(name, "a list of strings", value, hint=hint)
    return found


def text(name: str, value: object, *, optional: bool = False) -> None:
    """Check an option that is a string, or None where it may be left out.

    Raises:
        OptionError: It is something else.
    """
    if not isinstance(value, str) and not (optional and value is None):
        raise wrong(name, "a string, or None" if optional else "a string", value)


def password(value: object) -> None:
    """Check the option ``password``. The message does not show it.

    Raises:
        OptionError: It is no string.
    """
    if value is not None and not isinstance(value, str):
        raise OptionError(f"password must be a string, or None, not of type {type(value).__name__}")


def function(name: str, value: object, of: str) -> None:
    """Check an option that is called.

    Args:
        name: The option.
        value: What was given.
        of: What it takes and returns, for the message.

    Raises:
        OptionError: It cannot be called.
    """
    if not callable(value):
        raise wrong(name, f"a function {of}", value)


def instance(name: str, value: object, kind: type) -> None:
    """Check an option that must be of a class.

    Raises:
        OptionError: It is of another.
    """
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise wrong(name, f"{article} {kind.__name__}", value)


def text_splitter(value: object) -> None:
    """Check the option ``text_splitter``.

    Raises:
        OptionError: It has no ``split_text``, or is a class and not an object of it.
    """
    if isinstance(value, type) or not callable(getattr(value, "split_text", None)):
        raise wrong("text_splitter", "a TextSplitter, or have a split_text like it", value)


def path(name: str, value: object) -> None:
    """Check an option that is a path, and not the empty one, which means the working directory by accident.

    Raises:
        OptionError: It is something else.
    """
    if not isinstance(value, str | os.PathLike) or not os.fspath(value):
        raise wrong(name, "a path", value)
    if isinstance(os.fspath(value), bytes):
        raise wrong(name, "a path as text", value)


def folder(name: str, value: object) -> None:
    """Check an option that is a folder which is there.

    Raises:
        OptionError: It is something else.
    """
    path(name, value)
    if not os.path.isdir(value):  # type: ignore[arg-type]  # noqa: PTH112
        raise wrong(name, "a folder that exists", value)


def one_document(name: str, value: object) -> None:
    """Check an argument that is one Document.

    Raises:
        OptionError: It is something else, such as a list of Documents.
    """
    if not _is_document(value):
        several = isinstance(value, Iterable) and not isinstance(value, str | bytes)
        raise wrong(name, "one Document", value, hint="give them one by one" if several else "")


def several_documents(name: str, value: Iterable[Item]) -> Iterator[Item]:
    """Yield an argument that is some Documents, one by one.

    Raises:
        OptionError: It is one Document, whose fields would be taken for Documents, or holds something else.
    """
    if _is_document(value):
        raise wrong(name, "a list of Documents", value, hint="give [document]")
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping):
        raise wrong(name, "a list of Documents", value)
    for index, item in enumerate(value):
        if not _is_document(item):
            raise wrong(f"{name}[{index}]", "a Document", item)
        yield item


def wrong(name: str, right: str, value: object, *, hint: str = "") -> OptionError:
    """Return the error for an option.

    Args:
        name: The option.
        right: What it must be.
        value: What was given; it is shown shortened.
        hint: What to do.
    """
    return OptionError(f"{name} must be {right}, not {_shown(value)}{hint and f': {hint}'}")


def _is_document(value: object) -> bool:
    return not isinstance(value, type) and hasattr(value, "page_content") and hasattr(value, "metadata")


def _shown(value: object) -> str:
    if _is_document(value):
        return "one Document"
    if isinstance(value, bytes | bytearray | memoryview):
        return f"{len(value)} bytes"
    return _REPR.repr(value)
