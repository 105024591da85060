"""Words and prefixes that turn a sentence into its contrary, as data.

Languages: English, German, French, Spanish, Italian, Portuguese, Dutch, Polish and Russian. All are folded
(see ``folding``). Words that deny in one language and not in another ("no" in Portuguese) only make
comparisons stricter.
"""

from langchain_pymupdf_coords.folding import fold_letters


def _words(*lines: str) -> frozenset[str]:
    return frozenset(fold_letters(word) for line in lines for word in line.split())


NEGATIONS = _words(
    "not no never none neither nor nobody nothing nowhere without cannot hardly scarcely barely",
    "nicht nichts nie niemals niemand niemandem kein keine keinen keinem keiner keines weder ohne kaum",
    "ne n pas jamais rien aucun aucune ni sans guère nul nulle non",
    "no ni nunca jamás nada nadie ningún ninguno ninguna tampoco sin",
    "non né mai niente nulla nessun nessuno nessuna neppure nemmeno neanche senza",
    "não nem nunca jamais nada ninguém nenhum nenhuma sem",
    "niet niets nooit niemand geen noch nergens zonder",
    "nie nigdy nic nikt żaden żadna żadne ani bez nigdzie",
    "не нет ни никогда ничего никто нигде нельзя без",
)
"""A line for each language, in the order above. Contractions ("don't") are taken apart by ``quote_words``."""

NEGATING_PREFIXES = _words(
    "un in im il ir dis non mis anti a ab de", "ohn nicht miss", "dés des mé", "nie не"
)
"""What, cut off the beginning of a word, may leave its contrary ("illegal", "legal")."""

HYPHENATED_NEGATIONS = _words("non un anti dis not no", "nicht nie")
"""The same, written with a hyphen ("non-compliance")."""
