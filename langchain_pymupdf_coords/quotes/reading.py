# ruff: noqa: RUF001  (signs of every kind are what this is about)
"""What a text says, sign by sign, however it is written.

A text is read into signs: letters, digits and symbols, without marks of Markdown, HTML and LaTeX, with
entities and escapes undone, and with one form for what is written in several (dashes, quotation marks, "≥"
and ">="). Two texts that read alike say the same; what they were written with is kept as `forms`.

Three signs stand for what has no letter: `RAISED` before what is set as a superscript (so that 10⁶ is not
106), a space between two digits that something sets apart, and `STRUCK` around struck-out text.

All offsets are half-open code-point offsets into the text.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from langchain_pymupdf_coords.quotes.notations import (
    BLOCK_ELEMENTS,
    DASHES,
    HTML_ELEMENTS,
    PLAIN_SIGNS,
    SIGNS_IN_ASCII,
    STYLES,
    entity_character,
    latex_character,
    mended,
)
from langchain_pymupdf_coords.quotes.scripts import is_mark_of_letter

RAISED = "^"

APART = " "

_DASH = re.escape(DASHES)

_TOKEN = re.compile(
    rf"""
      (?P<word>[A-Za-z]+|[0-9]+)
    | (?P<either>(?<=\s)\|\|(?=\s))
    | (?P<space>[\s]+|\|)
    | (?P<comment><!--(?:(?!-->).){{0,4000}}-->)
    | (?P<tag></?(?P<element>{"|".join(HTML_ELEMENTS.split())})(?:\s[^<>]{{0,300}})?/?>)
    | (?P<link><(?=https?:|mailto:|www\.|(?:[\w.+-]{{1,64}}@[\w.-]{{1,200}})>))
    | (?P<entity>&(?:\#[0-9]{{1,7}}|\#[xX][0-9a-fA-F]{{1,6}}|[A-Za-z][A-Za-z0-9]{{1,31}});)
    | (?P<unicode>\\+u[0-9a-fA-F]{{4}}(?:\\+u[dD][c-fC-F][0-9a-fA-F]{{2}})?)
    | (?P<command>\\[A-Za-z]+(?:\s?\{{)?)
    | (?P<escape>\\[^A-Za-z0-9\s])
    | (?P<script>[\^_](?:\{{|(?=[{_DASH}+]?\w)))
    | (?P<brace>[{{}}])
    | (?P<noteref>\[\^(?P<note>\w{{1,4}})\])
    | (?P<target>\]\((?:https?:|mailto:|www\.|[#/.])[^()\s]{{0,400}}\))
    | (?P<opening>!?\[(?=[^\[\]\n]{{0,400}}\]\((?:https?:|mailto:|www\.|[#/.])[^()\s]{{0,400}}\)))
    | (?P<strike>~~+)
    | (?P<dots>\.(?:\s?\.){{2,3}}(?!\s?\.))
    | (?P<leader>(?:\.\s?){{5,}}|_{{3,}}|={{4,}}|\*{{4,}}|[{_DASH}]{{4,}}|\u00b7{{3,}})
    | (?P<typed>{"|".join(map(re.escape, SIGNS_IN_ASCII))})
    | (?P<dash>[{_DASH}]+)
    | (?P<marks>\*+|_+|`+)
    | (?P<double>''|``|‘‘|’’|,,)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)

_MATH = re.compile(r"(?<![\\$\w])(\$\$?)(?![\s$])(?P<body>[^$\n]{1,300}?)(?<![\s\\$])\1(?![\d$])")

_MATHS = re.compile(r"[\\^_{}=<>+×±≤≥]|\A[A-Za-z]['′]?\Z|\A[A-Za-z]?\([A-Za-z, ]+\)\Z|\A[\d.,]+\Z")

_JSON_SPACE = re.compile(r"\\[nrt]")

_LINE_START = re.compile(r"(?:\A|\n|<br>|\|)[ \t>]*\Z")

_BULLET = re.compile(r"[-*+–—•‣◦·▪▫■●○◆▶➢➤❖✦¦]\s|[•‣◦▪▫]\s?")

_MOJIBAKE = re.compile(
    "[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]{1,3}"
)

_UNSEEN = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u061c\ufe0e\ufe0f\u0640\u00b6")

_LONGEST_CLUSTER = 32  # Unicode's stream-safe text has 30 marks at most

_PLAIN_BULLETS = frozenset("•‣◦▪▫¦")


@dataclass(frozen=True, slots=True)
class Reading:
    """The signs of a text.

    Attributes:
        signs: One character for each sign.
        keys: The same without case: what is compared first.
        starts: For each sign, where its source begins.
        ends: For each sign, where its source ends, exclusive.
        breaks: Places in `signs` that white space or the border of a cell stands before.
        struck: For each sign, whether it is struck out.
        forms: What the text is written with, by kind: source offset of each piece that is not plain.
    """

    signs: str
    keys: str
    starts: list[int]
    ends: list[int]
    breaks: frozenset[int]
    struck: frozenset[int]
    forms: tuple[tuple[int, str], ...]

    def is_edge(self, at: int) -> bool:
        """Whether a place in `signs` lies between two words."""
        if at <= 0 or at >= len(self.signs) or at in self.breaks:
            return True
        return not (is_letter(self.signs[at - 1]) and is_letter(self.signs[at]))


@lru_cache(maxsize=256)
def read(text: str) -> Reading:
    """Read a text: Markdown, HTML, LaTeX or plain."""
    return _Reader(text, 0, len(text)).reading()


def read_part(text: str, start: int, end: int) -> Reading:
    """Read a part of a text. Offsets are those of the whole text."""
    return _Reader(text, start, end).reading()


@lru_cache(maxsize=1 << 14)
def is_letter(sign: str) -> bool:
    """Whether a sign is a letter, a digit, or a mark that is a letter of its script."""
    return sign.isalnum() or unicodedata.category(sign)[0] == "M"


class _Reader:
    """Reads one text, token by token."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text = text[start:end]
        self._offset = start
        self._at_line_start = start == 0 or text[start - 1] == "\n"
        self._signs: list[str] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._breaks: set[int] = set()
        self._struck: set[int] = set()
        self._forms: list[tuple[int, str]] = []
        self._open: list[str] = []  # what the braces of LaTeX that are open mean
        self._raise = False
        self._raised_end = 0  # how many signs there were when the last superscript ended
        self._gap = True
        self._emphasis = False
        self._strikes = "~~" in text and not _is_ruled(text)
        self._strike = self._strikes and _is_struck_at(text, start)
        self._in_link = 0
        self._in_autolink = False
        self._maths = self._find_maths() if "$" in text else frozenset()

    def _find_maths(self) -> frozenset[int]:
        places: set[int] = set()
        for span in _MATH.finditer(self._text):
            if _MATHS.search(span["body"]):
                width = len(span[1])
                places |= {*range(span.start(), span.start() + width), *range(span.end() - width, span.end())}
        return frozenset(places)

    def reading(self) -> Reading:
        at, size, match = 0, len(self._text), _TOKEN.match
        while at < size:
            token = match(self._text, at)
            if token is None:  # never: the last alternative matches any character
                break
            at = _HANDLERS[token.lastgroup or "other"](self, token) or token.end()
        signs = "".join(self._signs)
        return Reading(
            signs,
            keys_of(signs),
            [start + self._offset for start in self._starts] if self._offset else self._starts,
            [end + self._offset for end in self._ends] if self._offset else self._ends,
            frozenset(self._breaks),
            frozenset(self._struck),
            tuple((at + self._offset, kind) for at, kind in self._forms),
        )

    # What a sign or a gap does to the reading.

    def _emit(self, sign: str, start: int, end: int) -> None:
        if self._gap and sign.isdigit() and self._is_after_digit():
            self._append(APART, self._ends[-1], start)
        if self._raise:
            self._raise = False
            if not (self._signs and self._signs[-1] == RAISED):
                self._append(RAISED, start, start)
        self._append(sign, start, end)

    def _append(self, sign: str, start: int, end: int) -> None:
        if self._gap:
            self._breaks.add(len(self._signs))
            self._gap = False
        if self._strike:
            self._struck.add(len(self._signs))
        self._signs.append(sign)
        self._starts.append(start)
        self._ends.append(end)

    def _is_after_digit(self) -> bool:
        """Whether the sign before is a digit, or a separator after one: "100, 200" is no "100,200"."""
        before = self._signs[-2:]
        return bool(before) and (before[-1].isdigit() or (before[0].isdigit() and before[-1] in ".,:;"))

    def _form(self, token: "re.Match[str]", kind: str) -> None:
        self._forms.append((token.start(), kind))

    def _write(self, text: str, start: int, end: int) -> None:
        """Take in characters that an escape stands for."""
        for char in text:
            self._character(char, start, end)

    # Tokens.

    def _word(self, token: "re.Match[str]") -> int | None:
        (start, end), word = token.span(), token.group()
        if end < len(self._text) and self._text[end] > "\u02ff" and _joins(self._text[end]):
            word, end = word[:-1], end - 1
            if word:
                self._letters(word, start, end)
            return self._other_at(end)
        self._letters(word, start, end)
        return None

    def _letters(self, word: str, start: int, end: int) -> None:
        self._emit(word[0], start, start + 1)
        if self._strike:
            self._struck.update(range(len(self._signs), len(self._signs) + len(word) - 1))
        self._signs += word[1:]
        self._starts += range(start + 1, end)
        self._ends += range(start + 2, end + 1)

    def _space(self, token: "re.Match[str]") -> None:
        self._gap = True
        if "|" in token.group():
            self._form(token, "table_separator")

    def _comment(self, token: "re.Match[str]") -> None:
        self._form(token, "markup")

    def _tag(self, token: "re.Match[str]") -> None:
        self._form(token, "markup")
        element, closing = token["element"].lower(), token.group()[1] == "/"
        if element == "sup":
            self._raise = not closing and len(self._signs) != self._raised_end
            self._raised_end = len(self._signs) if closing else self._raised_end
        elif element in BLOCK_ELEMENTS:
            self._gap = True
        elif element in ("s", "strike", "del"):
            self._strike = not closing

    def _link(self, token: "re.Match[str]") -> None:
        self._form(token, "markup")
        self._in_autolink = True

    def _entity(self, token: "re.Match[str]") -> int | None:
        shown = entity_character(token.group())
        if shown is None:
            self._character("&", token.start(), token.start() + 1)
            return token.start() + 1
        self._form(token, "escape")
        self._write(shown, token.start(), token.end())
        return None

    def _unicode(self, token: "re.Match[str]") -> None:
        codes = [int(code[:4], 16) for code in re.split(r"\\+u", token.group())[1:]]
        char = b"".join(code.to_bytes(2, "big") for code in codes).decode("utf-16-be", "replace")
        self._form(token, "escape")
        self._write(char, token.start(), token.end())

    def _command(self, token: "re.Match[str]") -> int:
        start = token.start()
        name = token.group()[1:].rstrip("{ \n\t")
        end = start + 1 + len(name)
        if token.group().endswith("{") and name in (*STYLES, "sqrt", "frac", "dfrac", "tfrac"):
            self._form(token, "latex")
            if name == "sqrt":
                self._emit("√", start, end)
            self._raise = self._raise or name == "textsuperscript"
            self._open.append("over" if name.endswith("frac") else "drop")
            return token.end()
        shown = latex_character(name)
        if shown is not None:
            self._form(token, "latex")
            self._write(shown, start, end)
            return end
        if _JSON_SPACE.match(token.group()):
            self._form(token, "escape")
            self._gap = True
            return start + 2
        if name in STYLES:
            return end
        self._emit("\\", start, start + 1)
        return start + 1

    def _escape(self, token: "re.Match[str]") -> None:
        char = token.group()[1]
        if char in "()[]" and self._is_latex(token.start()):
            self._form(token, "latex")
        elif char in ",;:! " and self._is_latex(token.start()):
            self._gap = True
        else:
            self._form(token, "escape")
            if char == "\\":
                self._gap = True
                self._append_symbol(char, token.start(), token.end())
            else:
                self._append_symbol(char, token.end() - 1, token.end())

    def _is_latex(self, at: int) -> bool:
        return re.search(r"\\[()\[\]]|\$", self._text[:at] + self._text[at + 2 :]) is not None

    def _script(self, token: "re.Match[str]") -> int | None:
        mark, start = token.group()[0], token.start()
        braced = token.group().endswith("{")
        before = self._text[start - 1 : start] if start else ""
        if (
            mark == "_"
            and not self._within_maths(start)
            and not (braced and (before.isalnum() or before in ")}]"))
        ):
            self._marks(token)
            return start + 1
        if braced:
            self._open.append("drop")
        self._form(token, "latex")
        self._raise = mark == "^" or self._raise
        return None

    def _within_maths(self, at: int) -> bool:
        return sum(place < at for place in self._maths) % 2 == 1

    def _brace(self, token: "re.Match[str]") -> None:
        brace = token.group()
        if brace == "{":
            dropped = self._within_maths(token.start())
            self._open.append("drop" if dropped else "keep")
            if not dropped:
                self._emit("{", token.start(), token.end())
            return
        meaning = self._open.pop() if self._open else "keep"
        if meaning == "over" and self._text.startswith("{", token.end()):
            self._emit("/", token.start(), token.end())
        elif meaning == "keep":
            self._emit("}", token.start(), token.end())

    def _noteref(self, token: "re.Match[str]") -> None:
        self._form(token, "footnote_mark")
        self._raise = True
        self._write(token["note"], token.start(), token.end())

    def _target(self, token: "re.Match[str]") -> int | None:
        if not self._in_link:
            self._emit("]", token.start(), token.start() + 1)
            return token.start() + 1
        self._in_link -= 1
        self._form(token, "markup")
        return None

    def _opening(self, token: "re.Match[str]") -> None:
        self._in_link += 1
        self._form(token, "markup")

    def _strike_mark(self, token: "re.Match[str]") -> None:
        self._form(token, "markup")
        self._strike = self._strikes and not self._strike

    def _leader(self, token: "re.Match[str]") -> None:
        self._form(token, "leader")
        self._gap = True

    def _dots(self, token: "re.Match[str]") -> None:
        self._append_symbol("…", token.start(), token.end())

    def _either(self, token: "re.Match[str]") -> None:
        """The "or" of code; between cells of a table it is an empty cell."""
        line = self._text[self._text.rfind("\n", 0, token.start()) + 1 :].partition("\n")[0]
        if "|" in line.replace("||", ""):
            self._gap = True
        else:
            self._append_symbol("‖", token.start(), token.end())

    def _typed(self, token: "re.Match[str]") -> None:
        self._form(token, "equal_sign")
        self._append_symbol(SIGNS_IN_ASCII[token.group()], token.start(), token.end())

    def _dash(self, token: "re.Match[str]") -> int | None:
        if self._is_bullet(token.start()):
            self._form(token, "list_mark")
            return None
        if (
            len(token.group()) == 2
            and token.group() == "--"
            and self._text[token.end() : token.end() + 1] == ";"
        ):
            self._append_symbol("-", token.start(), token.start() + 1)
            self._append_symbol("-", token.start() + 1, token.end())
            return None
        self._append_symbol("-", token.start(), token.end())
        return None

    def _is_bullet(self, at: int) -> bool:
        if not _BULLET.match(self._text, at):
            return False
        before = self._text[max(0, at - 8) : at]
        if at <= 8 and not before.strip(" \t>*_`~"):
            return self._at_line_start
        return _LINE_START.search(before) is not None

    def _marks(self, token: "re.Match[str]") -> int | None:
        text, start, end = self._text, token.start(), token.end()
        marks = token.group()
        if marks[0] == "*" and len(marks) == 1:
            if self._is_bullet(start):
                self._form(token, "list_mark")
                return None
            before, after = text[start - 1 : start], text[end : end + 1]
            if (before.isdigit() and after.isdigit()) or (
                before == after == " " and text[end + 1 : end + 2].isalnum()
            ):
                self._append_symbol("*", start, end)
                return None
        if marks[0] == "_" and len(marks) == 1:
            before, after = text[start - 1 : start] if start else "", text[end : end + 1]
            if self._emphasis:
                self._emphasis = False
            elif not (before.isalnum() or before in ("_", "\\")) and after and not after.isspace():
                self._emphasis = True
            elif before and after and after.isalnum() and before.isalnum():
                self._append_symbol("_", start, end)
                return end
        self._form(token, "markup")
        return end

    def _double(self, token: "re.Match[str]") -> None:
        self._append_symbol('"', token.start(), token.end())

    def _other(self, token: "re.Match[str]") -> int | None:
        start, char = token.start(), token.group()
        if start in self._maths:
            self._form(token, "latex")
            return None
        if char in "\u00c2\u00c3\u00e2\u00f0\u00e3\u00ce\u00cf\u00d0\u00d1":
            broken = _MOJIBAKE.match(self._text, start)
            whole = broken and mended(broken.group())
            if broken and whole:
                self._form(token, "escape")
                self._write(whole, start, broken.end())
                return broken.end()
        if not char.isascii() and start + 1 < len(self._text) and _joins(self._text[start + 1]):
            return self._other_at(start)
        if char in _PLAIN_BULLETS or (char in "#+>" and self._heads_line(start)):
            self._form(token, "list_mark")
            return None
        if char == ">" and self._in_autolink:
            self._in_autolink = False
            self._form(token, "markup")
            return None
        if self._is_bullet(start):
            self._form(token, "list_mark")
            return None
        self._character(char, start, start + 1)
        return None

    def _other_at(self, start: int) -> int:
        """Take in a letter with the marks upon it; return where it ends."""
        end = start + 1
        while end < len(self._text) and end - start < _LONGEST_CLUSTER and _joins(self._text[end]):
            end += 1
        form: Literal["NFC", "NFKC"] = "NFKC" if self._text[end - 1] in "\uff9e\uff9f" else "NFC"
        for char in unicodedata.normalize(form, self._text[start:end]):
            self._character(char, start, end)
        return end

    def _heads_line(self, at: int) -> bool:
        mark = re.compile(r"#{1,6}\s|[+>]\s?").match(self._text, at)
        before = self._text[max(0, at - 12) : at]
        if not mark:
            return bool(
                self._forms and self._text[at] == "#" and before.endswith("#") and before.strip("# \t>") == ""
            )
        return re.search(r"(?:\A|\n)[ \t>#*_]*\Z", before) is not None and (at > 0 or self._at_line_start)

    # Characters.

    def _character(self, char: str, start: int, end: int) -> None:
        if char.isspace():
            self._gap = True
            return
        if char in _UNSEEN or char in _PLAIN_BULLETS:
            return
        if char.isascii():
            if char.isalnum():
                self._emit(char, start, end)
            else:
                self._append_symbol(char, start, end)
            return
        plain = PLAIN_SIGNS.get(ord(char))
        if plain is not None:
            self._append_symbol(plain, start, end)
            return
        shown = _shown(char)
        if shown.startswith(RAISED):
            self._raise = not (self._raised_before())
            shown = shown[1:]
        for number, sign in enumerate(shown):
            if number == 0 and "/" in shown and self._signs and self._signs[-1].isdigit():
                self._gap = True
            if is_letter(sign):
                self._emit(sign, start, end)
            else:
                self._append_symbol(PLAIN_SIGNS.get(ord(sign), sign), start, end)

    def _raised_before(self) -> bool:
        """Whether the sign before is a raised one, which this one goes on."""
        at = len(self._signs) - 1
        while at >= 0 and not self._gap and at not in self._breaks:
            if self._signs[at] == RAISED:
                return True
            if not _is_super(self._text[self._starts[at] : self._ends[at]]):
                return False
            at -= 1
        return False

    def _append_symbol(self, sign: str, start: int, end: int) -> None:
        if self._raise and sign in "*_`":
            return
        if sign in "′″.,;:{}()[]":
            self._raise = False  # a prime is raised anyway, and punctuation no exponent
        if self._raise:
            self._emit(sign, start, end)
        else:
            self._append(sign, start, end)


_HANDLERS: dict[str, Callable[[_Reader, "re.Match[str]"], int | None]] = {
    "word": _Reader._word,
    "space": _Reader._space,
    "comment": _Reader._comment,
    "tag": _Reader._tag,
    "link": _Reader._link,
    "entity": _Reader._entity,
    "unicode": _Reader._unicode,
    "command": _Reader._command,
    "escape": _Reader._escape,
    "script": _Reader._script,
    "brace": _Reader._brace,
    "noteref": _Reader._noteref,
    "target": _Reader._target,
    "opening": _Reader._opening,
    "strike": _Reader._strike_mark,
    "dots": _Reader._dots,
    "either": _Reader._either,
    "leader": _Reader._leader,
    "typed": _Reader._typed,
    "dash": _Reader._dash,
    "marks": _Reader._marks,
    "double": _Reader._double,
    "other": _Reader._other,
}


@lru_cache(maxsize=1 << 14)
def _joins(char: str) -> bool:
    """Whether a character is a mark upon the one before, or a part of its syllable."""
    return unicodedata.category(char)[0] == "M" or "\u1160" <= char <= "\u11ff" or char in "\uff9e\uff9f"


@lru_cache(maxsize=1 << 14)
def _shown(char: str) -> str:
    """The signs that a character shows: ligatures and width forms undone, pointing left out."""
    decomposition = unicodedata.decomposition(char)
    category = unicodedata.category(char)
    if category[0] == "M":
        return char if is_mark_of_letter(char) and not "\ufe00" <= char <= "\ufe0f" else ""
    if category in ("Cf", "Cc"):
        return ""
    if decomposition.startswith("<super>"):
        return RAISED + unicodedata.normalize("NFKC", char)
    if category == "Nd":
        return str(unicodedata.decimal(char))
    shown = unicodedata.normalize("NFKC", char)
    keep = category[0] in "SP" and not any(map(str.isalnum, shown)) and len(shown) > 1
    return char if keep else shown.replace("\u2044", "/")


@lru_cache(maxsize=1 << 12)
def _is_super(char: str) -> bool:
    return len(char) == 1 and unicodedata.decomposition(char).startswith("<super>")


@lru_cache(maxsize=1 << 14)
def _key(sign: str) -> str:
    folded = sign.casefold()
    return folded if len(folded) == 1 else sign.lower()[:1]


def keys_of(signs: str) -> str:
    """Signs without case, one for one."""
    return signs.lower() if signs.isascii() else "".join(map(_key, signs))


_STRUCK_AND_UNDERLINED = re.compile(r"~~\s?(?:<u>|[^~<]{0,200}<u>[^~<]{0,200}</u>)|<u>\s?~~")


@lru_cache(maxsize=64)
def _is_ruled(text: str) -> bool:
    """Whether the strikes of a text are the rules of the paper that it is written on: they underline as well."""
    return _STRUCK_AND_UNDERLINED.search(text) is not None


def _is_struck_at(text: str, at: int) -> bool:
    """Whether a strike-through that began in the paragraph goes on at a place of it."""
    start = text.rfind("\n\n", 0, at) + 1
    return text.count("~~", start, at) % 2 == 1
