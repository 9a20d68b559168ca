"""Puts the lessons into the wheel, without the pictures of their widgets, three quarters of its weight.

A copy of a lesson draws its widgets as soon as a cell runs; charts keep their pictures.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Lessons(BuildHookInterface):  # type: ignore[type-arg]
    """The hook of [tool.hatch.build.targets.wheel.hooks.custom]."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "standard":  # an editable install has the checkout's
            return
        course = Path(self.root, "notebooks")
        self.folder = tempfile.TemporaryDirectory()
        for lesson in sorted([*course.glob("*.ipynb"), *course.glob("zh/*.ipynb")]):
            name = lesson.relative_to(course)
            light = Path(self.folder.name, name)
            light.parent.mkdir(exist_ok=True)
            light.write_text(_without_pictures(lesson.read_text(encoding="utf-8")), encoding="utf-8")
            build_data["force_include"][str(light)] = f"mixwidgets/notebooks/{name.as_posix()}"
        for figure in [*course.glob("*.svg"), *course.glob("zh/*.svg")]:
            name = figure.relative_to(course)
            build_data["force_include"][str(figure)] = f"mixwidgets/notebooks/{name.as_posix()}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version == "standard":
            self.folder.cleanup()


def _without_pictures(lesson: str) -> str:
    """The notebook's JSON; the pictures of widgets, unlike those of charts, have an `alt`."""
    notebook = json.loads(lesson)
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            if "alt" in output.get("metadata", {}).get("image/png", {}):
                del output["data"]["image/png"], output["metadata"]["image/png"]
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
