"""Make the notebooks of this folder from their sources and execute them: python build.py [NAME...].

A notebook is ``NAME.ipynb``, its source ``NAME.py`` (jupytext's percent format). Edit the source, and build.
Cell ids are numbers and no times are recorded, so that a notebook only changes where its source or its results do.
"""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import jupytext
import nbformat
from nbclient import NotebookClient

COOKBOOK = Path(__file__).parent


def build(source: Path) -> None:
    """Execute a source and write the notebook beside it."""
    notebook = jupytext.read(source)
    for number, cell in enumerate(notebook.cells):
        cell.id = str(number)
    client = NotebookClient(
        notebook,
        timeout=600,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": COOKBOOK}},
    )
    client.execute()
    notebook.metadata.language_info = {"name": "python"}
    notebook.metadata.jupytext.pop("notebook_metadata_filter", None)
    nbformat.write(notebook, source.with_suffix(".ipynb"))


def main() -> None:
    """Build the notebooks that are named, or all."""
    names = sys.argv[1:] or sorted(path.stem for path in COOKBOOK.glob("[0-9]*.py"))
    with TemporaryDirectory() as folder:
        # A desktop has such a folder; where there is none, pgserver warns.
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        for name in names:
            build(COOKBOOK / f"{name}.py")


if __name__ == "__main__":
    main()
