"""What is in a runs folder after a sweep."""

from collections import Counter

import mixwidgets as mw
from mixwidgets.runs.scheduler.cells import ENDED


def ended(runs_dir):
    """How many runs that ended by themselves there are of each experiment, by the experiment's id."""
    return Counter(run.experiment.id for run in mw.list_runs(runs_dir) if run.status in ENDED)
