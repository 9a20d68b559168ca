"""What the options of a recipe take, and recipes that differ in one of them alone."""

import typing

from mixwidgets.runs.experiments.loss_scale import LossScale, loss_scales
from mixwidgets.runs.experiments.operands import Operands
from mixwidgets.runs.experiments.recipe import Recipe, recipes

PLAIN, HALF = Recipe(), Recipe(compute_format="float16")
# What a field of a Recipe takes, where its annotation is no list of values.
VALUES = {
    "fp32_ops": [("norm", "loss"), ("softmax", "loss"), ("softmax", "norm")],
    "loss_scale": [LossScale(kind="static", init_scale=8.0), *loss_scales.values()],
    "operands": [Operands(), *(recipe.operands for recipe in recipes.values() if recipe.operands)],
}
# A loss scale that grows and falls within a few steps; one that falls at once; operands that look back.
MOVING = LossScale(
    kind="dynamic", init_scale=2.0**8, growth_factor=2.0**8, backoff_factor=2.0**-20, growth_interval=1
)
FALLING = MOVING.replace(init_scale=2.0**30, min_scale=2.0**30)
DELAYED = Operands(scaling="delayed")
IN_BLOCKS = Operands(forward="mxfp4", backward="mxfp4")
NVFP4 = Operands(forward="nvfp4", backward="nvfp4")
FOUR_OVER_SIX = NVFP4.replace(scale_rule="FOUR_OVER_SIX")
# What a field of a nested option takes, and the option in which that makes a difference.
NESTED = {
    "loss_scale": {
        "kind": (MOVING, "static"),
        "init_scale": (MOVING, 4.0),
        "growth_factor": (MOVING, 4.0),
        "backoff_factor": (MOVING, 0.25),
        "growth_interval": (MOVING, 7),
        "growth_delay": (MOVING, 3),
        "hysteresis": (MOVING, 2),
        "min_scale": (MOVING, 2.0**6),
        "max_scale": (MOVING, 2.0**10),
        "at_min_scale": (FALLING, "stop"),
    },
    "operands": {
        "forward": (DELAYED, "float8_e5m2"),
        "backward": (DELAYED, "float8_e4m3fn"),
        "scaling": (DELAYED, "current"),
        "amax_history_len": (DELAYED, 1),
        "gradient_rounding": (DELAYED, "stochastic"),
        "products": (DELAYED, "native"),
        "scale_rule": (IN_BLOCKS, "CEIL"),
        "weights": (NVFP4, "nvfp4_16x16"),
        "products_rounded": (DELAYED, ("forward", "weight_gradient")),
        "keep_wide": (DELAYED, ("0",)),
        "hadamard": (IN_BLOCKS, True),
        "input_rounding": (DELAYED, "stochastic"),
        "weight_rounding": (IN_BLOCKS, "stochastic"),
        "four_over_six_bound": (FOUR_OVER_SIX, 448),
        "four_over_six_metric": (FOUR_OVER_SIX, "MAE"),
        "four_over_six_operands": (FOUR_OVER_SIX, ("input",)),
    },
}


def values_of(field):
    """Every value of a field of a Recipe."""
    if typing.get_origin(field.type) is typing.Literal:
        return typing.get_args(field.type)
    values = (False, True) if field.type is bool else VALUES.get(field.name)
    assert values, f"which values does {field.name} take? Add some to VALUES in {__file__}"
    return values


def changed(name, value):
    """(a recipe, the same with this value in this field) for each preset that takes it."""
    for recipe in (*recipes.values(), Recipe(compute_format="float16", loop="amp")):
        try:
            other = recipe.replace(**{name: value})
        except ValueError:
            continue
        if other != recipe:
            yield recipe, other


def differing(option, before, field, value):
    """("option.field", a recipe, the same with this value in this field of a nested option)."""
    recipe = HALF if option == "loss_scale" else PLAIN  # where 16 bits do not hide how products are summed
    one, other = (recipe.replace(**{option: part}) for part in (before, before.replace(**{field: value})))
    return f"{option}.{field}", one, other


NESTED_PAIRS = [
    differing(option, before, field, value)
    for option, values in NESTED.items()
    for field, (before, value) in values.items()
]
