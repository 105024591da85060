from types import ModuleType

import pytest

import langchain_pymupdf_coords as package


def test_names_are_sorted_and_unique() -> None:
    assert package.__all__ == sorted(set(package.__all__))


@pytest.mark.parametrize("name", package.__all__)
def test_every_name_is_there_and_documented(name: str) -> None:
    assert getattr(package, name).__doc__


def test_nothing_leaks() -> None:
    leaked = {
        name
        for name, value in vars(package).items()
        if not name.startswith("_")
        and name not in package.__all__
        and not (isinstance(value, ModuleType) and value.__name__ == f"{package.__name__}.{name}")
    }
    assert not leaked


def test_star_import_gives_the_public_names_only() -> None:
    namespace: dict[str, object] = {}
    exec(f"from {package.__name__} import *", namespace)
    assert set(namespace) - {"__builtins__"} == set(package.__all__)
