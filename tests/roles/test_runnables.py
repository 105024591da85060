"""The steps of a chain as LangChain calls them: in every way, with whatever keyword arguments, and pickled."""

import pickle
from collections.abc import AsyncIterator
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.runnables import Runnable
from langchain_text_splitters import CharacterTextSplitter

from langchain_pymupdf_coords import (
    CitationLocator,
    CoordsTextSplitter,
    PyMuPDFCoordsLoader,
    QuoteLocatingTransformer,
    SourceCropTransformer,
)
from tests.support.pdf_factory import text_pdf

LINE = "Crews found and fixed 212 leaks."
UNKNOWN = {"foo": 1, "run_type": "tool", "serialized": {}}

STEPS: dict[str, Runnable[Any, Any]] = {
    "citations": CitationLocator(),
    "crops": SourceCropTransformer(dpi=36),
    "quotes": QuoteLocatingTransformer([LINE]),
    "splitter": CoordsTextSplitter(CharacterTextSplitter(separator=" ", chunk_size=12, chunk_overlap=0)),
}


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> list[Document]:
    path = tmp_path_factory.mktemp("runnables") / "a.pdf"
    path.write_bytes(text_pdf(pages=[[LINE, "Pipes lost 8.4 percent."]]))
    return PyMuPDFCoordsLoader(path).load()


def given_to(name: str, documents: list[Document]) -> Any:
    return {"answer": f"“{LINE}”", "documents": documents} if name == "citations" else documents


def added(parts: list[Any]) -> Any:
    """What the parts of a stream add up to."""
    first, *others = parts
    for part in others:
        first = first + part
    return first


async def called_in_every_way(step: Runnable[Any, Any], given: Any) -> dict[str, Any]:
    async def one() -> AsyncIterator[Any]:
        yield given

    return {
        "invoke": step.invoke(given, **UNKNOWN),
        "ainvoke": await step.ainvoke(given, **UNKNOWN),
        "batch": step.batch([given, given], **UNKNOWN)[1],
        "abatch": (await step.abatch([given, given], **UNKNOWN))[1],
        "stream": added(list(step.stream(given, **UNKNOWN))),
        "astream": added([part async for part in step.astream(given, **UNKNOWN)]),
        "transform": added(list(step.transform(iter([given]), **UNKNOWN))),
        "atransform": added([part async for part in step.atransform(one(), **UNKNOWN)]),
    }


@pytest.mark.parametrize("name", STEPS)
async def test_every_way_of_calling_ignores_unknown_arguments(name: str, documents: list[Document]) -> None:
    step, given = STEPS[name], given_to(name, documents)
    expected = step.invoke(given)
    assert expected
    for way, found in (await called_in_every_way(step, given)).items():
        assert found == expected, way


@pytest.mark.parametrize("name", STEPS)
def test_pickled(name: str, documents: list[Document]) -> None:
    step, given = STEPS[name], given_to(name, documents)
    assert pickle.loads(pickle.dumps(step)).invoke(given) == step.invoke(given)


def test_steps_of_one_chain(documents: list[Document]) -> None:
    chain = STEPS["splitter"] | STEPS["quotes"] | STEPS["crops"]
    pieces = chain.invoke(documents)
    assert len(pieces) > 1
    assert all({"quotes", "crops", "lines"} <= set(piece.metadata) for piece in pieces)


@pytest.mark.parametrize("name", STEPS)
def test_what_a_server_shows_of_the_input(name: str) -> None:
    schema = STEPS[name].get_input_jsonschema()
    if name == "citations":
        assert set(schema["$defs"]["CitationInput"]["properties"]) == {"answer", "documents"}
    else:
        assert schema["type"] == "array"
