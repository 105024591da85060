"""Finding a quote in a text, checking that it says the same, and placing it on the page.

In: ``page_content``, a quote, lines and boxes, and the glyphs of pages where they can be had.
Out: Spans with a status, and regions of quads; sentences and search terms.
Imports: The ground, ``provenance`` and ``layout``; neither PyMuPDF nor LangChain.
"""
