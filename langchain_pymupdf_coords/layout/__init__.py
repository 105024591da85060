"""What stands on a page, and where each line and letter of its Markdown stands.

In: The engine's boxes and the glyphs of the page.
Out: A ``ParsedPage``: text, boxes and lines in the displayed frame.
Imports: The ground and ``provenance``; neither PyMuPDF nor LangChain.
"""
