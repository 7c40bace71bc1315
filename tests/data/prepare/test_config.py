from pathlib import Path

import pytest

from protofair.core.errors import UserError
from protofair.core.strict import parse
from protofair.data.prepare.config import Pair, Prepare, choose


def config(**options: object) -> Prepare:
    return parse(Prepare, {"acquire": "x"} | options, where="test")


def test_the_pairs_of_the_paper_are_counted_by_default() -> None:
    pairs = config(dataset="celeba").counted_pairs
    assert len(pairs) == 6
    assert Pair(target="Big_Nose", sensitive="Male") in pairs
    assert config(dataset="nih").counted_pairs[0] == Pair(target="Pneumothorax", sensitive="sex")


def test_the_pair_of_the_split_is_always_counted() -> None:
    split = {"alpha": 2, "target": "age>=35", "sensitive": "gender"}
    own, other = Pair(target="age>=35", sensitive="gender"), Pair(target="gender", sensitive="race")
    assert config(dataset="utkface", split=split).counted_pairs == [own]
    assert config(dataset="utkface", split=split, pairs=[other, own]).counted_pairs == [own, other]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dataset": "utkface"}, "utkface has no official split: give it one"),
        ({"dataset": "celeba", "split": {"alpha": 2}}, "'split' is an option of utkface, not of celeba"),
        ({"dataset": "celeba", "views": "PA"}, "'views' is an option of nih, not of celeba"),
        ({"dataset": "nih", "view": "PA"}, "unknown key 'view'. Did you mean 'views'"),
        ({"dataset": "utkface", "split": {"alpah": 2}}, "unknown key 'split.alpah'. Did you mean 'alpha'"),
        ({"dataset": "celeba", "size": 4}, "'size'"),
        ({"dataset": "celeba", "max_problems": 1}, "'max_problems'"),
        ({"dataset": "imagenet"}, "'dataset'"),
        ({"dataset": "celeba", "acquire": "../celeba"}, "'acquire'"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        config(**options)


def test_options_are_those_of_the_data_set() -> None:
    assert set(config(dataset="celeba").options) == {"acquire", "dataset", "size", "crop", "pairs", "max_problems"}
    assert {"views", "val_share", "seed"} < set(config(dataset="nih").options)


def test_an_entry_of_the_plan(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text("prepare:\n  celeba-64: {acquire: celeba, dataset: celeba, size: 64}\n")
    assert choose("celeba-64", plan=plan, by_hand={}).size == 64
    with pytest.raises(UserError, match=r"plan\.yaml: no entry prepare\.celeba-46\. Did you mean 'celeba-64'"):
        choose("celeba-46", plan=plan, by_hand={})
    by_hand = {"acquire": "celeba", "dataset": "celeba", "size": 32}
    assert choose("other", plan=Path("absent.yaml"), by_hand=by_hand).size == 32
    with pytest.raises(UserError, match="a key has letters, digits"):
        choose("../outside", plan=plan, by_hand=by_hand)


def test_a_plan_without_entries(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text("suite: demo\n")
    with pytest.raises(UserError, match=r"no entry prepare\.celeba-64"):
        choose("celeba-64", plan=plan, by_hand={})
