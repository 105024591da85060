# ruff: noqa: RUF001  (signs of every kind are what this is about)
"""Small words on which the meaning of a sentence hangs, as data, a line for each language.

Words that deny or limit in one language and not in another ("no" in Portuguese) only make comparisons
stricter; where strictness would cost true quotes, the words of the languages that a text is written in count
(`languages_of`). All are folded (see ``folding``).
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from langchain_pymupdf_coords.folding import fold_letters


def _words(**lines: str) -> Mapping[str, frozenset[str]]:
    return {language: frozenset(map(fold_letters, line.split())) for language, line in lines.items()}


NEGATIONS = _words(
    en="not no never none neither nor nobody nothing nowhere without cannot hardly scarcely barely",
    de="nicht nichts nie niemals niemand niemandem kein keine keinen keinem keiner keines weder ohne kaum",
    fr="ne n pas jamais rien aucun aucune ni sans guère nul nulle non",
    es="no ni nunca jamás nada nadie ningún ninguno ninguna tampoco sin",
    it="non né mai niente nulla nessun nessuno nessuna neppure nemmeno neanche senza",
    pt="não nem nunca jamais nada ninguém nenhum nenhuma sem",
    nl="niet niets nooit niemand geen noch nergens zonder",
    pl="nie nigdy nic nikt żaden żadna żadne ani bez nigdzie",
    ru="не нет ни никогда ничего никто нигде нельзя без",
    uk="не ні немає ніколи нічого ніхто ніде без",
    cs="ne není nejsou nikdy nic nikdo žádný žádná žádné ani bez nesmí nemá",
    da="ikke ej aldrig ingen intet ingenting hverken uden",
    no="ikke aldri ingen intet ingenting verken uten",
    sv="inte ej icke aldrig ingen inget inga ingenting varken utan",
    fi="ei en et emme ette eivät älä koskaan ilman",
    tr="değil hiç hiçbir yok asla olmayan olmadan",
    ro="nu nici niciodată nimic nimeni niciun nicio fără",
    hu="nem ne sem soha senki semmi nincs nincsenek nélkül",
    el="δεν δε μην μη όχι ποτέ τίποτα κανείς κανένας καμία κανένα ούτε χωρίς",
    ar="لا لم لن ليس ليست ليسوا غير ما بدون دون",
    he="לא אין אינו אינה אינם אינן אל בלי ללא מבלי",
    fa="نه نیست نیستند نمی هیچ بدون",
    hi="नहीं न मत ना बिना कभी",
    vi="không chưa chẳng chả đừng",
    id="tidak bukan belum jangan tanpa tak",
)
"""Words that deny. Contractions ("don't") are taken apart by whoever reads words."""

CONDITIONS = _words(
    en="if unless only except excepting excluding until till provided whether solely",
    de="wenn falls sofern soweit nur außer ausgenommen vorausgesetzt lediglich ausschließlich",
    fr="si sauf seulement excepté hormis pourvu uniquement",
    es="si salvo excepto solo sólo solamente únicamente",
    it="se salvo eccetto tranne solo soltanto finché purché unicamente",
    pt="se salvo exceto só somente apenas unicamente",
    nl="als indien tenzij alleen slechts behalve uitgezonderd mits",
    pl="jeśli jeżeli chyba tylko jedynie oprócz dopóki",
    ru="если только лишь кроме исключая пока",
    uk="якщо тільки лише крім поки",
    cs="pokud jestliže jen pouze kromě ledaže dokud",
    da="hvis medmindre kun undtagen bortset indtil forudsat",
    no="hvis dersom medmindre kun bare unntatt inntil forutsatt",
    sv="om såvida endast bara utom förutom tills förutsatt",
    fi="jos ellei vain ainoastaan paitsi kunnes edellyttäen",
    tr="eğer ancak yalnızca sadece hariç şartıyla",
    ro="dacă numai doar exceptând",
    hu="ha csak kivéve kivételével amíg feltéve",
    el="αν εάν μόνο μόνον εκτός εφόσον",
    ar="إذا لو فقط إلا باستثناء بشرط",
    he="אם רק אלא למעט בתנאי",
    fa="اگر فقط مگر جز",
    hi="अगर यदि केवल सिर्फ बशर्ते",
    vi="nếu chỉ trừ",
    id="jika kalau hanya kecuali asalkan",
)
"""Words that set a condition or an exception."""

LIMITS = frozenset(
    phrase
    for line in (
        "at least, at most, up to, more than, less than, fewer than, merely, not later than, as long as, subject to",
        "mindestens, höchstens, bis zu, mehr als, weniger als, maximal, minimal, es sei denn",
        "au moins, au plus, plus de, moins de, à condition que, jusqu'à",
        "al menos, por lo menos, como máximo, más de, menos de",
        "almeno, al massimo, più di, meno di, fino a, a condizione che",
        "pelo menos, no máximo, mais de, menos de",
        "minstens, hoogstens, ten minste, ten hoogste, meer dan, minder dan",
        "co najmniej, co najwyżej, nie więcej niż, więcej niż, mniej niż",
        "не менее, не более, более чем, менее чем, по крайней мере",
        "mindst, højst, mere end, mindre end, minst, høyst, mer enn, mindre enn, minst, högst, mer än, mindre än",
    )
    for phrase in line.split(", ")
)
"""What limits the words after it, where it stands just before them."""

CONNECTIVES = _words(
    en="and or but although though however before after when while because",
    de="und oder aber jedoch obwohl bevor nachdem bis ob",
    fr="et ou mais toutefois cependant avant après",
    es="y o pero aunque antes después hasta",
    it="e o ma tuttavia prima dopo",
    pt="e ou mas embora antes depois até",
    nl="en of maar echter voordat nadat tot",
    pl="i lub ale lecz przed po",
    ru="и или но однако до после",
    da="og eller men dog før efter",
    no="og eller men dog før etter",
    sv="och eller men dock före efter",
    tr="ve veya fakat ama önce sonra",
)
"""Words that join what is said, or order it in time."""

MODALS = _words(
    en="may might must shall should can could will would need ought",
    de="kann können könnte könnten muss müssen müsste müssten darf dürfen dürfte dürften soll sollen sollte"
    " sollten will wollen wird werden würde würden mag möchte",
    fr="peut peuvent pourra pourrait doit doivent devra devrait faut veut veulent",
    es="puede pueden podrá podría debe deben deberá debería hay-que quiere",
    it="può possono potrà potrebbe deve devono dovrà dovrebbe vuole",
    pt="pode podem poderá poderia deve devem deverá deveria quer",
    nl="kan kunnen kon mag mogen mocht moet moeten zal zullen zou zouden wil",
    pl="może mogą mógłby musi muszą powinien powinna powinno należy chce",
    ru="может могут должен должна должно должны следует обязан можно",
    uk="може можуть повинен повинна повинні мусить слід можна",
    cs="může mohou smí musí musejí má mají měl",
    da="kan kunne må måtte skal skulle vil ville bør burde",
    no="kan kunne må måtte skal skulle vil ville bør burde",
    sv="kan kunde får fick måste ska skall skulle vill ville bör borde",
    fi="voi voivat saa saavat pitää täytyy tulee",
    tr="gerekir gerek zorunda mümkün",
    ro="poate pot trebuie va vor ar",
    hu="kell lehet szabad",
    el="μπορεί μπορούν πρέπει οφείλει θα",
    ar="يجب يمكن يجوز ينبغي قد سوف",
    he="חייב חייבת צריך יכול יכולה רשאי",
    vi="phải có-thể nên sẽ được",
    id="harus dapat bisa boleh akan wajib",
)
"""Verbs of duty, leave and possibility."""

QUANTITIES = _words(
    en="all any some every each both either few many most several half least more less only always often"
    " sometimes usually rarely seldom mostly nearly almost about approximately up down over under above below"
    " million billion trillion thousand hundred dozen first last minimum maximum exactly twice once",
    de="alle allen aller alles einige jede jeder jedes jeden beide wenige viele meisten mehrere halb mindestens"
    " höchstens mehr weniger immer oft manchmal selten fast etwa ungefähr über unter million millionen"
    " milliarde milliarden tausend hundert erste letzte genau",
    fr="tous toute toutes tout chaque quelque quelques plusieurs moins plus toujours souvent parfois rarement"
    " presque environ million millions milliard milliards mille cent premier dernier moitié",
    es="todo todos toda todas cada algún alguno algunos algunas varios menos más siempre casi millón"
    " millones mil cien primero último mitad mínimo máximo",
    it="tutti tutto tutte ogni alcuni alcune vari meno più sempre quasi circa milione milioni miliardo"
    " miliardi mille cento primo ultimo metà",
    pt="todos todo todas cada algum alguns algumas vários menos mais sempre quase milhão milhões mil cem"
    " primeiro último metade",
    nl="alle elk elke ieder iedere enkele beide weinig veel meeste minstens hoogstens meer minder altijd vaak"
    " bijna ongeveer miljoen miljard duizend honderd eerste laatste",
    pl="wszystkie wszyscy każdy każda kilka niektóre większość mniej więcej zawsze prawie około milion"
    " milionów miliard tysiąc sto",
    ru="все всё каждый каждая некоторые несколько менее более всегда почти около миллион миллионов миллиард"
    " тысяча тысяч сто первый последний",
    da="alle hver nogle begge få mange mindst højst mere mindre altid næsten million milliard tusind",
    no="alle hver noen begge få mange minst høyst mer mindre alltid nesten million milliard tusen",
    sv="alla varje några båda få många minst högst mer mindre alltid nästan miljon miljard tusen",
    tr="tüm bütün her bazı birkaç çoğu az çok en daha hep milyon milyar bin yüz",
)
"""Words that say how much, how many or how often."""

ARTICLES = frozenset(
    word
    for line in (
        "a an the",
        "der das den dem ein eine einen einem einer",  # not "die", which is an English verb too
        "le la les un une el los las il lo gli uno una het een",
    )
    for word in line.split()
)
"""English, German, Romance and Dutch articles, which a reader may drop or add."""

NEGATING_PREFIXES = frozenset(
    map(
        fold_letters,
        [
            "un",
            "in",
            "im",
            "il",
            "ir",
            "dis",
            "non",
            "mis",
            "anti",
            "a",
            "ab",
            "de",
            "ohn",
            "nicht",
            "miss",
            "dés",
            "des",
            "mé",
            "nie",
            "не",
        ],
    )
)
"""What, cut off the beginning of a word, may leave its contrary ("illegal", "legal")."""

DENYING_FORWARD = frozenset(
    fold_letters(word)
    for line in (
        "without ohne sans sin senza sem zonder bez без uden uten utan ilman fără nélkül χωρίς",
        "ne n non não nem nie не ні nu δεν δε لا لم لن לא",
    )
    for word in line.split()
)
"""Words that deny what comes after them, never what stands before."""

HYPHENATED_NEGATIONS = frozenset(["non", "un", "anti", "dis", "not", "no", "nicht", "nie"])
"""The same, written with a hyphen ("non-compliance")."""

SPELLED_SIGNS: Mapping[str, frozenset[str]] = {
    "&": frozenset(["and", "und", "et", "y", "e", "en", "och", "og", "i", "и", "és"]),
    "§": frozenset(["section", "sec", "paragraph", "par", "para", "paragraf", "article", "art"]),
    "%": frozenset(["percent", "pct", "prozent", "procent"]),
    "€": frozenset(["eur", "euro", "euros"]),
    "£": frozenset(("gbp",)),
    "°": frozenset(["degree", "degrees", "grad"]),
    "×": frozenset(("x", "times")),
    "+": frozenset(("plus",)),
    "=": frozenset(("equals",)),
}
"""What a sign is called where it is written out."""

_FUNCTION_WORDS = _words(
    en="the of and to in is that for with are be by",
    de="der die und das den mit von ist ein auf für dem",
    fr="le la les des et du une est dans pour que par",
    es="el la los las de que y en del por con una",
    it="il di che la e per un del della con una gli",
    pt="o de que do da em os uma para com dos as",
    nl="de het een van en dat op te voor met zijn",
    pl="w na do się z że jest nie oraz dla przez",
    ru="и в на с что по для от из как это",
    uk="і в на з що до для від та як це",
    cs="a se na je že do pro ve byl jako jsou",
    da="og det at en af den for er som på med",
    no="og det at en av den for er som på med",
    sv="och det att en av den för är som på med",
    fi="ja on ei se että oli ovat mutta tai kun",
    tr="ve bir bu için ile olarak olan da de",
    ro="și de la în cu pe este pentru care din",
    hu="a az és hogy egy is nem meg van",
    el="και το της του η των την για με στην",
    ar="في من على إلى أن التي الذي هذا",
    he="של על את הוא זה עם כי היא",
    fa="و در به از که این را با است",
    hi="के का की में है और से को",
    vi="và của các là có được cho trong",
    id="yang dan di untuk dengan dari pada ini",
)


_SCRIPTS = (
    (re.compile("[\u0370-\u03ff\u1f00-\u1fff]"), {"el"}),
    (re.compile("[\u0400-\u052f]"), {"ru", "uk"}),
    (re.compile("[\u0590-\u05ff]"), {"he"}),
    (re.compile("[\u0600-\u06ff]"), {"ar", "fa"}),
    (re.compile("[\u0900-\u097f]"), {"hi"}),
)

WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
"""A word of letters, with the apostrophes in it."""


def is_function_word(word: str) -> bool:
    """Whether a folded word is one that only holds a sentence together in some language."""
    return any(word in common for common in _FUNCTION_WORDS.values())


def every(table: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The words of all languages of a table."""
    return frozenset().union(*table.values())


def languages_of(words: Iterable[str]) -> frozenset[str]:
    """The languages that folded words of a text are likely of: those whose function words are frequent."""
    counted = list(words)
    hits = {language: sum(word in common for word in counted) for language, common in _FUNCTION_WORDS.items()}
    most = max(hits.values(), default=0)
    return frozenset(language for language, count in hits.items() if count * 2 > most or not most)


@lru_cache(maxsize=256)
def languages_within(text: str) -> frozenset[str]:
    """The languages that a short text gives a sign of, by small words or by its script; none where it gives none."""
    words = list(map(fold_letters, WORD.findall(text)))
    hits = {
        language: sum(word in common or word in MODALS.get(language, ()) for word in words)
        for language, common in _FUNCTION_WORDS.items()
    }
    most = max(hits.values())
    spoken = {language for language, count in hits.items() if most and count * 2 > most}
    for script, languages in _SCRIPTS:
        if script.search(text):
            spoken |= languages
    return frozenset(spoken)


def words_of_languages(table: Mapping[str, frozenset[str]], languages: Iterable[str]) -> frozenset[str]:
    """The words that a table has for some languages."""
    return frozenset().union(*(table.get(language, frozenset()) for language in languages))
