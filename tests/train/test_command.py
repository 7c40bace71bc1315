import pytest
from click.testing import CliRunner

from protofair.cli import main
from protofair.train.command import fair, warmup


@pytest.mark.parametrize("command", [warmup, fair])
def test_help_teaches(command):
    text = CliRunner().invoke(command, ["--help"]).output
    for word in ("Reads", "Writes", "checkpoints/epoch-NNN.pt", "log.jsonl", "run.json", "--on-cpu", "--save-minutes"):
        assert word in text


def exit_code(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    return int(caught.value.code or 0)


def test_both_stages_from_the_command_line(project, capsys):
    project.plan["warmup"]["w"] = project.warmup_entry()
    project.plan["fair"]["f"] = project.fair_entry()
    plan = str(project.plan_path())
    assert exit_code("warmup", "w", "--plan", plan, "--save-epochs", "2") == 0
    assert exit_code("fair", "f", "--plan", plan) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines() == ["results/tiny/warmup/w", "results/tiny/fair/f"]
    lines = captured.err.splitlines()
    assert len(lines) == 5
    assert lines[0].startswith("warmup w: epoch 1/3  loss ")
    assert lines[-1].startswith("fair f: epoch 3/3  loss ")
    assert lines[-1].endswith(" img/s  0 s left")


def test_what_is_refused_is_one_line_and_exit_code_2(project, capsys):
    assert exit_code("warmup", "w", "--plan", "none.yaml") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("protofair: none.yaml: no such file. ")


def test_a_broken_training_is_one_line_and_exit_code_1(project, capsys):
    project.plan["warmup"]["w"] = project.warmup_entry(optimiser={"lr": 1e30, "batch_size": 8})
    assert exit_code("warmup", "w", "--plan", str(project.plan_path())) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("protofair: plan.yaml: warmup.w: epoch 1, step ")
    assert "non-finite" in line


def test_determinism_is_the_default_and_fast_gives_it_up(project):
    import json

    import torch

    folder = project.warmup()
    assert torch.are_deterministic_algorithms_enabled()
    assert json.loads((folder / "run.json").read_text())["deterministic"] is True
    torch.use_deterministic_algorithms(False)
    assert exit_code("warmup", "w", "--plan", "plan.yaml", "--fast") == 0
    assert not torch.are_deterministic_algorithms_enabled()
    assert json.loads((folder / "run.json").read_text())["deterministic"] is False
