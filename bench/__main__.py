"""Run the benchmarks and print one table: `python -m bench`, or some of them: `python -m bench kmeans decode`.

The exit code is 1 where a target is missed or a benchmark fails. On a busy machine the numbers mean little: the load
before the start is printed with them.
"""

import os
import sys

from bench.run import measure, names
from bench.table import show


def main(chosen: list[str]) -> int:
    unknown = sorted(set(chosen) - set(names()))
    if unknown:
        print(f"bench: no benchmark '{unknown[0]}'. Known: {', '.join(names())}.", file=sys.stderr)
        return 2
    load = os.getloadavg()[0]
    rows = []
    for name in chosen or names():
        print(f"bench: {name} ...", file=sys.stderr, flush=True)
        rows += measure(name)
    print(f"{os.cpu_count()} cores, load {load:.1f} before the start\n\n{show(rows)}")
    return int(any(row.verdict.startswith(("missed", "failed")) for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
