"""Settings and results in a few letters, and in JSON."""

from mixwidgets.store.records import to_json_number
from mixwidgets.store.settings import Value

_SHARES = ("gradients.", "weights_unchanged")


def setting_in_words(value: Value) -> str:
    """A setting, exactly; what is not known, or not there, is –."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value is None else f"{value:.15g}" if isinstance(value, float) else str(value)


def result_in_words(name: str, value: Value) -> str:
    """A result of `comparison`: four digits, shares in percent, bytes in MB; what is not known is –."""
    if value is None or isinstance(value, str):
        return value or "–"
    if name.startswith(_SHARES):
        return f"{100 * value:.3g} %"
    if name.startswith("memory."):
        return f"{value / 1e6:,.4g} MB"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def in_json(value: Value) -> Value:
    """The value, or where it is a number that JSON does not have, its word: "nan", "inf", "-inf"."""
    return to_json_number(value) if isinstance(value, float) else value
