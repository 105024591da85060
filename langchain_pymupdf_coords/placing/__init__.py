"""From a text of any loader to the words of the file that it came from.

In: Texts, what their metadata says of their pages, and the words of a file.
Out: For each letter its place in the file; lines and boxes of a text, their spans in it.
Imports: The ground and ``provenance``; neither PyMuPDF nor LangChain.
"""
