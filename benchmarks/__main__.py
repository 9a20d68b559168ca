"""python -m benchmarks [NAME …]: run all benchmarks, or those named, and write one JSON file each."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

from benchmarks.pairs import machine

ALL = ("importing", "memory", "formats", "gradients", "page", "reliability", "load", "sweep", "training")
RESULTS = Path(__file__).parent / "results"


def main(names: list[str]) -> None:
    RESULTS.mkdir(exist_ok=True)
    for name in names or ALL:
        if name not in ALL:
            sys.exit(f"no benchmark {name!r}; there are {', '.join(ALL)}")
        result = {"results": importlib.import_module(f"benchmarks.{name}").measure(), "machine": machine()}
        text = json.dumps(result, indent=2, ensure_ascii=False)
        (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        print(f"{name}\n{text}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
