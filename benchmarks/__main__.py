"""python -m benchmarks [NAME …]: run all benchmarks, or those named; each writes a JSON file of its own."""

from __future__ import annotations

import importlib
import json
import re
import sys
from pathlib import Path

from benchmarks.pairs import machine

ALL = ("importing", "memory", "formats", "gradients", "page", "reliability", "load", "sweep", "training")
RESULTS = Path(__file__).parent / "results"


def main(names: list[str]) -> None:
    here = machine()
    folder = RESULTS / _slug(f"{here['processor']} {here['vectors']}")
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or ALL:
        if name not in ALL:
            sys.exit(f"no benchmark {name!r}; there are {', '.join(ALL)}")
        result = {"results": importlib.import_module(f"benchmarks.{name}").measure(), "machine": here}
        text = json.dumps(result, indent=2, ensure_ascii=False)
        (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        print(f"{name}\n{text}\n")


def _slug(processor: str) -> str:
    """A folder's name: "intel-xeon-avx512" of "Intel(R) Xeon(R) Processor AVX512"."""
    name = re.sub(r"\(\w+\)|\b(CPU|Processor)\b|@.*", "", processor)
    return "-".join(re.findall(r"[a-z0-9]+", name.lower()))


if __name__ == "__main__":
    main(sys.argv[1:])
