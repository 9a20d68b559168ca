"""The user's own recipes in a TrainingLab: a Recipe as a form, with paths such as "loss_scale.kind"."""

import json
import re
import reprlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import Field, fields
from pathlib import Path
from typing import Any

from mixwidgets.runs.experiments.loss_scale import LossScale
from mixwidgets.runs.experiments.operands import Operands, operand_formats, weight_formats
from mixwidgets.runs.experiments.option_words import OPTION_WORDS
from mixwidgets.runs.experiments.options import choices
from mixwidgets.runs.experiments.recipe import Recipe, recipes
from mixwidgets.support.checks import check_names, yes_or_no
from mixwidgets.support.files import errors_explained, read_plain_file, replace_file
from mixwidgets.support.languages.texts import translated

HEADING = "own recipes"
"""Their heading in a list of recipes."""

_PARTS = {"": Recipe, "loss_scale": LossScale, "operands": Operands}
_GROUPS = {
    "": "recipe",
    "fp32_ops": "in float32",
    "loss_scale": "loss scale",
    "operands": "operands",
    "operands.products_rounded": "products rounded",
    "operands.four_over_six_operands": "four over six operands",
}
_NAME = re.compile(r"\w[\w .-]{0,38}[\w.-]|\w")
_MOST = 50
_KEPT = ".recipes.json"  # in a folder of runs
_LIMIT = 1 << 18  # bytes


def form(language: str) -> list[dict[str, Any]]:
    """The fields of a recipe for the page: name, group, title, what it is, what it needs to have an effect,
    default, and the accepted values."""
    usual = in_page(Recipe())
    return [
        {
            "name": path,
            "group": translated(_GROUPS[part], language),
            "title": translated(title.replace("_", " "), language),
            "about": translated(OPTION_WORDS[path].about, language),
            "needs": {other: list(values) for other, values in OPTION_WORDS[path].needs.items()},
            "default": usual[path],
            **takes,
        }
        for path, part, title, takes in _form(language)
    ]


def in_page(recipe: Recipe) -> dict[str, Any]:
    """The form's values for a recipe, by path."""
    owners = {"": recipe, "loss_scale": recipe.loss_scale, "operands": recipe.operands or Operands()}
    values: dict[str, Any] = {}
    for part, owner in owners.items():
        for option in fields(owner):
            path, value = _path(part, option.name), getattr(owner, option.name)
            if accepted := option.metadata.get("some_of"):
                values |= {_path(path, one): one in value for one in accepted}
            else:
                values[path] = ", ".join(value) if "names" in option.metadata else value
    del values["loss_scale"]
    return {**values, "operands": recipe.operands is not None}


def of_page(values: object) -> Recipe:
    """The inverse of `in_page`; missing fields have their defaults. Raises the errors of Recipe."""
    if not isinstance(values, Mapping):
        raise TypeError(f"A recipe takes an object of its fields; got a {type(values).__name__}.")
    check_names("A recipe", values, [path for path, *_ in _form()])
    given = dict(values)
    rounds = yes_or_no("operands", given.pop("operands", False))
    parts: dict[str, dict[str, Any]] = {part: {} for part in _PARTS}
    for part, owner in _PARTS.items():
        for option in fields(owner):
            path = _path(part, option.name)
            if accepted := option.metadata.get("some_of"):
                ticked = {one: yes_or_no(one, given.get(_path(path, one), True)) for one in accepted}
                parts[part][option.name] = [one for one in accepted if ticked[one]]
            elif path in given:
                value = given[path]
                is_text = "names" in option.metadata and isinstance(value, str)
                parts[part][option.name] = _names_in(value) if is_text else value
    return Recipe.from_dict(
        {
            **parts[""],
            "loss_scale": parts["loss_scale"],
            "operands": parts["operands"] if rounds else None,
        }
    )


def _names_in(text: str) -> list[str]:
    return [name for name in re.split(r"[\s,，、]+", text) if name]


def read_kept(folder: Path) -> dict[str, Recipe]:
    """The recipes that were kept in a folder of runs; what cannot be read, or is none, is left out."""
    try:
        there = json.loads(read_plain_file(folder / _KEPT, _LIMIT))
        pairs = list(there.items())[:_MOST]
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}
    kept = {}
    for name, values in pairs:
        with suppress(TypeError, ValueError, AttributeError):
            kept[checked_name(name)] = Recipe.from_dict(values)
    return kept


def write_kept(folder: Path, own: Mapping[str, Recipe]) -> None:
    """Keep these recipes, and no others, in a folder of runs."""
    with errors_explained("The recipe is kept for this lab alone", "is the runs folder writable?"):
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps({name: recipe.to_dict() for name, recipe in own.items()})
        replace_file(folder / _KEPT, text.encode())


def name_of(recipe: object, own: Mapping[str, Recipe]) -> str | None:
    """The name of this recipe among the user's own; None if it is none of them."""
    return next((name for name in own if own[name] == recipe), None)


def checked(own: Mapping[Any, Any]) -> dict[str, Recipe]:
    """The validated recipes by name. Raises TypeError or ValueError."""
    if len(own) > _MOST:
        raise ValueError(f"own_recipes keeps at most {_MOST} recipes; got {len(own)}: take one away.")
    for name, recipe in own.items():
        checked_name(name)
        if not isinstance(recipe, Recipe):
            raise TypeError(f"own_recipes takes Recipes; {name!r} is a {type(recipe).__name__}.")
    return dict(own)


def checked_name(name: object) -> str:
    """A valid name for a recipe, else ValueError."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(
            "A recipe is kept under a name of 1 to 40 letters, digits, spaces, _, - and ., such as "
            f"'fp16 without masters'; got {reprlib.repr(name)}."
        )
    if name in recipes or name == "custom":
        raise ValueError(f"{name!r} is a name that is taken: keep the recipe under another.")
    return name


def _form(language: str = "en") -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Each field of the form: path, part, name, and the accepted values."""
    for part, owner in _PARTS.items():
        for option in fields(owner):
            name = option.name
            path = _path(part, name)
            if accepted := option.metadata.get("some_of"):
                yield from ((_path(path, one), path, one, {"is_yes_or_no": True}) for one in accepted)
            elif name == "operands":
                yield name, name, "operands are rounded", {"is_yes_or_no": True}
            elif name not in _PARTS:
                yield path, part, name, _takes(option, language)


def _takes(option: Field[Any], language: str) -> dict[str, Any]:
    if accepted := choices(option):
        words = {word: translated(word, language) for word in accepted}
        none = {"": translated("the format’s own", language)} if option.default is None else {}
        return {"choices": none | words, "optional": option.default is None}
    if option.type is bool:
        return {"is_yes_or_no": True}
    if "names" in option.metadata:
        return {"is_text": True}
    if "check" not in option.metadata:
        is_optional = option.default is None
        none = {"": translated("as forward", language)} if is_optional else {}
        accepted_formats = weight_formats() if is_optional else operand_formats()
        return {"choices": none | {name: name for name in accepted_formats}, "optional": is_optional}
    limits = option.metadata["check"].keywords
    return {
        "whole": "accepted" not in limits,
        "low": limits["low"],
        "high": limits["high"],
        "optional": option.default is None,
    }


def _path(part: str, name: str) -> str:
    return f"{part}.{name}" if part else name
