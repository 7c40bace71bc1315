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
    text = workspace.snakemake("--forceall", "--dag").stdout
    labels = dict(re.findall(r'(\d+)\[label = "([^"]+)"', text))
    arrows = [(before, after) for before, after in re.findall(r"(\d+) -> (\d+)", text) if labels[after] != "all"]

    def name(job: str) -> str:
        rule, _, key = labels[job].partition("\\nkey: ")
        if rule == "report" or key:
            return f"{rule}@{key}" if key else rule
        # Snakemake leaves out a key that is also the key of a job before it: a probe is called like its training.
        (training,) = [before for before, after in arrows if after == job and not labels[before].startswith("prepare")]
        return f"{rule}@{name(training).split('@')[1]}"

    nodes = {name(job) for job, label in labels.items() if label != "all"}
    return nodes, {(name(before), name(after)) for before, after in arrows}


@pytest.mark.parametrize("suite", ["tiny", "demo", "paper"])
def test_both_tools_have_the_same_nodes_and_edges(workspace: Any, suite: str):
    workspace.plan(suite)
    nodes, edges = dvc_graph(workspace)
    assert len(nodes) > 5
    assert snakemake_graph(workspace) == (nodes, edges)
