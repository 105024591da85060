"""From files to Documents in order, with options, workers, cache and progress.

In: ``SourceFile`` values and ``ParsingOptions``.
Out: Documents one after the other, and warnings about pages.
Imports: The ground, ``sources``, ``layout`` and ``chunking``; ``pdf`` inside functions only, so that a cached load
loads no PyMuPDF.
"""
