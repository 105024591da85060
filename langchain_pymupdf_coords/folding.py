"""Folded text and its map back to the source: the ground on which quotes are compared.

Folding keeps letters and digits only, after NFKC and case folding. White space, punctuation, quotes, dashes,
soft hyphens, Markdown marks, the HTML tags that the engine writes and HTML comments are dropped: all that the
engine's Markdown and a reader's copy of it disagree about. Accents are kept.

Which of these marks style text and which end a sentence is said here too, for all who read them.

All offsets are half-open code-point offsets into the source string.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress, pairwise

_ATTRIBUTE = r"""\s+[\w:-]{1,30}\s?=\s?(?:"[^"<>]{0,200}"|'[^'<>]{0,200}'|[\w#%.-]{1,60})"""

TAG = re.compile(rf"</?(?:br|sup|sub|u|mark|b|i)(?:{_ATTRIBUTE}){{0,8}}\s?/?>", re.IGNORECASE | re.ASCII)
"""HTML tags that the engine writes. Nothing but attributes may follow the name, so that the mathematics of
"a<b and c>d" is no tag."""

EMPHASIS = "*_`~"
"""Marks that set text in bold, in italics, as code or as struck out in Markdown."""

STOPS = ".!?\u2026\u0589\u061f\u06d4\u0964\u0965\u104b\u1362\u1367\u1368\u203c\u2047\u2048\u2049"
"""Characters that end a sentence where white space follows: of Latin, Armenian, Arabic, Urdu, Devanagari, Burmese
and Ethiopic text. To be written between the brackets of a regular expression."""

STOP_CLOSERS = r"\"'\u201d\u2019\u00bb)\]" + EMPHASIS
"""Characters that may stand between such a stop and the white space, to be written in the same way."""

UNSPACED_STOPS = "\u3002\uff01\uff1f\uff61"
"""Characters that end a sentence of Chinese or Japanese, after which there is no white space."""

UNSPACED_CLOSERS = "\u300b\u300d\u300f\uff09\u201d\u2019"
"""Characters that may stand after such a stop and belong to its sentence."""

_EVERY_MARK = re.compile(f"[{EMPHASIS}]+")

# The underscores within "page_end" and the tilde of "~5" are no marks.
_STYLE = re.compile(r"^#{1,6} |[*`]+|~~|(?<!\w)_+|_+(?!\w)", re.MULTILINE)

_ASCII_LOWER = bytes(range(128)).lower() + bytes(128)

_ASCII_KEPT = bytes(chr(code).isalnum() for code in range(128)) + bytes(128)

_ASCII_DROPPED = bytes(code for code in range(128) if not chr(code).isalnum())

_TATWEEL = "\u0640"  # stretches an Arabic word, a letter by its category only

_LONGEST_CLUSTER = 32  # Unicode's stream-safe text has 30 marks at most; sorting a million marks is quadratic

_CACHED_CHARACTERS = 1 << 15


