"""Reliability: real runs are killed at random moments and stopped, and their journals damaged byte by byte.

Every random choice is seeded, but the system decides at which point of a write a kill arrives. The
seconds of a stop depend on the machine.
"""

import os
import random
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import psutil

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler.launch import launch
from mixwidgets.runs.store.events import Event
from mixwidgets.runs.store.journal import create_run
from mixwidgets.runs.store.reader import JournalReader
from mixwidgets.runs.store.run import Run, open_run

ENDLESS = Experiment(
    task="digits_cnn", recipe="fp16_dynamic", steps=10_000_000, batch_size=16, summary_every=2
)
LATEST_KILL_S = 0.4  # enough for some hundred records

# Imports torch once; each run is a fork of it that trains, journals, and says what was acknowledged.
RECORDER = """
import os, sys
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.journal import Journal
from mixwidgets.runs.training.loop import train

def say(text):
    os.write(1, f"{text}\\n".encode())

for _ in train(Experiment(task="digits_cnn", steps=1)):
    pass  # loads what is loaded on first use
say("ready")
for line in sys.stdin:
    child = os.fork()
    if not child:
        try:
            say(os.getpid())
            with Journal(line.rstrip()) as journal:
                for event in train(journal.experiment):
                    journal.append(event)
                    say(f"{event.kind} {getattr(event, 'step', '')}")
        finally:
            os._exit(1)
    os.waitpid(child, 0)
    say("gone")
"""


class Recorder:
    """A process that records runs until they are killed. Use as a context manager."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-c", RECORDER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        self._line()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def kill_after(self, path: Path, seconds: float) -> list[str]:
        """Record the run at `path` and kill it `seconds` after its first record; returns what was
        acknowledged, as "step 3", in order."""
        assert self._process.stdin is not None
        print(path, file=self._process.stdin, flush=True)
        process_id, first = int(self._line()), self._line()
        assert first != "gone", "the run has died by itself"
        kill = threading.Timer(seconds, os.kill, (process_id, signal.SIGKILL))
        kill.start()
        acknowledged = [first, *iter(self._line, "gone")]
        kill.join()
        return acknowledged

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the recorder has died"
        return line.rstrip("\n")


def kills(times: int, runs_dir: Path, seed: int = 0) -> dict[str, Any]:
    """Kill recording runs (SIGKILL) and open what they leave."""
    moments = random.Random(seed)
    found: Counter[str] = Counter()
    states: Counter[str] = Counter()
    with Recorder() as recorder:
        for _ in range(times):
            path = create_run(ENDLESS, runs_dir)
            acknowledged = recorder.kill_after(path, moments.uniform(0, LATEST_KILL_S))
            run = open_run(path)
            recorded = [f"{event.kind} {getattr(event, 'step', '')}" for event in run.events()]
            found["acknowledged"] += len(acknowledged)
            found["lost"] += sum(one != other for one, other in zip(acknowledged, recorded, strict=False))
            found["lost"] += max(0, len(acknowledged) - len(recorded))
            torn = _is_torn(path)
            found["torn_lines"] += torn
            found["damage_not_told"] += torn != bool(run.damage)
            states[run.status] += 1
    return {
        "runs": times,
        **{name: found[name] for name in ("acknowledged", "lost", "torn_lines", "damage_not_told")},
        "states": dict(states),
    }


def _is_torn(path: Path) -> bool:
    events = path / "events.jsonl"
    return events.exists() and not (b"\n" + events.read_bytes()).endswith(b"\n")


def stops(times: int, runs_dir: Path, seed: int = 0) -> dict[str, Any]:
    """Seconds that `run.stop()` takes; in every second run torch is still loading."""
    moments = random.Random(seed)
    seconds, states, orphans = [], Counter[str](), 0
    for number in range(times):
        run = launch(ENDLESS, runs_dir)
        if number % 2:
            _wait_for_step(run, moments.randrange(1, 200))
        else:
            time.sleep(moments.uniform(0, 1.5))
        process_id = run.process_id
        start = time.perf_counter()
        states[run.stop()] += 1
        seconds.append(time.perf_counter() - start)
        orphans += process_id is not None and _outlives(process_id, 3)
    return {
        "runs": times,
        "p50_s": round(statistics.median(seconds), 3),
        "p95_s": round(statistics.quantiles(seconds, n=20, method="inclusive")[-1], 3),
        "worst_s": round(max(seconds), 3),
        "orphans": orphans,
        "states": dict(states),
    }


def _wait_for_step(run: Run, step: int) -> None:
    for event in run.follow():
        if event.kind == "step" and getattr(event, "step", 0) >= step:
            return


def _outlives(process_id: int, seconds: float) -> bool:
    try:
        psutil.Process(process_id).wait(seconds)
    except psutil.NoSuchProcess:
        return False
    except psutil.TimeoutExpired:
        return True
    return False


def flips(times: int, runs_dir: Path, seed: int = 0) -> dict[str, Any]:
    """Flip one byte of a finished run's journal, many times, each time in an intact copy."""
    moments = random.Random(seed)
    run = launch(ENDLESS.replace(steps=100), runs_dir)
    run.wait()
    events = run.path / "events.jsonl"
    whole = events.read_bytes()
    written = _texts(list(JournalReader(run.path).read_new()))
    worst, worst_at_newline, not_told, altered = 0, 0, 0, 0
    for _ in range(times):
        at = moments.randrange(len(whole))
        events.write_bytes(whole[:at] + bytes([whole[at] ^ moments.randrange(1, 256)]) + whole[at + 1 :])
        reader = JournalReader(run.path)
        kept = _texts(list(reader.read_new()))
        lost = len(written) - len(kept)
        if whole[at : at + 1] == b"\n":
            worst_at_newline = max(worst_at_newline, lost)
        else:
            worst = max(worst, lost)
        not_told += not (reader.damage or reader.torn_bytes)
        altered += len([text for text in kept if text not in written])
    return {
        "flips": times,
        "records": len(written),
        "most_records_lost": worst,
        "most_records_lost_at_a_newline": worst_at_newline,
        "damage_not_told": not_told,
        "altered_records": altered,
    }


def _texts(events: list[Event]) -> list[str]:
    return [repr(event) for event in events]


def measure() -> dict[str, object]:
    with TemporaryDirectory() as folder:
        runs_dir = Path(folder)
        return {
            "kill -9 at random moments of recording runs": kills(100, runs_dir / "kills"),
            "run.stop()": stops(50, runs_dir / "stops"),
            "single-byte flips of a journal": flips(1000, runs_dir / "flips"),
        }
