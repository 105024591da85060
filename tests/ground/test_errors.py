from langchain_pymupdf_coords import errors
from langchain_pymupdf_coords.errors import PyMuPDFCoordsError, PyMuPDFCoordsWarning


def _below(base: type, depth: int = 0) -> list[tuple[int, str]]:
    rows = [(depth, base.__name__)]
    for sub in base.__subclasses__():
        if sub.__module__ == errors.__name__:
            rows += _below(sub, depth + 1)
    return rows


def test_the_drawn_tree_is_the_real_one() -> None:
    drawn = []
    for line in (errors.__doc__ or "").splitlines():
        before, found, rest = line.partition("── ")
        if found:
            drawn.append(((len(before) - 4) // 4, rest.split()[0]))
    assert drawn == _below(PyMuPDFCoordsError) + _below(PyMuPDFCoordsWarning)


def test_bases() -> None:
    assert PyMuPDFCoordsError.__bases__ == (Exception,)
    assert PyMuPDFCoordsWarning.__bases__ == (UserWarning,)
