"""The README's chains, with a model in place of the reader's own."""

import re
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda

from langchain_pymupdf_coords.pdf.sample import sample_report
from tests.support.scripted_chat_model import ScriptedChatModel

README = Path(__file__).parents[1] / "README.md"
QUOTE = "Crews found and fixed 212 leaks."
MADE_UP = "Crews found and fixed 512 leaks."


def test_citations_of_the_chain_are_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("report.pdf").write_bytes(sample_report())
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL):
        exec(block, names)
    documents = names["documents"]
    source = next(number for number, document in enumerate(documents, 1) if QUOTE in document.page_content)
    citations = [{"source": source, "quote": quote} for quote in (QUOTE, MADE_UP)]
    model = ScriptedChatModel(arguments={"answer": "212 leaks.", "citations": citations})
    chain = names["cited"](model, RunnableLambda(lambda question: documents))
    answer = chain.invoke("How many leaks did crews fix?")
    assert QUOTE in model.prompts[0]
    assert [citation.verified for citation in answer.citations] == [True, False]
