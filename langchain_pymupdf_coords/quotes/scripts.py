# ruff: noqa: RUF001  (signs of every kind are what this is about)
"""Scripts that are written without spaces: where a word, a number or a negation of theirs may not be cut.

Words are told apart by ICU (``icu4py``, of the extra ``quotes``) where it is installed. The closed rules below
hold without it: they know numerals with their counters, and the letters that deny.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache, lru_cache

# Thai to Myanmar, Hangul, Khmer, CJK with kana, Yi: written without spaces, or with particles glued to words.
CONTINUOUS = re.compile(
    "[\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)

HANGUL = re.compile("[\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff]")

INVISIBLE = re.compile("[\u00ad\u200b\u200c\u200d\u2060\ufeff]")
"""Characters that stand inside a word and are not seen: soft hyphen, joiners, byte order mark."""

_NUMERALS = "〇零一二三四五六七八九十百千万萬億亿兆两兩廿卅壱弐参拾"

_COUNTERS = (
    "円元圆圓年月日時时分秒歳岁人名个個号號番件条條項项階阶回次倍割％度本枚台週周원년월일시분초명개호회"
)

_ENDS_IN_NUMERAL = re.compile(rf"[0-9{_NUMERALS}만억조천백십][.,]?\Z")

_NUMERAL = re.compile(rf"[0-9{_NUMERALS}만억조]")

_COUNTER = re.compile(f"[{_COUNTERS}]")

_DENIES_BEFORE = re.compile(
    "(?:[不无無非未没沒勿莫毋弗别別否]|絶対|决不|绝不|没有|沒有|不得|不能|不可|不会|不會|不要|无法|無法|禁止|严禁|嚴禁"
    r"|(?<![가-힣])(?:안|못)\s?|아니\s?|ไม่(?:ได้)?|มิ(?:ได้)?|ห้าม|อย่า|ບໍ່|ຢ່າ|មិន|ពុំ|មិនមែន|មិនបាន|កុំ|မ)\Z"
)

_DENIES_AFTER = re.compile(
    "(?:[\u3041-\u3096]{0,10}?(?:ない|なかっ|なく|なけれ|ませ|ざる|まい)|なし|無し|ぬ(?![\u3041-\u309f])|ず(?=[\u3001\u3002、。,.に]|$)|ざる|まい|不|不可|禁止|ではな|ではありませ|でな"
    r"|(?:지|진|지는|지도)?\s?(?:않|못하|못했|못한|아니|말)|(?:할|될|을|ㄹ)?\s?(?:수\s?)?없|(?:은|는|이|가)?\s?(?:아니|아닙|없)"
    "|ไม่|មិន|ទេ|ဘူး|မဟုတ်|បានទេ)"
)

_PARTICLE = re.compile(
    "(?:은|는|이|가|을|를|의|에|에서|에게|께|께서|로|으로|와|과|도|만|까지|부터|보다|처럼|마다|이나|나|이란|란|이라|라|이며|며|고|하고|이고"
    "|들|들은|들이|들의|들을|에는|에도|로서|으로서|로써|으로써|이다|입니다|다|요)(?![가-힣])"
)

_DETERMINERS = "本该該此各每其某全両两诸諸这那"


def cuts_number(before: str, after: str, *, glued: bool) -> bool:
    """Whether a numeral stands before a cut, and another or its counter after it: "二十|2万", "46|号".

    Args:
        before: Text up to the cut, without white space at its end.
        after: Text from the cut on, without white space.
        glued: Whether nothing stands between; a counter that is set apart is a word.
    """
    if not _ENDS_IN_NUMERAL.search(before[-2:]):
        return False
    return bool(_NUMERAL.match(after) or (glued and _COUNTER.match(after)))


def denied_before(before: str) -> bool:
    """Whether the text before a cut ends in what denies the words after it."""
    return _DENIES_BEFORE.search(before[-8:]) is not None


def denied_after(after: str) -> bool:
    """Whether the text after a cut begins with what denies the words before it."""
    return _DENIES_AFTER.match(after) is not None


def cuts_hangul_word(before: str, after: str) -> bool:
    """Whether a cut lies inside a Korean word; a particle at its end may be cut off."""
    if not (HANGUL.search(before[-1:]) and HANGUL.match(after)):
        return False
    return _PARTICLE.match(after) is None


def cuts_word(text: str, at: int) -> bool:
    """Whether a word of a script without spaces goes on over a place of the text, as far as ICU can tell.

    Args:
        text: The text around the cut; a few dozen letters on each side are enough.
        at: The cut, an index into it.
    """
    if text[at - 1 : at] in _DETERMINERS or HANGUL.search(text[at - 1 : at + 1]):
        return False
    breaks = _word_breaks(text)
    return breaks is not None and at not in breaks


@cache
def _word_breaker() -> Callable[[str, str], Iterable[str]] | None:
    try:
        from icu4py.breakers import WordBreaker
    except ImportError:
        return None
    breaker: Callable[[str, str], Iterable[str]] = WordBreaker
    return breaker


@lru_cache(maxsize=64)
def _word_breaks(text: str) -> frozenset[int] | None:
    breaker = _word_breaker()
    if breaker is None:
        return None
    places, at = {0}, 0
    for piece in breaker(text, "ja" if _has_kana(text) else "zh"):
        at += len(piece)
        places.add(at)
    return frozenset(places)


def _has_kana(text: str) -> bool:
    return any("\u3040" <= char <= "\u30ff" for char in text)


def is_mark_of_letter(char: str) -> bool:
    """Whether a combining mark is a letter of its script (a vowel, a tone, a virama), not pointing."""
    return not unicodedata.name(char, "").startswith(("HEBREW", "ARABIC", "SYRIAC"))
