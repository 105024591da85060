"""The time that another loader takes, in an environment that has only that loader: PACKAGE FILE."""

import json
import sys
import time
from typing import Any


def loader(package: str, path: str) -> Any:
    if package == "langchain-pymupdf4llm":
        from langchain_pymupdf4llm import PyMuPDF4LLMLoader

        return PyMuPDF4LLMLoader(path)
    if package == "langchain-docling":
        from langchain_docling import DoclingLoader

        return DoclingLoader(path)
    from langchain_unstructured import UnstructuredLoader

    return UnstructuredLoader(path, strategy="fast", partition_via_api=False)


if __name__ == "__main__":
    seconds, cpu = time.perf_counter(), time.process_time()
    loader(*sys.argv[1:]).load()
    print(json.dumps({"seconds": time.perf_counter() - seconds, "cpu": time.process_time() - cpu}))  # noqa: T201
