# ruff: noqa: RUF001, RUF002  (signs of every kind are what this is about)
"""Ways to write a character other than itself: LaTeX commands, HTML entities, escapes, ASCII for signs, as data."""

import re
import unicodedata
from html import unescape

_SYMBOLS = {
    "times": "×", "cdot": "·", "div": "÷", "pm": "±", "mp": "∓", "ast": "∗", "star": "⋆", "circ": "∘",
    "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "ne": "≠", "ll": "≪", "gg": "≫",
    "approx": "≈", "sim": "∼", "simeq": "≃", "cong": "≅", "equiv": "≡", "propto": "∝", "lt": "<", "gt": ">",
    "leqslant": "≤", "geqslant": "≥",
    "in": "∈", "notin": "∉", "ni": "∋", "subset": "⊂", "subseteq": "⊆", "supset": "⊃", "supseteq": "⊇",
    "cup": "∪", "cap": "∩", "setminus": "∖", "emptyset": "∅", "varnothing": "∅",
    "forall": "∀", "exists": "∃", "nexists": "∄", "neg": "¬", "lnot": "¬", "land": "∧", "wedge": "∧",
    "lor": "∨", "vee": "∨", "oplus": "⊕", "otimes": "⊗", "perp": "⊥", "parallel": "∥", "mid": "∣",
    "to": "→", "rightarrow": "→", "longrightarrow": "→", "leftarrow": "←", "gets": "←", "uparrow": "↑",
    "downarrow": "↓", "leftrightarrow": "↔", "Rightarrow": "⇒", "implies": "⇒", "Leftarrow": "⇐",
    "Leftrightarrow": "⇔", "iff": "⇔", "mapsto": "↦",
    "sum": "∑", "prod": "∏", "int": "∫", "partial": "∂", "nabla": "∇", "infty": "∞", "surd": "√",
    "degree": "°", "prime": "′", "angle": "∠", "ell": "ℓ", "hbar": "ℏ", "Re": "ℜ", "Im": "ℑ", "aleph": "ℵ",
    "dots": "…", "ldots": "…", "cdots": "⋯", "checkmark": "✓", "dagger": "†", "ddagger": "‡", "S": "§",
    "P": "¶", "copyright": "©", "pounds": "£", "euro": "€", "yen": "¥", "textdegree": "°", "textmu": "µ",
    "textendash": "–", "textemdash": "—", "ss": "ß", "ae": "æ", "oe": "œ", "o": "ø", "aa": "å", "AA": "Å",
    "langle": "⟨", "rangle": "⟩", "lbrace": "{", "rbrace": "}", "backslash": "\\",
    "varepsilon": "ε", "vartheta": "ϑ", "varphi": "φ", "varrho": "ϱ", "varsigma": "ς",
}  # fmt: skip

_UNSEEN = frozenset(
    [
        "left",
        "right",
        "big",
        "Big",
        "bigg",
        "Bigg",
        "quad",
        "qquad",
        "displaystyle",
        "textstyle",
        "scriptstyle",
        "limits",
        "nolimits",
        "bf",
        "it",
        "rm",
        "em",
    ]
)

_FUNCTIONS = frozenset(
    [
        "sin",
        "cos",
        "tan",
        "cot",
        "log",
        "ln",
        "exp",
        "lim",
        "max",
        "min",
        "sup",
        "inf",
        "det",
        "dim",
        "ker",
        "deg",
        "gcd",
        "arg",
        "mod",
    ]
)

STYLES = frozenset(
    [
        "textbf",
        "textit",
        "textrm",
        "textsf",
        "texttt",
        "textsc",
        "textup",
        "emph",
        "underline",
        "text",
        "mathrm",
        "mathbf",
        "mathit",
        "mathsf",
        "mathcal",
        "mathbb",
        "mathfrak",
        "operatorname",
        "bm",
        "boldsymbol",
        "mbox",
        "hbox",
        "uline",
        "textsuperscript",
        "textsubscript",
        "overline",
        "hat",
        "bar",
        "tilde",
        "vec",
        "dot",
        "SI",
        "num",
        "si",
        "unit",
    ]
)
"""LaTeX commands whose argument is what is seen."""

_GREEK = {
    name.lower().removeprefix("lamda"): name
    for name in [
        "ALPHA",
        "BETA",
        "GAMMA",
        "DELTA",
        "EPSILON",
        "ZETA",
        "ETA",
        "THETA",
        "IOTA",
        "KAPPA",
        "MU",
        "NU",
        "XI",
        "OMICRON",
        "PI",
        "RHO",
        "SIGMA",
        "TAU",
        "UPSILON",
        "PHI",
        "CHI",
        "PSI",
        "OMEGA",
    ]
} | {"lambda": "LAMDA"}


