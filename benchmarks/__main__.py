"""python -m benchmarks [NAME …]: run all benchmarks, or those named; each writes its own JSON file."""

import importlib
import json
import sys

from benchmarks.pairs import RESULTS, machine, slug

ALL = (
    *("importing", "memory", "formats", "gradients", "page", "playground", "reliability", "load", "sweep"),
    *("training", "survey", "responsiveness"),
)


def main(names: list[str]) -> None:
    here = machine()
    folder = RESULTS / slug(f"{here['processor']} {here['vectors']}")
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or ALL:
        if name not in ALL:
            sys.exit(f"no benchmark {name!r}; there are {', '.join(ALL)}")
        result = {"results": importlib.import_module(f"benchmarks.{name}").measure(), "machine": here}
        text = json.dumps(result, indent=2, ensure_ascii=False)
        (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        print(f"{name}\n{text}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
