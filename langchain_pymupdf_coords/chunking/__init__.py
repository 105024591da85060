"""From pages to chunks, and from chunks to a splitter's pieces, each with its place.

In: ``ParsedPage`` values; or a Document and the pieces that a splitter made of it.
Out: Chunks, and Documents with the metadata table of this package.
Imports: The ground, ``provenance`` and ``layout``; LangChain in ``documents`` only.
"""
