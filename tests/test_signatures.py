"""What may be given by position: what a call is about. All that may be left out is given by name."""

import inspect
from collections.abc import Iterator

import pytest

import langchain_pymupdf_coords as package
from langchain_pymupdf_coords import conversions, geometry
from langchain_pymupdf_coords.sources import resolver

POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
# Where to write to, and what the interface of LangChain has.
MAY_BE_LEFT_OUT = {"path", "config", "metadatas"}
# Classes and functions whose signature is not ours: schemas, and what LangChain's base classes bring.
OURS = f"{package.__name__}."


def public() -> Iterator[tuple[str, object]]:
    yield from ((name, getattr(package, name)) for name in package.__all__)
    for module in (conversions, geometry, resolver):
        yield from (
            (name, value)
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
        )


def signatures() -> Iterator[tuple[str, inspect.Signature]]:
    """Every public callable: functions, classes, and the public methods that the package itself defines."""
    for name, value in public():
        if inspect.isfunction(value):
            yield name, inspect.signature(value)
        elif inspect.isclass(value) and not issubclass(value, Exception):
            yield name, inspect.signature(value)
            for method, found in inspect.getmembers(value, inspect.isroutine):
                function = inspect.unwrap(getattr(found, "__func__", found))
                if not method.startswith("_") and getattr(function, "__module__", "").startswith(OURS):
                    yield f"{name}.{method}", inspect.signature(found)


SIGNATURES = dict(signatures())


def test_all_of_them_are_looked_at() -> None:
    assert {
        "PyMuPDFCoordsLoader",
        "CoordsTextSplitter.invoke",
        "EvidenceBundle.write",
        "annotate_pdf",
        "evidence_html",
        "page_link",
        "FileAccess.resolve",
    } <= set(SIGNATURES)
    assert len(SIGNATURES) > 60


@pytest.mark.parametrize("name", SIGNATURES)
def test_what_may_be_left_out_is_given_by_name(name: str) -> None:
    trapped = {
        parameter.name
        for parameter in SIGNATURES[name].parameters.values()
        if parameter.kind in POSITIONAL and parameter.default is not inspect.Parameter.empty
    }
    assert trapped <= MAY_BE_LEFT_OUT


def test_a_second_path_is_refused() -> None:
    with pytest.raises(TypeError):
        package.PyMuPDFCoordsLoader("a.pdf", "b.pdf")  # type: ignore[misc]


@pytest.mark.parametrize("name", [name for name, each in SIGNATURES.items() if "root" in each.parameters])
def test_root_is_a_path_of_any_kind(name: str) -> None:
    assert str(SIGNATURES[name].parameters["root"].annotation) == "str | os.PathLike[str] | None"
