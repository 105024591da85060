"""Marks of a quote before its first letter and after its last, and those of the text there."""

from collections.abc import Iterable
from dataclasses import dataclass

from langchain_pymupdf_coords.quotes.differences import Contrast
from langchain_pymupdf_coords.quotes.mark_kinds import CLOSING, OPENING
from langchain_pymupdf_coords.quotes.reading import RAISED, Reading, is_letter
from langchain_pymupdf_coords.quotes.signs import is_ornament, kind_of


@dataclass(frozen=True, slots=True)
class OuterMarks:
    """The outside of a quote, beside that of its place.

    Attributes:
        quote: The signs of the quote.
        asked: The span of its letters.
        page: The signs of the text around.
        found: The span of the letters that are the quote's.
    """

    quote: Reading
    asked: tuple[int, int]
    page: Reading
    found: tuple[int, int]

    def before(self, places: Iterable[int]) -> tuple[int, list[Contrast]]:
        """The first sign of the text that the quote has, and the marks that only the quote has.

        Args:
            places: Those of the marks of the quote, from its first letter outwards.
        """
        page, at = self.page.signs, self.found[0]
        strange: list[int] = []
        for mine in places:
            sign = self.quote.signs[mine]
            if at > 0 and page[at - 1] == sign and not is_letter(sign):
                at -= 1
            elif at > 1 and page[at - 2] == sign and _is_weak(page[at - 1]):
                at -= 2
            else:
                strange.append(mine)
        return at, [
            Contrast(self._kind(mine, leading=True), (mine, mine + 1), (at, at)) for mine in reversed(strange)
        ]

    def after(self, places: Iterable[int]) -> tuple[int, list[Contrast]]:
        """The end of the signs of the text that the quote has, and the marks that only the quote has.

        Args:
            places: Those of the marks of the quote, from its last letter outwards.
        """
        page, at = self.page.signs, self.found[1]
        found: list[Contrast] = []
        strange: list[int] = []
        for mine in places:
            sign = self.quote.signs[mine]
            if page[at : at + 1] == sign:
                at += 1
            elif page[at + 1 : at + 2] == sign and page[at] == RAISED:
                found.append(Contrast("flattened", (mine, mine + 1), (at, at + 2)))
                at += 2
            elif page[at + 1 : at + 2] == sign and _is_weak(page[at]):
                at += 2
            else:
                strange.append(mine)
        found += [Contrast(self._kind(mine, leading=False), (mine, mine + 1), (at, at)) for mine in strange]
        return at, found

    def _kind(self, mine: int, *, leading: bool) -> str:
        """The kind of a mark that the text has not."""
        sign = self.quote.signs[mine]
        kind = kind_of(sign)
        if leading and (is_ornament(sign) or sign == "✓"):
            before = self.page.signs[self.found[0] - 1 : self.found[0]]
            return kind if kind_of(before or ".") in ("symbol", "tick_or_box", "arrow") else "list_mark"
        by_digit = self.quote.signs[self.asked[0] if leading else self.asked[1] - 1].isdigit()
        if sign in "\"'`" or sign in OPENING + CLOSING:
            touches = mine == (self.asked[0] - 1 if leading else self.asked[1])
            encloses = sign in "()" and by_digit and touches and self._is_enclosed()
            return "number_sign" if encloses else "quotation_mark"
        if sign == "-":
            glued = (mine + 1 if leading else mine) not in self.quote.breaks
            return "number_sign" if by_digit and glued else "final_punctuation"
        if sign in "?!":
            return "end_mark"
        if sign in ".,;:…/*_|":
            return "list_mark" if leading else "final_punctuation"
        return kind

    def _is_enclosed(self) -> bool:
        start, end = self.asked
        return self.quote.signs[start - 1 : start] == "(" and self.quote.signs[end : end + 1] == ")"


def _is_weak(sign: str) -> bool:
    return sign in "\"'.,;:()[]…*_|"
