"""`protofair plan` as a person uses it."""

import json
import shutil
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from protofair.cli import protofair
from protofair.core.errors import UserError
from protofair.plan.plan import STAGES, Plan

ROOT = Path(__file__).parents[2]


@pytest.fixture
def params(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with the suites and nothing else."""
    shutil.copytree(ROOT / "params", tmp_path / "params", ignore=shutil.ignore_patterns("plan.*"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "params"


def plan(*arguments: str) -> Result:
    result = CliRunner().invoke(protofair, ["plan", *arguments])
    if isinstance(result.exception, UserError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result


def broken(params: Path, old: str, new: str) -> None:
    text = (params / "paper.yaml").read_text()
    assert old in text
    (params / "paper.yaml").write_text(text.replace(old, new, 1))


def test_the_committed_plan_is_the_demo_and_up_to_date(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    assert "up to date" in plan("--check").output
    assert yaml.safe_load((ROOT / "params/plan.yaml").read_text())["suite"] == "demo"


def test_a_stale_plan_fails_with_a_diff_and_the_command(params: Path):
    plan("paper", "--seeds", "0,1", "--only", "table5")
    broken(params, "weight: 0.3", "weight: 0.4")
    with pytest.raises(UserError) as error:
        plan("--check")
    lines = str(error.value).splitlines()
    assert lines[0] == "params/plan.yaml is stale: protofair plan paper --seeds 0,1 --only table5"
    assert "-    weight: 0.3" in lines
    assert "+    weight: 0.4" in lines


def test_the_lines_that_dvc_compares_are_the_entries_of_the_plan(params: Path):
    plan("paper", "--only", "table4")
    entries, lines = yaml.safe_load((params / "plan.yaml").read_text()), json.loads((params / "plan.json").read_text())
    assert lines.pop("suite") == entries["suite"]
    assert {stage: {key: yaml.safe_load(line) for key, line in keys.items()} for stage, keys in lines.items()} == {
        stage: entries[stage] for stage in STAGES
    }


def test_lines_that_were_left_behind_are_stale(params: Path):
    plan("paper", "--only", "table4")
    (params / "plan.json").unlink()
    with pytest.raises(UserError, match=r"params/plan.json is stale: protofair plan paper --only table4"):
        plan("--check")


def test_only_cuts_down_to_a_table_or_a_data_set(params: Path):
    plan("paper", "--only", "table4")
    by_table = yaml.safe_load((params / "plan.yaml").read_text())
    assert list(by_table["acquire"]) == ["utkface"]
    assert list(by_table["report"]["tables"]) == ["table4"]
    plan("paper", "--only", "utkface")
    assert yaml.safe_load((params / "plan.yaml").read_text())["warmup"] == by_table["warmup"]


def test_an_unknown_part_is_refused_with_the_nearest(params: Path):
    with pytest.raises(UserError, match=r"--only tabel4: no such part. Did you mean 'table4'\?"):
        plan("paper", "--only", "tabel4")
    assert not (params / "plan.yaml").exists()


def test_cost_shows_that_sharing_saves(params: Path):
    rows = {
        line[:22].strip(): line[22:].split()
        for line in plan("paper", "--cost", "--only", "ablation").output.splitlines()
    }
    shared, naive = (int(number.replace(",", "")) for number in rows["epochs"])
    assert shared < naive / 2
    assert not (params / "plan.yaml").exists()


def test_explain_names_the_stages_from_the_raw_files_to_the_probe(params: Path):
    output = plan("paper", "--explain", "table4/SupCon + ProtoFair/alpha=4").output
    stages = ["acquire@utkface", "prepare@utkface-128-a4", "warmup@supcon-utkface-128-a4-gender-s0"]
    assert [output.index(stage) for stage in stages] == sorted(output.index(stage) for stage in stages)
    assert "dvc repro probe@supcon-utkface-128-a4-gender-s0-white-k10-w0_3-10p90" in output
    assert "control" in output


def test_explain_of_an_unknown_cell_lists_the_cells(params: Path):
    with pytest.raises(UserError, match="table5/SupCon/Pneumothorax"):
        plan("paper", "--explain", "table9")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "target: Big_Nose, ",
            "target: Big_Noze, ",
            r"paper.yaml:\d+: unknown attribute 'Big_Noze'. Did you mean 'Big_Nose'",
        ),
        ("objective: byol}", "objective: byoll}", r"paper.yaml:\d+: unknown objective 'byoll'. Did you mean 'byol'"),
        ("weight: 0.3", "weight: -1", r"paper.yaml:21: 'fair.weight': .*greater than or equal to 0 \(got -1\)"),
        ("from_epoch: 10,", "from_epoch: 110,", r"paper.yaml:\d+: 'from_epoch': 110 is above the 100 epochs"),
        ("training:", "trainin:", r"paper.yaml:\d+: unknown key 'trainin'. Did you mean 'training'"),
        ("data: celeba\n", "data: celebb\n", r"paper.yaml:\d+: unknown data set 'celebb'. Did you mean 'celeba'"),
        ("batch_size: 128", "batch_size: 0", r"paper.yaml:\d+: 'optimiser.batch_size'"),
        (
            "fair: {epochs: 5, weight",
            "fair: {epochs: 5, wieght",
            r"paper.yaml:21: unknown key 'fair.wieght'. Did you mean",
        ),
        ("fair: {epochs: 5, weight", "fair: {epochs: three, weight", r"paper.yaml:21: 'fair.epochs': .*got 'three'"),
        ("weight: 0.3", "weight: null", r"paper.yaml:21: 'fair.weight': .*got None"),
        ("weight: 0.3", "weight: .inf", r"paper.yaml:21: 'fair.weight': .*finite"),
        ("weight: 0.3", "sensitive: Young", r"paper.yaml:21: unknown key 'fair.sensitive'"),
        ("{weight: 0.2}", "{weihgt: 0.2}", r"paper.yaml:75: unknown key .*weihgt'. Did you mean 'weight'"),
        ("adversary: {weight: 1}", "adversary: {weight: big}", r"paper.yaml:\d+: .*adversary.weight.*got 'big'"),
        ("adversary: {weight: 1}", "adversary: {wieght: 1}", r"unknown key '.*wieght'. Did you mean 'weight'"),
        (
            "adversary: {weight: 1}",
            "adversary: {weight: 0}",
            r"^params/paper.yaml:\d+: '.*adversary.weight.0': [^\n]*got 0\)\.$",
        ),
        (
            "adversary: {weight: 1}, fair",
            "adversary: {weight: [1, 2, 3]}, fair",
            r"paper.yaml:\d+: 'weight': one only beside 'fair': a fair phase, its control",
        ),
        ("weight: [0, ", "weight: [-0.3, ", r"paper.yaml:\d+: 'ablation.vary.weight.0': .*got -0.3"),
        ("suite: paper", "suite: demo", r"paper.yaml:\d+: 'suite': the file is called paper.yaml"),
        ("seeds: [0]", "seeds: [-1]", r"paper.yaml:\d+: 'seeds.0': .*got -1"),
        ("sensitive: Male}", "sensitive: Attractive}", r"paper.yaml:\d+: 'sensitive': 'Attractive' is the target too"),
        (
            "lr: {mode: tail}",
            "lr: {mode: constant}",
            r"paper.yaml:21: 'fair.lr.value': .*the mode 'constant' needs one",
        ),
    ],
)
def test_an_impossible_suite_is_refused_with_its_line(params: Path, old: str, new: str, message: str):
    broken(params, old, new)
    with pytest.raises(UserError, match=message):
        plan("paper")
    assert not (params / "plan.yaml").exists()


def test_every_problem_is_named_at_once(params: Path):
    broken(params, "target: Big_Nose, ", "target: Big_Noze, ")
    broken(params, "objective: byol}", "objective: byoll}")
    broken(params, "weight: 0.3", "weight: -1")
    broken(params, "training:", "trainin:")
    with pytest.raises(UserError) as error:
        plan("paper")
    for name in ("Big_Noze", "byoll", "'fair.weight'", "trainin"):
        assert name in str(error.value)


def test_what_the_stages_refuse_is_named_beside_what_the_suite_refuses(params: Path):
    broken(params, "seeds: [0]", "seeds: [-1]")
    broken(params, "from_epoch: 10,", "from_epoch: 110,")
    broken(params, "batch_size: 128", "batch_size: 0")
    with pytest.raises(UserError) as error:
        plan("paper")
    for name in ("'seeds.0'", "'from_epoch': 110", "'optimiser.batch_size'"):
        assert name in str(error.value)
    assert "keep" not in str(error.value)


def test_options_of_the_fair_phase_that_are_not_given_are_the_papers(params: Path):
    broken(params, "weight: 0.3, num_prototypes: 10, ", "")
    plan("paper", "--only", "table5")
    written = yaml.safe_load((params / "plan.yaml").read_text())
    assert [key for key in written["fair"] if key.endswith("-k10-w0_3-100p5")]


def test_a_number_of_drawings_is_checked_too(params: Path):
    text = (params / "demo.yaml").read_text()
    (params / "demo.yaml").write_text(text.replace("toy: {images: 2400}", "toy: {image: 2400}"))
    with pytest.raises(UserError, match=r"demo.yaml.*unknown key 'image'. Did you mean 'images'"):
        plan("demo")


def test_without_a_plan_the_command_that_writes_one_is_named(params: Path):
    with pytest.raises(UserError, match=r"^params/plan.yaml: no such file. Write it: protofair plan demo$"):
        plan("--cost")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[demo]", "not a plan. Write it anew: protofair plan demo"),
        ("suite: 5", "not a plan"),
        ("{suite: demo, report: [1]}", "not a plan"),
        ("{suite: demo, options: 1}", "not a plan"),
        ("{suite: demo, probes: {}}", "not a plan"),
        ("{suite: demo, probe: [1]}", r"'probe': expected entries by key, found \[1\]"),
        ("{suite: demo, probe: {1: {}}}", "probe: the key 1 is no word"),
    ],
)
def test_a_plan_of_another_shape_is_refused(params: Path, content: str, message: str):
    (params / "plan.yaml").write_text(content)
    with pytest.raises(UserError, match=rf"^params/plan.yaml: {message}"):
        plan("--cost")


def test_a_stage_without_entries_may_be_left_empty(params: Path):
    (params / "plan.yaml").write_text("suite: demo\nprobe:\n")
    assert Plan.read(params / "plan.yaml").probe == {}


def test_another_suite_is_checked_with_its_own_options(params: Path):
    plan("paper", "--only", "table1")
    with pytest.raises(UserError, match=r"^params/plan.yaml is stale: protofair plan mini\n"):
        plan("mini", "--check")
    for options in (["--check", "--cost"], ["--cost", "--explain", "table1"]):
        assert CliRunner().invoke(protofair, ["plan", *options]).exit_code == 2


def test_an_unknown_suite_is_refused_with_the_suites_there_are(params: Path):
    with pytest.raises(UserError, match=r"^params/dmeo.yaml: no such suite. Did you mean 'demo'\?$"):
        plan("dmeo")
    with pytest.raises(UserError, match=r"no such suite. Known: demo, methods, mini, paper.$"):
        plan("quux")
    assert not (params / "plan.yaml").exists()
