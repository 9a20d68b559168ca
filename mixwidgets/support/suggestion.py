"""The likely fix of a misspelt name."""

import difflib
from collections.abc import Iterable

_LEAST = 3  # characters of a word that is looked for inside the accepted ones


def did_you_mean(word: object, accepted: Iterable[str]) -> str:
    """The question, such as " Did you mean 'x' or 'y'?", or "" if no accepted word is close.

    Those are meant that begin with `word`, or else contain it, or else the closest one.
    """
    wanted, names = str(word)[:100], list(accepted)
    begun = [name for name in names if name.startswith(wanted.lower())]
    within = [name for name in names if wanted.lower() in name]
    meant = (begun or within) if len(wanted) >= _LEAST else []
    meant = meant or difflib.get_close_matches(wanted, names, n=1, cutoff=0.5)
    return f" Did you mean {' or '.join(map(repr, meant))}?" if meant else ""
