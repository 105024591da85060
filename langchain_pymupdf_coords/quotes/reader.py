# ruff: noqa: RUF001  (signs of every kind are what this is about)
"""Reading a text into signs, token by token: Markdown, HTML, LaTeX, JSON or plain."""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Literal

from langchain_pymupdf_coords.quotes.notations import (
    BLOCK_ELEMENTS,
    SIGNS_IN_ASCII,
    STYLES,
    entity_character,
    latex_character,
    mended,
)
from langchain_pymupdf_coords.quotes.reading import Reading, joins_before, keys_of
from langchain_pymupdf_coords.quotes.sign_writer import PLAIN_BULLETS, SignWriter
from langchain_pymupdf_coords.quotes.tokens import (
    BULLET,
    JSON_SPACE,
    LINE_START,
    MATH,
    MATHS,
    MOJIBAKE,
    SUPERSCRIPT_TEXT,
    TOKEN,
)

_LONGEST_CLUSTER = 32  # Unicode's stream-safe text has 30 marks at most


@lru_cache(maxsize=256)
def read(text: str) -> Reading:
    """Read a text: Markdown, HTML, LaTeX or plain."""
    return _Reader(text, 0, len(text)).reading()


def read_part(text: str, start: int, end: int) -> Reading:
    """Read a part of a text. Offsets are those of the whole text."""
    return _Reader(text, start, end).reading()