def latex_character(command: str) -> str | None:
    """What a LaTeX command without its backslash shows: a character, a name, or nothing; None if not known."""
    if command in _SYMBOLS:
        return _SYMBOLS[command]
    if command.lower() in _GREEK and command[1:].islower():
        case = "CAPITAL" if command[0].isupper() else "SMALL"
        return unicodedata.lookup(f"GREEK {case} LETTER {_GREEK[command.lower()]}")
    if command in _FUNCTIONS:
        return command
    return "" if command in _UNSEEN else None


SIGNS_IN_ASCII = {
    "<=>": "⇔", "<->": "↔", "-->": "→", "<--": "←", "==>": "⇒", "+/-": "±", "+-": "±", "...": "…",
    "<=": "≤", ">=": "≥", "!=": "≠", "=/=": "≠", "<>": "≠", "->": "→", "=>": "⇒", "~=": "≈",
    "<<": "≪", ">>": "≫",
}  # fmt: skip
"""Signs as they are typed where the keyboard lacks them."""

# What is written one way or another and means the same.
_ALIKE = {
    "∼": "~", "〜": "~", "～": "~", "˜": "~", "∗": "*", "⋆": "*", "·": "·", "⋅": "·", "•": "•", "∙": "·",
    "✔": "✓", "✗": "✘", "❌": "✘", "✖": "✘", "✅": "✓", "🗸": "✓", "☓": "✘", "🗹": "☑", "☒": "☒", "□": "☐", "▢": "☐",
    "µ": "μ", "Ω": "Ω", "Å": "Å", "Δ": "Δ", "∆": "Δ", "∑": "Σ", "∏": "Π", "º": "°", "˚": "°", "∘": "°",
    "⩽": "≤", "⩾": "≥", "≦": "≤", "≧": "≥", "﹤": "<", "﹥": ">", "⟶": "→", "⟵": "←", "➔": "→", "➜": "→", "➝": "→",
    "∣": "|", "∖": "\\", "⧵": "\\", "⁄": "/", "∕": "/", "÷": "÷", "⋯": "…", "‥": "…", "︙": "…",
    "。": ".", "｡": ".", "、": ",", "､": ",", "，": ",", "：": ":", "；": ";", "？": "?", "！": "!", "؟": "?", "،": ",",
    "؛": ";", "٪": "%", "٫": ".", "٬": ",", "।": ".", "۔": ".", "‧": "·", "・": "·", "‗": "_",
    "（": "(", "）": ")", "【": "[", "】": "]", "［": "[", "］": "]", "〔": "[", "〕": "]", "｛": "{", "｝": "}",
    "ʹ": "′", "ʺ": "″", "〝": "\"", "〞": "\"",
}  # fmt: skip

DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d\u2e3a\u2e3b"

APOSTROPHES = "'\u2018\u2019\u201a\u201b\u02bc\u02b9\u055a\uff07`\u00b4"

QUOTATION_MARKS = (
    '"\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a\u300c\u300d\u300e\u300f\u301d\u301e\u301f\uff02'
)

PLAIN_SIGNS = (
    dict.fromkeys(map(ord, DASHES), "-")
    | dict.fromkeys(map(ord, APOSTROPHES), "'")
    | dict.fromkeys(map(ord, QUOTATION_MARKS), '"')
    | {ord(char): plain for char, plain in _ALIKE.items()}
)
"""Dashes, apostrophes, quotation marks and other signs that are drawn in several ways, by code point."""

_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


def entity_character(entity: str) -> str | None:
    """The characters of an HTML entity such as ``&amp;``; None if there is none of that name."""
    shown = unescape(entity)
    return None if shown == entity or not _ENTITY.fullmatch(entity) else shown


def mended(text: str) -> str | None:
    """Text that was UTF-8 and was read as Windows-1252 ("â€™" for "’"); None if it is nothing of the kind."""
    try:
        raw = b"".join(bytes((ord(c),)) if "\x80" <= c <= "\x9f" else c.encode("cp1252") for c in text)
        return raw.decode("utf-8")
    except UnicodeError:
        return None


HTML_ELEMENTS = (
    "a abbr acronym address article aside b bdi bdo big blockquote body br caption center cite code col colgroup"
    " dd del details dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 head header hr html i img"
    " ins kbd label li main mark nav ol p pre q s samp section small span strike strong sub summary sup table"
    " tbody td tfoot th thead title tr tt u ul var wbr"
)
"""Names of the elements whose tags are marks, not text."""

BLOCK_ELEMENTS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "br",
        "caption",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "figcaption",
        "figure",
        "footer",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "html",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "title",
        "tr",
        "ul",
    ]
)
"""Those that set their content apart: a space for the eye."""