@dataclass(frozen=True, slots=True)
class FoldedText:
    """Letters and digits of a source text, each with the place that it came from.

    Attributes:
        text: The folded characters.
        starts: For each folded character, where its source begins. Never decreases.
        ends: For each folded character, where its source ends, exclusive. Never decreases. One source
            character may give several folded ones ("ﬀ" gives two); a letter with combining marks gives one.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def source_span(self, i: int, j: int) -> tuple[int, int]:
        """Source span of the folded characters `i` to `j`, exclusive.

        Raises:
            ValueError: `i` and `j` do not bound at least one folded character.
        """
        if not 0 <= i < j <= len(self.text):
            raise ValueError(f"Folded span {i}:{j} must hold a character of 0:{len(self.text)}.")
        return self.starts[i], self.ends[j - 1]

    def folded_span(self, start: int, end: int) -> tuple[int, int]:
        """Folded span of the characters whose source lies wholly in `start` to `end`; empty if none does."""
        i, j = bisect_left(self.starts, start), bisect_right(self.ends, end)
        return i, max(i, j)


class _CharacterFolds(dict[str, str | None]):
    """Folded form of each character met so far; None for one that may join the character before it."""

    def __missing__(self, char: str) -> str | None:
        if len(self) >= _CACHED_CHARACTERS:
            self.clear()
        folded = self[char] = None if _joins(char) else _fold_cluster(char)
        return folded


def _joins(char: str) -> bool:
    """Whether NFKC may compose `char` with the character before it, or `char` is a mark upon that."""
    if unicodedata.category(char).startswith("M"):
        return True
    first = unicodedata.normalize("NFKD", char)[0]
    return unicodedata.combining(first) != 0 or "\u1160" <= first <= "\u11ff"  # Hangul vowels and finals


def _fold_cluster(cluster: str) -> str:
    cased = unicodedata.normalize("NFKC", cluster).casefold()
    # Case folding takes a few letters apart ("ΐ"), which would lose their accents below.
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", cased))).replace(_TATWEEL, "")


_FOLDS = _CharacterFolds()


def blank_markup(text: str) -> str:
    """`text` with HTML comments and the engine's tags overwritten by as many spaces: offsets stay valid."""
    if "<" not in text:
        return text
    parts, done = [], 0
    # Not a regular expression: many openings without a close would be searched to the end, each.
    while (start := text.find("<!--", done)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        parts += [text[done:start], " " * (end + 3 - start)]
        done = end + 3
    parts.append(text[done:])
    return TAG.sub(lambda tag: " " * len(tag.group()), "".join(parts))


def drop_emphasis(text: str) -> str:
    """`text` without any character that may be a mark of style, to compare it or to search in it."""
    return _EVERY_MARK.sub("", text)


def plain_text(markdown: str) -> str:
    """Markdown as one line to read: without heading signs, marks of style, tags and doubled spaces."""
    return " ".join(_STYLE.sub("", TAG.sub(" ", markdown)).split())


def drop_tags(text: str) -> str:
    """`text` without the engine's tags; a line break leaves a space, any other tag nothing."""
    return TAG.sub(lambda tag: " " if tag.group()[1:3].lower() == "br" else "", text) if "<" in text else text


def fold(text: str) -> FoldedText:
    """Letters and digits of `text` with their source offsets, without its tags and comments.

    Args:
        text: Markdown as the engine writes it, or any other text.
    """
    text = blank_markup(text)
    if text.isascii():
        raw = text.encode("ascii")
        kept = raw.translate(_ASCII_KEPT)
        letters = raw.translate(_ASCII_LOWER, _ASCII_DROPPED).decode("ascii")
        places, nexts = range(len(text)), range(1, len(text) + 1)
        return FoldedText(letters, tuple(compress(places, kept)), tuple(compress(nexts, kept)))
    pieces = [_FOLDS[char] for char in text]
    if None in pieces:
        return _fold_clusters(text, pieces)
    starts = tuple([at for at, piece in enumerate(pieces) for _ in piece or ""])
    return FoldedText("".join(piece or "" for piece in pieces), starts, tuple([at + 1 for at in starts]))


def _fold_clusters(text: str, pieces: Sequence[str | None]) -> FoldedText:
    """Fold text in which some characters join the ones before them."""
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _clusters(pieces):
        piece = pieces[start] if end == start + 1 else None
        folded = _fold_cluster(text[start:end]) if piece is None else piece
        parts.append(folded)
        starts += [start] * len(folded)
        ends += [end] * len(folded)
    return FoldedText("".join(parts), tuple(starts), tuple(ends))


def _clusters(pieces: Sequence[str | None]) -> list[tuple[int, int]]:
    bounds = [0]
    for at, piece in enumerate(pieces):
        if at and (piece is not None or at - bounds[-1] >= _LONGEST_CLUSTER):
            bounds.append(at)
    bounds.append(len(pieces))
    return list(pairwise(bounds))


def fold_letters(text: str) -> str:
    """The same as `fold(text).text`, faster."""
    return fold_glyphs(blank_markup(text))


def fold_glyphs(text: str) -> str:
    """Letters and digits of text that holds no markup, as a page's: what looks like a tag is kept."""
    if text.isascii():
        return text.encode("ascii").translate(_ASCII_LOWER, _ASCII_DROPPED).decode("ascii")
    pieces = [_FOLDS[char] for char in text]
    if None not in pieces:
        return "".join(piece or "" for piece in pieces)
    return _fold_clusters(text, pieces).text


UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def clean_text(value: str) -> str:
    """Return the text with every NUL and lone surrogate replaced by U+FFFD, the replacement character.

    PostgreSQL, Chroma and Milvus refuse such text. One character stands for one, so that the length stays
    and every span into the text remains right.
    """
    return UNSTORABLE.sub("\ufffd", value)