class _Reader(SignWriter):
    """Reads one text, token by token."""

    def __init__(self, text: str, start: int, end: int) -> None:
        super().__init__(text[start:end])
        self._offset = start
        self._at_line_start = start == 0 or text[start - 1] == "\n"
        self._forms: list[tuple[int, str]] = []
        self._open: list[str] = []  # what the braces of LaTeX that are open mean
        self._raised_end = 0  # how many signs there were when the last superscript ended
        self._emphasis = False
        self._has_strikes = "~~" in text and not _is_ruled(text)
        self.is_struck = self._has_strikes and _is_struck_at(text, start)
        self._in_link = 0
        self._in_autolink = False
        self._maths = self._find_maths() if "$" in text else frozenset()

    def _find_maths(self) -> frozenset[int]:
        places: set[int] = set()
        for span in MATH.finditer(self._text):
            if MATHS.search(span["body"]):
                width = len(span[1])
                places |= {*range(span.start(), span.start() + width), *range(span.end() - width, span.end())}
        return frozenset(places)

    def reading(self) -> Reading:
        at, size, match = 0, len(self._text), TOKEN.match
        while at < size:
            token = match(self._text, at)
            if token is None:  # never: the last alternative matches any character
                break
            at = _HANDLERS[token.lastgroup or "other"](self, token) or token.end()
        signs = "".join(self.signs)
        return Reading(
            signs,
            keys_of(signs),
            [start + self._offset for start in self.starts] if self._offset else self.starts,
            [end + self._offset for end in self.ends] if self._offset else self.ends,
            frozenset(self.breaks),
            frozenset(self.struck),
            tuple((at + self._offset, kind) for at, kind in self._forms),
        )

    def _form(self, token: "re.Match[str]", kind: str) -> None:
        self._forms.append((token.start(), kind))

    # Tokens.

    def _word(self, token: "re.Match[str]") -> int | None:
        (start, end), word = token.span(), token.group()
        if (
            word in ("x", "X")
            and self._text[start - 1 : start].isdigit()
            and self._text[end : end + 1].isdigit()
        ):
            self._form(token, "equal_sign")
            self.append_symbol("×", start, end)
            return None
        if end < len(self._text) and self._text[end] > "\u02ff" and joins_before(self._text[end]):
            word, end = word[:-1], end - 1
            if word:
                self.letters(word, start, end)
            return self._other_at(end)
        self.letters(word, start, end)
        return None

    def _space(self, token: "re.Match[str]") -> None:
        self.has_gap = True
        if "|" in token.group():
            self._form(token, "table_separator")

    def _comment(self, token: "re.Match[str]") -> None:
        self._form(token, "markup")

    def _tag(self, token: "re.Match[str]") -> None:
        self._form(token, "markup")
        element, closing = token["element"].lower(), token.group()[1] == "/"
        if element == "sup":
            is_text = SUPERSCRIPT_TEXT.match(self._text, token.end()) is not None
            self.is_raised = not closing and not is_text and len(self.signs) != self._raised_end
            self._raised_end = len(self.signs) if closing else self._raised_end
        elif element in BLOCK_ELEMENTS:
            self.has_gap = True
        elif element in ("s", "strike", "del"):
            self.is_struck = not closing

    def _link(self, token: "re.Match[str]") -> None:
        self._form(token, "markup")
        self._in_autolink = True

    def _entity(self, token: "re.Match[str]") -> int | None:
        shown = entity_character(token.group())
        if shown is None:
            self.character("&", token.start(), token.start() + 1)
            return token.start() + 1
        self._form(token, "escape")
        self.write(shown, token.start(), token.end())
        return None

    def _unicode(self, token: "re.Match[str]") -> None:
        codes = [int(code[:4], 16) for code in re.split(r"\\+u", token.group())[1:]]
        char = b"".join(code.to_bytes(2, "big") for code in codes).decode("utf-16-be", "replace")
        self._form(token, "escape")
        self.write(char, token.start(), token.end())

    def _command(self, token: "re.Match[str]") -> int:
        start = token.start()
        name = token.group()[1:].rstrip("{ \n\t")
        end = start + 1 + len(name)
        if token.group().endswith("{") and name in (*STYLES, "sqrt", "frac", "dfrac", "tfrac"):
            self._form(token, "latex")
            if name == "sqrt":
                self.emit("√", start, end)
            self.is_raised = self.is_raised or name == "textsuperscript"
            self._open.append("over" if name.endswith("frac") else "drop")
            return token.end()
        shown = latex_character(name)
        if shown is not None:
            self._form(token, "latex")
            self.write(shown, start, end)
            return end
        if JSON_SPACE.match(token.group()):
            self._form(token, "escape")
            self.has_gap = True
            return start + 2
        if name in STYLES:
            return end
        self.emit("\\", start, start + 1)
        return start + 1

    def _escape(self, token: "re.Match[str]") -> None:
        char = token.group()[1]
        if char in "()[]" and self._is_latex(token.start()):
            self._form(token, "latex")
        elif char in ",;:! " and self._is_latex(token.start()):
            self.has_gap = True
        else:
            self._form(token, "escape")
            if char == "\\":
                self.has_gap = True
                self.append_symbol(char, token.start(), token.end())
            else:
                self.append_symbol(char, token.end() - 1, token.end())

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
        self.is_raised = mark == "^" or self.is_raised
        return None

    def _within_maths(self, at: int) -> bool:
        return sum(place < at for place in self._maths) % 2 == 1

    def _brace(self, token: "re.Match[str]") -> None:
        brace = token.group()
        if brace == "{":
            dropped = self._within_maths(token.start())
            self._open.append("drop" if dropped else "keep")
            if not dropped:
                self.emit("{", token.start(), token.end())
            return
        meaning = self._open.pop() if self._open else "keep"
        if meaning == "over" and self._text.startswith("{", token.end()):
            self.emit("/", token.start(), token.end())
        elif meaning == "keep":
            self.emit("}", token.start(), token.end())

    def _noteref(self, token: "re.Match[str]") -> None:
        self._form(token, "footnote_mark")
        self.is_raised = True
        self.write(token["note"], token.start(), token.end())

    def _target(self, token: "re.Match[str]") -> int | None:
        if not self._in_link:
            self.emit("]", token.start(), token.start() + 1)
            return token.start() + 1
        self._in_link -= 1
        self._form(token, "markup")
        return None

    def _opening(self, token: "re.Match[str]") -> None:
        self._in_link += 1
        self._form(token, "markup")

    def _strike_mark(self, token: "re.Match[str]") -> None:
        self._form(token, "markup")
        self.is_struck = self._has_strikes and not self.is_struck

    def _leader(self, token: "re.Match[str]") -> None:
        self._form(token, "leader")
        self.has_gap = True

    def _dots(self, token: "re.Match[str]") -> None:
        self.append_symbol("…", token.start(), token.end())

    def _either(self, token: "re.Match[str]") -> None:
        """The "or" of code; between cells of a table it is an empty cell."""
        line = self._text[self._text.rfind("\n", 0, token.start()) + 1 :].partition("\n")[0]
        if "|" in line.replace("||", ""):
            self.has_gap = True
        else:
            self.append_symbol("‖", token.start(), token.end())

    def _typed(self, token: "re.Match[str]") -> None:
        self._form(token, "equal_sign")
        self.append_symbol(SIGNS_IN_ASCII[token.group()], token.start(), token.end())

    def _dash(self, token: "re.Match[str]") -> int | None:
        if self._is_bullet(token.start()):
            self._form(token, "list_mark")
            return None
        if (
            len(token.group()) == 2
            and token.group() == "--"
            and self._text[token.end() : token.end() + 1] == ";"
        ):
            self.append_symbol("-", token.start(), token.start() + 1)
            self.append_symbol("-", token.start() + 1, token.end())
            return None
        self.append_symbol("-", token.start(), token.end())
        return None

    def _is_bullet(self, at: int) -> bool:
        if not BULLET.match(self._text, at):
            return False
        before = self._text[max(0, at - 8) : at]
        if at <= 8 and not before.strip(" \t>*_`~"):
            return self._at_line_start
        return LINE_START.search(before) is not None

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
                self.append_symbol("*", start, end)
                return None
        if marks[0] == "_" and len(marks) == 1:
            before, after = text[start - 1 : start] if start else "", text[end : end + 1]
            if self._emphasis:
                self._emphasis = False
            elif not (before.isalnum() or before in ("_", "\\")) and after and not after.isspace():
                self._emphasis = True
            elif before and after and after.isalnum() and before.isalnum():
                self.append_symbol("_", start, end)
                return end
        self._form(token, "markup")
        return end

    def _double(self, token: "re.Match[str]") -> None:
        self.append_symbol('"', token.start(), token.end())

    def _other(self, token: "re.Match[str]") -> int | None:
        start, char = token.start(), token.group()
        if start in self._maths:
            self._form(token, "latex")
            return None
        if char in "\u00c2\u00c3\u00e2\u00f0\u00e3\u00ce\u00cf\u00d0\u00d1":
            broken = MOJIBAKE.match(self._text, start)
            whole = broken and mended(broken.group())
            if broken and whole:
                self._form(token, "escape")
                self.write(whole, start, broken.end())
                return broken.end()
        if not char.isascii() and start + 1 < len(self._text) and joins_before(self._text[start + 1]):
            return self._other_at(start)
        if char in PLAIN_BULLETS or (char in "#+>" and self._heads_line(start)):
            self._form(token, "list_mark")
            return None
        if char == ">" and self._in_autolink:
            self._in_autolink = False
            self._form(token, "markup")
            return None
        if self._is_bullet(start):
            self._form(token, "list_mark")
            return None
        self.character(char, start, start + 1)
        return None

    def _other_at(self, start: int) -> int:
        """Take in a letter with the marks upon it; return where it ends."""
        end = start + 1
        while end < len(self._text) and end - start < _LONGEST_CLUSTER and joins_before(self._text[end]):
            end += 1
        form: Literal["NFC", "NFKC"] = "NFKC" if self._text[end - 1] in "\uff9e\uff9f" else "NFC"
        for char in unicodedata.normalize(form, self._text[start:end]):
            self.character(char, start, end)
        return end

    def _heads_line(self, at: int) -> bool:
        mark = re.compile(r"#{1,6}\s|[+>]\s?").match(self._text, at)
        before = self._text[max(0, at - 12) : at]
        if not mark:
            return bool(
                self._forms and self._text[at] == "#" and before.endswith("#") and before.strip("# \t>") == ""
            )
        return re.search(r"(?:\A|\n)[ \t>#*_]*\Z", before) is not None and (at > 0 or self._at_line_start)


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


_STRUCK_AND_UNDERLINED = re.compile(r"~~\s?(?:<u>|[^~<]{0,200}<u>[^~<]{0,200}</u>)|<u>\s?~~")


@lru_cache(maxsize=64)
def _is_ruled(text: str) -> bool:
    """Whether the strikes of a text are the rules of the paper that it is written on: they underline as well."""
    return _STRUCK_AND_UNDERLINED.search(text) is not None


def _is_struck_at(text: str, at: int) -> bool:
    """Whether a strike-through that began in the paragraph goes on at a place of it."""
    start = text.rfind("\n\n", 0, at) + 1
    return text.count("~~", start, at) % 2 == 1
