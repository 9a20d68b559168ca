"""What a hand does to each widget: a click and a drag of each kind, and what they change."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Gesture:
    """A click on an element, or a drag of it; what the element `seen` says is then another."""

    held: str
    seen: str
    by: tuple[int, int] = (0, 0)
    name: str = ""
    at: tuple[float, float] = (0.5, 0.5)

    @property
    def is_drag(self):
        return self.by != (0, 0)


BITS, LINE, TICKS = "[role=switch]", ".mw-nl-handle", ".mw-charts .mw-ticks"
GESTURES = {
    "BitEditor": [
        Gesture(BITS, BITS, name="fraction bit 10 of 10"),
        Gesture(BITS, BITS, (100, 0), name="fraction bit 1 of 10"),  # paints bits
        Gesture(LINE, LINE, (40, 0)),
    ],
    "NumberLine": [
        Gesture(LINE, LINE, (40, 0)),
        Gesture(".mw-nl-board", ".mw-nl-board", (-60, 0), at=(0.9, 0.2)),  # moves the line
    ],
    "BlockLab": [
        Gesture(".mw-cell-lost", ".mw-bar-own"),
        Gesture(".mw-bar-own", ".mw-bar-own", (0, 20)),
    ],
    "FormatDesigner": [
        Gesture(".mw-design-grip", ".mw-design-grip", (-100, 0)),
    ],
    "LossScaleExplorer": [
        Gesture("input[type=range]", "input[type=range]", (90, 0), at=(0.4, 0.5)),
        Gesture("[role=slider]", "[role=slider]", (60, 0)),
    ],
    "TrainingLab": [
        Gesture(".mw-chart > svg", TICKS, (80, 0)),  # zooms
        Gesture(".mw-runs input", ".mw-key"),
    ],
    "Playground": [
        Gesture(".mw-play-transport button", ".mw-play-transport button", name="Pause"),
        Gesture(".mw-play-transport button", ".mw-play-count", name="One step"),
        Gesture(".mw-chips label", ".mw-play-title .mw-note", name="static"),
        Gesture(".mw-play-grip", ".mw-play-grip", (-60, 0)),
    ],
    "TrainingStep": [
        Gesture("input[type=range]", "input[type=range]", (90, 0), at=(0.1, 0.5)),
        Gesture(".mw-step-network", ".mw-step-menus select", at=(0.5, 0.1)),  # chooses a bias
    ],
    "SweepProgress": [
        Gesture(".mw-chart > svg", TICKS, (80, 0)),
        Gesture(".mw-sweep-cell", ".mw-callout"),
    ],
    "Exercise": [Gesture("button", ".mw-exercise", name="Start over")],
    "ModuleErrors": [Gesture(".mw-difference-cell", ".mw-difference-tensor", name="blocks.7")],
}

DRAGGED = [name for name, gestures in GESTURES.items() if any(one.is_drag for one in gestures)]
