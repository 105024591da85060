"""Terms of a query and of the sentences that may answer it, in several languages.

Terms are words without case, at their stem and without stop words where the language is known; of scripts
that do not set words apart, terms are pairs of characters. Texts are ranked by the terms that they share with
what is asked.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from langchain_pymupdf_coords.folding import blank_markup, drop_emphasis, drop_tags
from langchain_pymupdf_coords.quotes.scripts import CONTINUOUS

LANGUAGES = {
    "english": "en",
    "danish": "da",
    "dutch": "nl",
    "french": "fr",
    "german": "de",
    "italian": "it",
    "norwegian": "no",
    "portuguese": "pt",
    "russian": "ru",
    "spanish": "es",
    "swedish": "sv",
    "turkish": "tr",
}
"""Languages with stop words and stems, by their names in both libraries, and their codes in ISO 639-1."""

_STOP_WORD_LISTS = {"english": "EN_PLUS"}  # the short list of English lacks "how" and "what"

_DIGIT_GROUPS = re.compile(r"(?<=\d)[.,'\u2019\u00a0\u202f](?=\d)")

_RUN = re.compile(f"(?P<continuous>(?:{CONTINUOUS.pattern})+)|(?:(?!{CONTINUOUS.pattern}).)+", re.DOTALL)


def words(text: str) -> list[str]:
    """Return the words of Markdown or plain text, in lower case.

    A number is one word, whatever groups its digits: "1,482,300" is "1482300". Single letters, which are
    mostly left over from elisions ("l'eau"), are not among them.

    Args:
        text: Markdown or plain text, in any script.
    """
    plain = drop_emphasis(blank_markup(drop_tags(text)))
    folded = _DIGIT_GROUPS.sub("", unicodedata.normalize("NFKC", plain).casefold())
    spaced = "".join(char if unicodedata.category(char)[0] in "LMN" else " " for char in folded)
    return [word for part in spaced.split() for word in _words_of(part)]


def _words_of(part: str) -> Iterator[str]:
    for run in _RUN.finditer(part):
        word = run.group()
        if run["continuous"] and len(word) > 2:
            yield from map("".join, pairwise(word))
        elif run["continuous"] or len(word) > 1 or word.isnumeric():
            yield word


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """Makes words into terms.

    Attributes:
        language: Its key in `LANGUAGES`; None where it is none of them.
    """

    language: str | None

    @classmethod
    def of(cls, text: list[str]) -> "SearchTerms":
        """Return the terms of the language that has most of its stop words among the words of a text."""
        hits = {language: sum(map(_stop_words(language).__contains__, text)) for language in LANGUAGES}
        best = max(LANGUAGES, key=hits.__getitem__)
        return cls(best if hits[best] else None)

    def __call__(self, text: list[str]) -> list[str]:
        """Return the terms of words, in order."""
        if self.language is None:
            return text
        stop_words = _stop_words(self.language)
        return _stems(self.language, [word for word in text if word not in stop_words])


@cache
def _stop_words(language: str) -> frozenset[str]:
    import bm25s

    name = f"STOPWORDS_{_STOP_WORD_LISTS.get(language, language.upper())}"
    return frozenset(word for entry in getattr(bm25s.stopwords, name) for word in words(entry))


def _stems(language: str, text: list[str]) -> list[str]:
    import Stemmer

    # A stemmer of its own each time: threads must not share one.
    stems: list[str] = Stemmer.Stemmer(language).stemWords(text)
    return stems


def rank(texts: Sequence[Sequence[str]], asked: Sequence[str]) -> list[int]:
    """Rank texts by BM25 for what is asked.

    Args:
        texts: The terms of each text. Those without any are left out, and do not count as texts.
        asked: The terms that are asked for.

    Returns:
        Indices of the texts that share a term with what is asked, the best first; of equal ones the earlier
        first.

    Raises:
        ImportError: ``bm25s``, of the extra ``sentences``, is not installed.
    """
    filled = [at for at, terms in enumerate(texts) if terms]
    if not filled or not asked:
        return []
    import bm25s

    index = bm25s.BM25()
    index.index([texts[at] for at in filled], show_progress=False)
    scores = dict(zip(filled, index.get_scores(asked), strict=True))
    return [at for at in sorted(filled, key=lambda at: -scores[at]) if scores[at] > 0]
