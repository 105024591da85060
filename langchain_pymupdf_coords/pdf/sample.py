"""A small report to try the package on."""

import io

import pymupdf

from langchain_pymupdf_coords.pdf.engine import engine

TITLE = "Lindholm Water Works: Annual Report 2025"

_CSS = """
body { font-family: serif; font-size: 11px; line-height: 1.45; }
h1 { font-size: 22px; margin-bottom: 4px; }
h2 { font-size: 14px; margin-top: 18px; margin-bottom: 6px; }
.author { font-style: italic; margin-bottom: 18px; }
p { margin-top: 0; margin-bottom: 8px; }
td, th { border: 0.6px solid black; padding: 4px 10px; text-align: left; }
"""

# The serif font joins letters ("office", "first", "figure"), as fonts of real reports do.
_BODY = """
<h1>Annual Report 2025</h1>
<p class="author">Report of the board to the city council</p>
<h2>1. The year in brief</h2>
<p>Lindholm Water Works supplies 86,400 people in the city and in five villages along the river Alder. In 2025
it delivered 5.9 million cubic metres of drinking water, slightly less than in the year before, because the
summer was cool and wet. No household was without water for more than six hours.</p>
<p>The office answered 14,300 calls. For the first time more customers sent their meter readings through the
web site than by post.</p>
<h2>2. Pipes and leaks</h2>
<p>The network is 642 kilometres long. Leaking pipes lost 8.4 percent of the water produced, the lowest figure
since records began in 1962; five years ago it was still 13.1 percent. Crews found and fixed 212 leaks. The
most difficult one lay under the tram line in Foundry Street and took nine days.</p>
<p>Eleven kilometres of mains were renewed, most of them cast iron from the 1930s. At this pace it takes 58
years to renew the whole network, and the board considers that too slow.</p>
<h2>3. Water quality</h2>
<p>The laboratory took 1,940 samples. All of them met the limits of the drinking water directive.</p>
<table>
<tr><th>Parameter</th><th>Limit</th><th>2024</th><th>2025</th></tr>
<tr><td>Nitrate (mg/l)</td><td>50</td><td>11.2</td><td>10.7</td></tr>
<tr><td>Lead (µg/l)</td><td>5</td><td>0.9</td><td>0.6</td></tr>
<tr><td>Hardness (°dH)</td><td>none</td><td>12.4</td><td>12.5</td></tr>
</table>
<h2>4. Finances</h2>
<p>Revenue rose to 17.2 million euros and costs to 16.8 million euros. The price of a cubic metre stays at
2.31 euros until the end of 2026. Energy made up 12 percent of all costs; the solar field on the roof of the
Alder pumping station, which began its work in May, covers a fifth of the demand.</p>
<h2>5. Outlook</h2>
<p>From 2026 the works will renew 16 kilometres of mains a year. A second reservoir on Chapel Hill, with room
for 9,000 cubic metres, is to be finished in the autumn of 2027. It will keep the supply of the upper town
going for two days when the line from the river has to be closed.</p>
"""

_PAPER = (0, 0, 595, 842)

_PRINT_SPACE = (72, 72, 523, 770)


def sample_report() -> bytes:
    """Return a PDF of an invented annual report: headings, text, a table; the same bytes each time."""
    with engine("sample report"):
        content = io.BytesIO()
        writer = pymupdf.DocumentWriter(content)
        story = pymupdf.Story(html=_BODY, user_css=_CSS)
        more = True
        while more:
            device = writer.begin_page(pymupdf.Rect(_PAPER))
            more, _ = story.place(_PRINT_SPACE)
            story.draw(device)
            writer.end_page()
        writer.close()
        with pymupdf.open(stream=content.getvalue(), filetype="pdf") as document:
            document.set_metadata({"title": TITLE, "author": "Lindholm Water Works"})
            return bytes(document.tobytes(garbage=3, deflate=True, no_new_id=True))
