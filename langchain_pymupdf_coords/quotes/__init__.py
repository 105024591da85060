"""Finding a quote in a text, checking that it says the same, and placing it on the page.

In: ``page_content``, a quote, lines and boxes, and the glyphs of pages where they can be had.
Out: Spans with a status and differences, and regions of quads; sentences and search terms.
Imports: The ground, ``provenance`` and ``layout``; neither PyMuPDF nor LangChain.

The way of a quote; each room is entered once, and none calls back into one that called it::

    quote, text   -> matching     asks the rooms below in their order
      folded once -> candidates   places with the same letters, or nearly
      a place     -> judging      reads both sides and asks for what differs
                     reader       signs, however they are written (tokens, notations, scripts)
                     comparing    aligns all signs; each difference gets its kind (stretch_kinds, letter_case,
                                  outer_marks, struck; by signs, numerals, wording)
                     edges        what is cut off outside
                     differences  the table of kinds: what each allows, and so the status
      an ellipsis -> ellipses     what may be left out
      spans       -> regions      quads on pages
"""
