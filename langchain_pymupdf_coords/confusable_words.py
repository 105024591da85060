"""Words that look alike and say something else, opposites, and words that say next to nothing, as data."""

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

_PAIRS = """
    accept except; adverse averse; affect effect; afferent efferent; allow follow; angel angle
    assess asses; bear hear; bold hold; but hut; case ease; cast east; casual causal
    chloride chlorine; clear dear; close dose; compiled complied; complement compliment
    conservation conversation; contact contract; corn com; council counsel; country county
    currant current; dairy diary; decease disease; decent descent; desert dessert; device devise
    exiting existing; expect except; father farther; field filed; form from; formal former; he be
    imminent immanent; ingenious ingenuous; insure ensure; later latter; lead led; learned leaned
    loose lose; marital martial; methane methene; modern modem; moral morale; nitrate nitrite
    nuclear unclear; perfect prefect; personal personnel; phosphate phosphite; planned planed
    prescribe proscribe; prescription proscription; principal principle; prostate prostrate
    public pubic; quiet quite; ration ratio; reserve reverse; sacred scared; signed singed
    silver sliver; stationary stationery; statue statute; stern stem; sulfate sulfite
    sulphate sulphite; thorough through; though through; tired tried; trail trial; united untied

    abduction adduction; above below; after before; all none; all some; and or; any every; buy sell
    can could; creditor debtor; decrease increase; decreased increased; decreasing increasing
    exclude include; excluded included; exclusive inclusive; export import; exterior interior
    external internal; false true; female male; first last; he she; her his; higher lower
    hyperglycemia hypoglycemia; hypertension hypotension; internet intranet; interstate intrastate
    least most; less more; lower upper; maximal minimal; maximum minimum; may must; may shall
    million billion; must should; none some; over under; today tomorrow; trillion billion; up down
    will would
"""
MISTAKEN_PAIRS = frozenset(
    frozenset(pair.split()) for line in _PAIRS.splitlines() for pair in line.split(";") if pair.strip()
)
"""Pairs of English words, look-alikes and then opposites, that never are misspellings of one another."""
