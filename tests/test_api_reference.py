"""Every public name is in the API reference, and its docstring is complete against its signature."""

import ast
import builtins
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import griffe
import pytest

import langchain_pymupdf_coords as package
from langchain_pymupdf_coords import errors, geometry

ROOT = Path(__file__).parents[1]
REFERENCE = (ROOT / "docs" / "reference.rst").read_text(encoding="utf-8")
DIRECTIVE = re.compile(r"^\.\. auto(\w+):: ([\w.]+)\n((?:   .*\n)*)", re.MULTILINE)

# A type that holds coordinates, and what a docstring must say where one comes out.
COORDINATES = re.compile(r"\b(BBox|Quad|Point|PageSize|QuoteMatch|Region)\b")
FRAME = re.compile(r"displayed (frame|page)|user space|fractions of the page")
UNIT = re.compile(r"points?\b|user units|fractions of the page")

CODE = griffe.load(
    package.__name__, search_paths=[ROOT], docstring_parser="google", docstring_options={"warnings": False}
)


Shown = griffe.Class | griffe.Function


def documented() -> Iterator[Shown]:
    """Yield what the reference shows: functions, classes, and the methods and properties that it lists."""
    for kind, name, options in DIRECTIVE.findall(REFERENCE):
        listed = re.search(r":members:(.*)", options)
        members = set(filter(None, re.split(r"[,\s]+", listed[1]))) if listed else set()
        found = _lookup(name)
        if kind == "module":
            own = {each for each, child in found.members.items() if not child.is_alias and each[0] != "_"}
            for each in members or own:
                child = _lookup(f"{name}.{each}")
                if isinstance(child, Shown):
                    yield from _with_methods(child, set(), whole=True)
        elif isinstance(found, Shown):
            yield from _with_methods(found, members, whole=bool(listed) and not members)


def _with_methods(found: Shown, listed: set[str], *, whole: bool) -> Iterator[Shown]:
    yield found
    for name, member in found.members.items() if isinstance(found, griffe.Class) else ():
        public = not name.startswith("_") or name == "__call__"
        if isinstance(member, griffe.Function) and (name in listed or (whole and public)):
            yield member


def _lookup(name: str) -> griffe.Object:
    found = CODE[name.removeprefix(f"{package.__name__}.")]
    return found.final_target if found.is_alias else found


EVERYTHING = sorted({found.path: found for found in documented()}.values(), key=lambda found: found.path)
MODULES = {name for kind, name, _ in DIRECTIVE.findall(REFERENCE) if kind == "module"}
FUNCTIONS = [found for found in EVERYTHING if isinstance(found, griffe.Function)]
CLASSES = [found for found in EVERYTHING if isinstance(found, griffe.Class)]


def named(found: griffe.Object) -> str:
    return found.path.removeprefix(f"{package.__name__}.")


def text_of(found: griffe.Object) -> str:
    return found.docstring.value if found.docstring else ""


def section(found: griffe.Object, kind: str) -> list[griffe.DocstringElement]:
    parts = found.docstring.parsed if found.docstring else []
    return [item for part in parts if part.kind.value == kind for item in part.value]


def summary_of(found: griffe.Object) -> str:
    return text_of(found).partition("\n\n")[0]


def referred(found: griffe.Object) -> griffe.Object | None:
    """Return the function that the first paragraph of a docstring refers to for the rest: "see ``locate``"."""
    match = re.search(r"\bsee ``([\w.]+)``", " ".join(summary_of(found).split()))
    for place in (found.parent, found.module):
        other = place.members.get(match[1]) if match and place else None
        if other in EVERYTHING and referred(other) is None:
            return other
    return None


def test_the_reference_shows_every_public_name() -> None:
    shown = {found.path for found in EVERYTHING}
    shown |= {_lookup(name).path for kind, name, _ in DIRECTIVE.findall(REFERENCE) if kind == "data"}
    assert not [name for name in package.__all__ if _lookup(name).path not in shown]
    assert len(shown) > 100


@pytest.mark.parametrize("found", EVERYTHING, ids=named)
def test_docstring_begins_with_a_sentence(found: griffe.Object) -> None:
    assert re.fullmatch(r"[A-Z`].*[.:]", summary_of(found), re.DOTALL)


@pytest.mark.parametrize("found", FUNCTIONS, ids=named)
def test_arguments(found: griffe.Function) -> None:
    stars = {griffe.ParameterKind.var_positional: "*", griffe.ParameterKind.var_keyword: "**"}
    signature = [
        stars.get(parameter.kind, "") + parameter.name.lstrip("*")
        for parameter in found.parameters
        if parameter.name not in ("self", "cls")
    ]
    listed = [argument.name for argument in section(found, "parameters")]
    assert listed == signature or (not listed and referred(found) is not None)


@pytest.mark.parametrize("found", FUNCTIONS, ids=named)
def test_result(found: griffe.Function) -> None:
    if str(found.returns) != "None":
        in_words = re.search(r"\b([Rr]eturn|[Yy]ield|[Gg]ive|Whether)\b", summary_of(found))
        assert (
            in_words or section(found, "returns") or section(found, "yields") or referred(found) is not None
        )


@pytest.mark.parametrize("found", EVERYTHING, ids=named)
def test_errors(found: Shown) -> None:
    listed = {name for item in section(found, "raises") for name in re.findall(r"\w+", str(item.annotation))}
    assert not [name for name in listed if not _is_exception(name)]
    maker = found.members.get("__post_init__") if isinstance(found, griffe.Class) else found
    assert not _raised(maker) - listed


def _raised(function: griffe.Object | None) -> set[str]:
    """Return the exceptions that a function raises in its own body."""
    if not isinstance(function, griffe.Function):
        return set()
    raised = (
        node.exc
        for node in ast.walk(ast.parse(textwrap.dedent(function.source or "")))
        if isinstance(node, ast.Raise)
    )
    return {
        call.func.id
        for call in raised
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and _is_exception(call.func.id)
    }


def _is_exception(name: str) -> bool:
    kind = getattr(errors, name, None) or getattr(geometry, name, None) or getattr(builtins, name, None)
    return isinstance(kind, type) and issubclass(kind, BaseException)


@pytest.mark.parametrize("found", CLASSES, ids=named)
def test_attributes(found: griffe.Class) -> None:
    if "BaseModel" in map(str, found.bases):
        return  # the fields are described where a model reads it
    listed = {item.name for item in section(found, "attributes")}
    fields = {
        name for name, member in found.members.items() if _is_field(member) and not member.has_docstring
    }
    assert not fields - listed


def _is_field(member: griffe.Object | griffe.Alias) -> bool:
    return (
        isinstance(member, griffe.Attribute)
        and "property" not in member.labels
        and not member.name.startswith("_")
    )


@pytest.mark.parametrize("found", EVERYTHING, ids=named)
def test_coordinates_have_a_frame_and_a_unit(found: Shown) -> None:
    about = text_of(found)
    if isinstance(found, griffe.Function):
        typed = str(found.returns or "")
    else:
        typed = " ".join(str(member.annotation) for member in found.members.values() if _is_field(member))
    if found.module.path in MODULES:
        about += text_of(found.module)
    if COORDINATES.search(typed) and referred(found) is None:
        assert FRAME.search(about)
        assert UNIT.search(about)
