"""Text of a page that is struck out."""

from collections.abc import Sequence

from langchain_pymupdf_coords.quotes.differences import Contrast
from langchain_pymupdf_coords.quotes.reading import Reading, is_letter
from langchain_pymupdf_coords.quotes.wording import Wording

_FEW_LETTERS = 2


def struck_out(
    quote: Reading, asked: tuple[int, int], page: Reading, found: tuple[int, int], wording: Wording
) -> list[Contrast]:
    """What is struck out of some signs of a text, if whole words are.

    Args:
        quote: The signs of the quote.
        asked: Those of its letters.
        page: The signs of the text.
        found: Those that are the quote.
        wording: Knows the short words that tell something; others may be crossed by a rule of the page.
    """
    struck = [at for at in range(*found) if at in page.struck]
    words = _struck_words(page, struck)
    if not words:
        return []
    is_live = any(at not in page.struck and is_letter(page.signs[at]) for at in range(*found))
    is_said = any(len(word) > _FEW_LETTERS or not word.isalpha() or word in wording.telling for word in words)
    kind = "struck_text_as_live" if is_live and is_said and not quote.struck else "struck_out"
    return [Contrast(kind, asked, (struck[0], struck[-1] + 1))]


def _struck_words(page: Reading, struck: Sequence[int]) -> list[str]:
    """Words, without case, that are struck from end to end: not the letters that a rule of the page crosses."""
    runs: list[list[int]] = []
    for at in struck:
        if not is_letter(page.signs[at]):
            continue
        if runs and all(between in page.struck for between in range(runs[-1][-1], at)):
            runs[-1].append(at)
        else:
            runs.append([at])
    return [
        "".join(page.keys[at] for at in run)
        for run in runs
        if len(run) > 1 and page.is_edge(run[0]) and page.is_edge(run[-1] + 1)
    ]
