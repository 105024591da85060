"""Words that turn a sentence into its contrary, as data.

Languages: English, German, French, Spanish, Italian, Portuguese, Dutch, Polish and Russian. All words are folded
(see ``folding``). Words of one language that are harmless in another ("no" in Portuguese) only make the
comparison stricter.
"""
# ruff: noqa: RUF001  (Cyrillic words look like Latin ones)

from langchain_pymupdf_coords.folding import fold_letters

_NEGATIONS = {
    "en": "not no never none neither nor nobody nothing nowhere without cannot hardly scarcely barely",
    "de": "nicht nichts nie niemals niemand niemandem kein keine keinen keinem keiner keines weder ohne kaum",
    "fr": "ne n pas jamais rien aucun aucune ni sans guère nul nulle non",
    "es": "no ni nunca jamás nada nadie ningún ninguno ninguna tampoco sin",
    "it": "non né mai niente nulla nessun nessuno nessuna neppure nemmeno neanche senza",
    "pt": "não nem nunca jamais nada ninguém nenhum nenhuma sem",
    "nl": "niet niets nooit niemand geen noch nergens zonder",
    "pl": "nie nigdy nic nikt żaden żadna żadne ani bez nigdzie",
    "ru": "не нет ни никогда ничего никто нигде нельзя без",
}
NEGATIONS = frozenset(fold_letters(word) for words in _NEGATIONS.values() for word in words.split())

NEGATING_PREFIXES = frozenset("un in im il ir dis des dés de non mis miss mé anti a ab ohn nicht nie bez не".split())
"""What, cut off the beginning of a word, may leave its contrary ("illegal", "legal")."""

HYPHENATED_NEGATIONS = frozenset("non un anti dis not no nicht nie".split())
"""The same, written with a hyphen ("non-compliance")."""

ARTICLES = frozenset(
    "a an the der das den dem ein eine einen einem einer le la les un une el los las il lo gli uno una het een".split()
)
"""Words that a reader drops or adds without changing what is said. "die" is not one: it is an English verb too."""

_MISTAKEN = """
    accept except; adverse averse; affect effect; angel angle; assess asses; bear hear; bold hold; but hut; case ease
    casual causal; cast east; chloride chlorine; clear dear; close dose; compiled complied; complement compliment
    conservation conversation; contact contract; corn com; council counsel; country county; current currant
    dairy diary; decent descent; dessert desert; device devise; exiting existing; father farther; field filed
    formal former; form from; he be; hypertension hypotension; imminent immanent; ingenious ingenuous; later latter
    learned leaned; loose lose; lead led; martial marital; methane methene; modern modem; moral morale
    nitrate nitrite; nuclear unclear; perfect prefect; phosphate phosphite; personal personnel; planned planed
    prescribe proscribe; prescription proscription; prostate prostrate; public pubic; quiet quite; ration ratio
    reserve reverse; sacred scared; signed singed; silver sliver; stationary stationery; statue statute
    stern stem; sulfate sulfite; sulphate sulphite; though through; thorough through; tired tried; trail trial
    united untied; statute statue; principal principle; insure ensure; allow follow; decease disease
    increase decrease; increased decreased; increasing decreasing; include exclude; included excluded
    inclusive exclusive; import export; internal external; interior exterior; minimum maximum; minimal maximal
    over under; above below; before after; more less; most least; upper lower; first last; higher lower; up down
    may must; may shall; must should; can could; will would; all some; all none; some none; any every; true false
    debtor creditor
    million billion; billion trillion; today tomorrow; buy sell; male female; and or; his her; he she
    hyperglycemia hypoglycemia; interstate intrastate; intranet internet; abduction adduction; afferent efferent
"""
MISTAKEN_PAIRS = frozenset(
    frozenset(pair.split()) for line in _MISTAKEN.strip().splitlines() for pair in line.strip().split(";") if pair
)
"""Pairs of English words, alike or opposed, of which one is never a misspelling of the other."""
