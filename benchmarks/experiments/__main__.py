"""python -m benchmarks.experiments [ROW …] [--seeds N] [--processes N] [--judge]: measure and judge.

All rows of `rows.py`, or those named. Every cell is measured on the seeds 0 … N − 1 by the public `mw.train`,
one torch thread and one seed at a time in each process. benchmarks/results/experiments.json keeps every
seed's figures, row by row as they are done, with the machine; rows that are not named stay as they were.
experiments.md is the table made of it. `--judge` measures nothing: it judges the figures that are there.

Not part of `python -m benchmarks`: all rows take some fifty minutes of one core.
"""

import argparse
import multiprocessing
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import Any

from benchmarks.experiments import results
from benchmarks.experiments.cells import Figures, seeds_of
from benchmarks.experiments.report import judged, markdown
from benchmarks.experiments.row import Row
from benchmarks.experiments.rows import ROWS
from benchmarks.pairs import machine


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.experiments")
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(ROWS)}; default: all")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--judge", action="store_true", help="only judge the figures that are there")
    given = parser.parse_args()
    if unknown := set(given.rows) - set(ROWS):
        parser.error(f"no row {sorted(unknown)}; there are {', '.join(ROWS)}")
    if given.judge:
        save({})
        return
    # Fresh processes: a fork would inherit torch's threads.
    with ProcessPoolExecutor(given.processes, multiprocessing.get_context("spawn")) as pool:
        futures: dict[tuple[str, int], Future[Figures]] = {}
        for number in given.rows or ROWS:
            measured = measure(ROWS[number], given.seeds, pool, futures)
            save({number: measured})
            print(f"row {number}: {measured['minutes']} minutes", flush=True)


def measure(
    row: Row, seeds: int, pool: Executor, futures: dict[tuple[str, int], Future[Figures]]
) -> dict[str, Any]:
    """A row's figures on the seeds from 0, and where they come from. futures: of cells and seeds, so that a
    cell of several rows is measured once."""
    start = time.perf_counter()
    # Seed by seed, so that no process is left with all the long runs at the end.
    keys = {label: f"{type(cell).__name__} {cell.to_dict()}" for label, cell in row.cells.items()}
    for seed in range(seeds):
        for label, cell in row.cells.items():
            if seed in seeds_of(cell, seeds) and (keys[label], seed) not in futures:
                futures[keys[label], seed] = pool.submit(cell.measure, seed)
    found = {
        label: [futures[keys[label], seed].result() for seed in seeds_of(cell, seeds)]
        for label, cell in row.cells.items()
    }
    return {
        "cells": {label: {**cell.to_dict(), "seeds": found[label]} for label, cell in row.cells.items()},
        "minutes": round((time.perf_counter() - start) / 60, 1),
        "machine": machine(),
    }


def save(measured: results.Results) -> None:
    """Put these rows in the place of those that were there; judge all; make the Markdown anew."""
    rows = {**results.read(results.PATH), **results.plain(measured)}
    rows = {number: judged(number, rows[number]) for number in ROWS if number in rows}
    results.write(rows, results.PATH)
    results.PATH.with_suffix(".md").write_text(markdown(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
