"""The annotated copy in PDF.js, as a browser shows it: the highlight lies on the ink of the words.

Needs Chromium, and in ``PDFJS_DIST`` the folder of an unpacked npm package ``pdfjs-dist``.
"""

import os
import queue
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from langchain_pymupdf_coords.annotations import annotate_pdf
from tests.support.highlights import SCALE, check_highlight
from tests.support.pdf_drawing import CROPPED
from tests.support.pdf_factory import text_pdf
from tests.support.quoted_documents import located

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PDFJS = os.environ.get("PDFJS_DIST", "")
SECONDS = 120

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium"),
    pytest.mark.skipif(not PDFJS, reason="PDFJS_DIST does not name the folder of pdfjs-dist"),
]

LAYOUTS = {
    "upright": {},
    "turned": {"rotation": 90},
    "upside down": {"rotation": 180},
    "cropped": {"cropbox": CROPPED},
    "turned and cropped": {"rotation": 270, "cropbox": CROPPED},
    "moved": {"rotation": 90, "cropbox": (-80.0, 235.0, 440.0, 775.0), "mediabox_origin": (-120.0, 35.0)},
}

# Renders each PDF as a viewer does, annotations included, and sends its pixels back.
VIEWER = """<!doctype html><meta charset="utf-8"><script type="module">
const send = (path, body) => fetch(path, {method: "POST", body});
try {
  const pdfjs = await import("/pdfjs/legacy/build/pdf.min.mjs");
  pdfjs.GlobalWorkerOptions.workerSrc = "/pdfjs/legacy/build/pdf.worker.min.mjs";
  for (const name of await (await fetch("/names")).json()) {
    const url = "/pdf/" + encodeURIComponent(name);
    const pdf = await pdfjs.getDocument({url, standardFontDataUrl: "/pdfjs/standard_fonts/"}).promise;
    const page = await pdf.getPage(1);
    const viewport = page.getViewport({scale: SCALE});
    const canvas = Object.assign(document.createElement("canvas"),
                                 {width: Math.round(viewport.width), height: Math.round(viewport.height)});
    const canvasContext = canvas.getContext("2d");
    await page.render({canvasContext, canvas, viewport}).promise;
    const pixels = canvasContext.getImageData(0, 0, canvas.width, canvas.height);
    await send(`/pixels/${canvas.width}/${encodeURIComponent(name)}`, pixels.data);
  }
} catch (error) { await send("/failed", String(error.stack ?? error)); }
</script>"""
TYPES = {".mjs": "text/javascript", ".html": "text/html"}


class Viewer(BaseHTTPRequestHandler):
    """Serves the page, PDF.js and the PDFs to the browser, and takes the pixels."""

    server: "ViewerServer"

    def do_GET(self) -> None:
        path = self.path.removeprefix("/")
        if path == "":
            self._answer(VIEWER.replace("SCALE", str(SCALE)).encode(), "text/html")
        elif path == "names":
            names = ",".join(f'"{name}"' for name in self.server.pdfs)
            self._answer(f"[{names}]".encode(), "application/json")
        elif path.startswith("pdf/"):
            self._answer(self.server.pdfs[self._name()], "application/pdf")
        elif path.startswith("pdfjs/") and (file := Path(PDFJS, path.removeprefix("pdfjs/"))).is_file():
            self._answer(file.read_bytes(), TYPES.get(file.suffix, "application/octet-stream"))
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/failed":
            self.server.answers.put(("failed", body.decode()))
        else:
            width = int(self.path.split("/")[2])
            pixels = np.frombuffer(body, np.uint8).reshape(-1, width, 4)[..., :3].astype(np.int16)
            self.server.answers.put((self._name(), pixels))
        self._answer(b"", "text/plain")

    def log_message(self, *args: object) -> None:
        pass

    def _name(self) -> str:
        return self.path.rpartition("/")[2].replace("%20", " ")

    def _answer(self, body: bytes, content_type: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class ViewerServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, pdfs: Mapping[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), Viewer)
        self.pdfs = pdfs
        self.answers: queue.Queue[tuple[str, NDArray[np.int16] | str]] = queue.Queue()


@contextmanager
def chromium(url: str, profile: Path) -> Iterator[None]:
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
    process = subprocess.Popen(
        [CHROMIUM, *flags, f"--user-data-dir={profile}", "--remote-debugging-port=0", url],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def rendered_by_pdfjs(pdfs: Mapping[str, bytes], profile: Path) -> dict[str, NDArray[np.int16]]:
    """Rows, columns, RGB of the first page of each PDF."""
    server = ViewerServer(pdfs)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    found: dict[str, NDArray[np.int16]] = {}
    try:
        with chromium(f"http://127.0.0.1:{server.server_port}/", profile):
            while len(found) < len(pdfs):
                name, pixels = server.answers.get(timeout=SECONDS)
                assert not isinstance(pixels, str), pixels
                found[name] = pixels
    finally:
        server.shutdown()
        server.server_close()
    return found


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, NDArray[np.int16]]:
    """What PDF.js shows of every layout before and after annotating."""
    folder = tmp_path_factory.mktemp("pdfjs")
    pdfs = {}
    for name, layout in LAYOUTS.items():
        path = folder / "report.pdf"
        path.write_bytes(text_pdf(**layout))
        pdfs[name] = path.read_bytes()
        pdfs[f"{name} copy"] = annotate_pdf(located(path), folder / "copy.pdf").read_bytes()
    return rendered_by_pdfjs(pdfs, folder / "profile")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_highlight_lies_on_the_words(layout: str, pictures: dict[str, NDArray[np.int16]]) -> None:
    check_highlight(pictures[layout], pictures[f"{layout} copy"])
