"""Which sentences of a Document to quote in answer to a query."""

import warnings
from dataclasses import dataclass

from langchain_core.documents import Document

from langchain_pymupdf_coords.errors import OptionError
from langchain_pymupdf_coords.search_terms import LANGUAGES, SearchTerms, words
from langchain_pymupdf_coords.sentences import split_sentences

_EXTRA = "pip install 'langchain-pymupdf-coords[sentences]'"


@dataclass(frozen=True)
class BM25SentenceSelector:
    """Picks the sentences of a Document that answer a query best, by BM25 over the Document's sentences.

    Rows of tables count as sentences; headings do not, unless there is nothing else. The language is guessed
    from stop words. Danish, Dutch, English, French, German, Italian, Norwegian, Portuguese, Russian, Spanish,
    Swedish and Turkish words are compared by their stems and without stop words, words of other languages as
    they are, and Chinese, Japanese, Korean and other scripts of Asia by pairs of characters.

    Needs the extra ``sentences``: ``pip install 'langchain-pymupdf-coords[sentences]'``.

    Attributes:
        max_sentences: How many sentences to pick at most.

    Raises:
        OptionError: `max_sentences` is not a positive whole number.
        ImportError: The extra is not installed.
    """

    max_sentences: int = 3

    def __post_init__(self) -> None:
        if type(self.max_sentences) is not int or self.max_sentences < 1:
            raise OptionError(f"max_sentences must be a whole number from 1, not {self.max_sentences!r}")
        _check_installed()

    def __call__(self, query: str, document: Document) -> list[str]:
        """Return sentences that share a term with the query, the best first.

        Args:
            query: The question or search words.
            document: A Document; only its ``page_content`` is read.

        Returns:
            Slices of ``page_content``, verbatim with their Markdown; none where nothing fits.
        """
        asked = words(query)
        if not asked:
            return []
        text = document.page_content
        terms_of = SearchTerms.of(words(text) + asked)
        terms = [(sentence, terms_of(words(sentence))) for sentence in _candidates(text, terms_of.language)]
        best = _ranked([(sentence, found) for sentence, found in terms if found], terms_of(asked))
        return list(dict.fromkeys(best))[: self.max_sentences]


def _check_installed() -> None:
    try:
        with warnings.catch_warnings():
            # It has a progress bar, which would ask for widgets in a notebook; it is never shown.
            warnings.filterwarnings("ignore", message="IProgress not found")
            import bm25s  # noqa: F401
        import sentencex  # noqa: F401
        import Stemmer  # noqa: F401
    except ImportError as cause:
        raise ImportError(f"selecting sentences by BM25 needs {cause.name}: {_EXTRA}") from cause


def _candidates(text: str, language: str | None) -> list[str]:
    sentences = split_sentences(text, LANGUAGES[language] if language else "en")
    answers = [sentence for sentence in sentences if sentence.kind != "heading"]
    return [text[slice(*sentence.span)] for sentence in answers or sentences]


def _ranked(candidates: list[tuple[str, list[str]]], asked: list[str]) -> list[str]:
    """Sentences that share a term with what is asked by their score; of equal ones the earlier first."""
    if not candidates or not asked:
        return []
    import bm25s

    index = bm25s.BM25()
    index.index([terms for _, terms in candidates], show_progress=False)
    scores = index.get_scores(asked)
    order = sorted(range(len(candidates)), key=lambda at: -scores[at])
    return [candidates[at][0] for at in order if scores[at] > 0]
