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
# # Positions for a PDF.js viewer
#
# A back end locates quotes; a front end shows the PDF with PDF.js and marks them. This notebook makes the
# JSON that goes from one to the other, and a page that shows it.
#
# ```bash
# pip install langchain-pymupdf-coords jupyterlab pillow
# ```
#
# ## A file to show
#
# The page is stored lying on its side, with `/Rotate 90` and a CropBox, as scanners and landscape exports do:
# there, positions in PDF user space and on the screen have little in common.

# %%
import json
from io import BytesIO
from pathlib import Path

import pymupdf
from IPython.display import Image
from PIL import Image as PillowImage
from PIL import ImageChops, ImageDraw

from langchain_pymupdf_coords import PyMuPDFCoordsLoader, QuoteLocator, QuoteMatch
from langchain_pymupdf_coords.conversions import bbox_to_fractions, highlight_position, page_link
from langchain_pymupdf_coords.geometry import PageSize, Quad, quad_to_bbox
from langchain_pymupdf_coords.pdf.sample import sample_report
from langchain_pymupdf_coords.provenance import page_sizes

with pymupdf.open(stream=sample_report()) as report, pymupdf.open() as turned:
    page = turned.new_page(width=report[0].rect.height, height=report[0].rect.width)
    page.show_pdf_page(page.rect, report, 0, rotate=90)
    page.set_cropbox(pymupdf.Rect(40, 30, 802, 560))
    page.set_rotation(90)
    turned.save("turned.pdf", deflate=True)

# %% [markdown]
# ## Locate

# %%
documents = PyMuPDFCoordsLoader("turned.pdf").load()
quote = "Leaking pipes lost 8.4 percent of the water produced, the lowest figure since records began in 1962"
document, match = QuoteLocator().locate_all(documents, quote)[0]
sizes = page_sizes(document)

print(f"{match.status} by {match.precision}; size of the page: {sizes[1]}")
for quad in match.to_dict()["regions"][0]["quads"]:
    print(quad)

# %% [markdown]
# Coordinates are in the **displayed page**: after `/Rotate` and CropBox, origin at the top left, y down, in
# points. That is the viewport of PDF.js at scale 1, so a position in CSS pixels is the position in points
# times the scale of the viewport. Percentages of the page fit any scale.
#
# A quad is four points: upper left, upper right, lower left, lower right.
#
# ## What the front end gets


# %%
def css(quad: Quad, size: PageSize) -> dict[str, str]:
    """A quad as an absolutely positioned element over its page."""
    x0, y0, x1, y1 = bbox_to_fractions(quad_to_bbox(quad), size)
    return {"left": f"{x0:.2%}", "top": f"{y0:.2%}", "width": f"{x1 - x0:.2%}", "height": f"{y1 - y0:.2%}"}


def positions(file: str, match: QuoteMatch, sizes: dict[int, PageSize]) -> dict[str, object]:
    regions = [
        {"page": region.page, "rects": [css(quad, sizes[region.page]) for quad in region.quads]}
        for region in match.regions
    ]
    return {"file": file, "quote": match.quote, "status": match.status, "regions": regions}


message = positions("turned.pdf", match, sizes)
Path("positions.json").write_text(json.dumps(message), encoding="utf-8")
print(json.dumps(message, indent=2))

# %% [markdown]
# ## The page
#
# Each rectangle becomes an element over the canvas. In the viewer that comes with PDF.js, append it to
# `pdfViewer.getPageView(region.page - 1).div` instead.

# %%
VIEWER = """<!doctype html>
<meta charset="utf-8">
<style>
  #page { position: relative; width: fit-content; }
  #page canvas { display: block; }
  #page div { position: absolute; background: #ffe066; mix-blend-mode: multiply; }
</style>
<div id="page"><canvas></canvas></div>
<script type="module">
  import * as pdfjs from "./node_modules/pdfjs-dist/build/pdf.min.mjs";
  pdfjs.GlobalWorkerOptions.workerSrc = "./node_modules/pdfjs-dist/build/pdf.worker.min.mjs";

  const { file, regions } = await (await fetch("positions.json")).json();
  const pdf = await pdfjs.getDocument(file).promise;
  const page = await pdf.getPage(regions[0].page);
  const viewport = page.getViewport({ scale: 1.5 });
  const canvas = document.querySelector("canvas");
  Object.assign(canvas, { width: viewport.width, height: viewport.height });
  await page.render({ canvas, viewport }).promise;

  for (const rect of regions[0].rects) {
    const mark = document.createElement("div");
    Object.assign(mark.style, rect);
    document.querySelector("#page").append(mark);
  }
</script>
"""
size = Path("viewer.html").write_text(VIEWER, encoding="utf-8")

# %% [markdown]
# `npm install pdfjs-dist`, `python -m http.server`, and open `http://localhost:8000/viewer.html`: PDF.js loads no
# files from `file:` addresses. What it shows, drawn here from the same percentages over the page:

# %%
with pymupdf.open("turned.pdf") as pdf:
    shown = pdf[0].get_pixmap(dpi=110)
picture = PillowImage.frombytes("RGB", (shown.width, shown.height), shown.samples)
marks = PillowImage.new("RGB", picture.size, "white")
for rect in message["regions"][0]["rects"]:
    part = {side: float(percent.rstrip("%")) / 100 for side, percent in rect.items()}
    x, y = part["left"] * shown.width, part["top"] * shown.height
    corner = (x + part["width"] * shown.width, y + part["height"] * shown.height)
    ImageDraw.Draw(marks).rectangle(((x, y), corner), fill="#ffe066")
file = BytesIO()
ImageChops.multiply(picture, marks).quantize(32).save(file, "PNG", optimize=True)
Image(data=file.getvalue())

# %% [markdown]
# ## When the reader turns the page
#
# A viewport with a rotation of its own turns the page away from our frame. PDF.js converts, by way of PDF
# user space:
#
# ```js
# const frame = page.getViewport({ scale: 1 });                   // the frame of the coordinates
# const viewport = page.getViewport({ scale, rotation });         // what is on the screen
# const onScreen = (x, y) => viewport.convertToViewportPoint(...frame.convertToPdfPoint(x, y));
# ```
#
# ## Other front ends
#
# `highlight_position` gives the `ScaledPosition` of react-pdf-highlighter, `page_link` a link that opens the PDF at the
# place.

# %%
(region,) = match.regions
print(json.dumps(highlight_position(region.page, region.quads, sizes[region.page])["boundingRect"], indent=2))
print(page_link("turned.pdf", region.page, bbox=quad_to_bbox(region.quads[0])))
