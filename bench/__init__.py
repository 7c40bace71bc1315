"""Benchmarks. A module's `main` returns rows of one table: `python -m bench` runs all, `python -m bench.NAME` one."""
