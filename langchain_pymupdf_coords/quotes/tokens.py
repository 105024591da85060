# ruff: noqa: RUF001  (signs of every kind are what this is about)
"""The pieces that a text is read by: words, white space, and marks of Markdown, HTML, LaTeX and JSON."""

import re

from langchain_pymupdf_coords.quotes.notations import DASHES, HTML_ELEMENTS, SIGNS_IN_ASCII

_DASH = re.escape(DASHES)

TOKEN = re.compile(
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

MATH = re.compile(r"(?<![\\$\w])(\$\$?)(?![\s$])(?P<body>[^$\n]{1,300}?)(?<![\s\\$])\1(?![\d$])")

MATHS = re.compile(r"[\\^_{}=<>+×±≤≥]|\A[A-Za-z]['′]?\Z|\A[A-Za-z]?\([A-Za-z, ]+\)\Z|\A[\d.,]+\Z")

# Words that are set high, or that the engine takes for such, are neither an exponent nor the mark of a note.
SUPERSCRIPT_TEXT = re.compile(r"[^<>]{0,80}?[^\W\d_]{4}")

JSON_SPACE = re.compile(r"\\[nrt]")

LINE_START = re.compile(r"(?:\A|\n|<br>|\|)[ \t>]*\Z")

BULLET = re.compile(r"[-*+–—•‣◦·▪▫■●○◆▶➢➤❖✦¦]\s|[•‣◦▪▫]\s?")

MOJIBAKE = re.compile(
    "[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]{1,3}"
)
