"""Sphinx: these pages, and the API reference from docstrings. ``sphinx-build -W docs FOLDER`` makes them."""

import re
from importlib.metadata import version as _version

# Imported here, since autodoc first imports with TYPE_CHECKING set, which LlamaIndex does not survive.
import llama_index.core  # noqa: F401
from sphinx.application import Sphinx

project = "langchain-pymupdf-coords"
copyright = "the authors; AGPL-3.0-or-later"  # noqa: A001
version = release = _version(project)

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 100
python_use_unqualified_type_names = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = project


def setup(app: Sphinx) -> None:
    """Make the signatures of dataclasses Python again, which Sphinx then sets argument by argument."""
    app.connect("autodoc-process-signature", _as_python)


def _as_python(*event: object) -> tuple[str | None, object]:
    *_, signature, returned = event
    if not isinstance(signature, str):
        return None, returned
    short = re.sub(r"~(?:[A-Za-z_]\w*\.)+", "", signature)
    return short.replace("<built-in function len>", "len").replace("<factory>", "..."), returned
