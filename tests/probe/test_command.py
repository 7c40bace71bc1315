import re
from pathlib import Path

import pandas as pd
import pytest

from protofair.cli import main


@pytest.fixture
def command(world, capsys):
    """Run a command line in the small world: its exit code, what it printed, and what it complained about."""

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        return ended.value.code, *capsys.readouterr()

    return run


def test_probe_prints_a_line_for_each_task_and_where_the_rest_is(command, entry, write_plan):
    write_plan(probe={"a": entry})
    code, out, err = command("probe", "a")
    assert code == 0, err
    first, second, last = out.splitlines()
    number = r"\d+\.\d\d \[\d+\.\d\d, \d+\.\d\d\]"
    assert re.match(rf"Smiling/Male: accuracy {number}, EO {number}, balanced accuracy {number}", first)
    assert second.startswith("Smiling/race:")
    assert last == "results/demo/probe/a/metrics.json"
    assert Path(last).is_file()
    assert err == ""


def test_tsne_prints_the_mixing_and_where_the_points_are(command, entry, write_plan):
    drawing = {"checkpoint": entry["checkpoint"], "data": "tiny", "target": "Smiling", "sensitive": "Male"}
    write_plan(tsne={"b": drawing | {"perplexity": 10, "bootstrap": 20}})
    code, out, err = command("tsne", "b")
    assert code == 0, err
    assert "mixing of the groups in the plane: " in out
    assert "mixing of the groups in the features: " in out
    assert Path(out.splitlines()[-1]) == Path("results/demo/tsne/b/points.csv")


def test_a_warning_is_a_sentence_without_code(command, entry, write_plan):
    path = Path("data/packed/tiny/labels.csv")
    table = pd.read_csv(path)
    table.loc[table["Male"] == 1, "Smiling"] = 0
    table.to_csv(path, index=False)
    write_plan(probe={"a": entry})
    code, _, err = command("probe", "a")
    assert code == 0
    assert "protofair: warning: Smiling/Male, test: no image has target 1 and sensitive value 1: EO is NaN." in err
    assert ".py" not in err


@pytest.mark.parametrize("stage", ["probe", "tsne"])
def test_an_error_is_one_line_and_exit_code_2(command, write_plan, stage):
    write_plan()
    code, out, err = command(stage, "absent")
    assert (code, out) == (2, "")
    assert err.startswith(f"protofair: params/plan.yaml: {stage}: no entry 'absent'.")
    assert len(err.splitlines()) == 1
