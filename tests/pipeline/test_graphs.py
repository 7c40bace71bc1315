"""Snakemake's graph and DVC's are one graph."""

import re
from typing import Any

import pytest

Edges = set[tuple[str, str]]


def dvc_graph(workspace: Any) -> tuple[set[str], Edges]:
    text = workspace.run("dvc", "dag", "--dot", "--full").stdout
    edges = {(before, after) for before, after in re.findall(r'"([^"]+)" -> "([^"]+)"', text)}
    return set(re.findall(r'"([^"]+)"', text)), edges


def snakemake_graph(workspace: Any) -> tuple[set[str], Edges]:
    """From the table of outputs and inputs: who makes a file that another reads comes before it."""
    lines = workspace.snakemake("--detailed-summary").stdout.splitlines()
    header = next(number for number, line in enumerate(lines) if line.startswith("output_file"))
    names = lines[header].split("\t")
    made_by: dict[str, str] = {}
    reads: dict[str, set[str]] = {}
    for line in lines[header + 1 :]:
        row = dict(zip(names, line.split("\t"), strict=False))
        stage = re.search(r"--single-item (\S+)", row["shellcmd"])
        if stage is None:  # the rule `all` runs nothing
            continue
        made_by[row["output_file"]] = stage[1]
        reads.setdefault(stage[1], set()).update(row["input-file(s)"].split(","))
    edges = {(made_by[file], stage) for stage, files in reads.items() for file in files if file in made_by}
    return set(reads), edges


@pytest.mark.parametrize("suite", ["tiny", "demo", "paper"])
def test_both_tools_have_the_same_nodes_and_edges(workspace: Any, suite: str):
    workspace.plan(suite)
    nodes, edges = dvc_graph(workspace)
    assert len(nodes) > 5
    assert snakemake_graph(workspace) == (nodes, edges)
