"""`make notebooks` runs each lesson by nbval; at its end it names those that took too long for a lesson."""

from collections import defaultdict
from collections.abc import Mapping

import pytest

LONGEST = 120.0
"""Seconds from top to bottom, on two cores."""

_seconds: defaultdict[str, float] = defaultdict(float)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    lesson, _, _ = report.nodeid.partition("::")
    if lesson.endswith(".ipynb"):
        _seconds[lesson] += report.duration


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for sentence in too_long(_seconds):
        terminalreporter.write_line(sentence, yellow=True)


def too_long(seconds: Mapping[str, float]) -> list[str]:
    """A sentence for each lesson that takes longer than it may."""
    return [
        f"{lesson} took {taken:.0f} s; a lesson runs in {LONGEST:.0f} s on two cores that do nothing else."
        for lesson, taken in sorted(seconds.items())
        if taken > LONGEST
    ]
