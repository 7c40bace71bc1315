"""An entry of the plan's `prepare` stage."""

from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from protofair.core.entries import check_key, stage_entries
from protofair.core.errors import UserError
from protofair.core.strict import Key, Seed, Strict, did_you_mean, parse, read_yaml
from protofair.data.split.config import SplitConfig

ONLY = {"split": "utkface", "views": "nih", "val_share": "nih", "seed": "nih"}  # options of one data set


class Pair(Strict):
    """A target and a sensitive attribute whose cells the data card counts; `age>=60` cuts a column."""

    target: str
    sensitive: str


PAPER_PAIRS = {
    "celeba": [
        (target, group) for target in ("Attractive", "Big_Nose", "Bags_Under_Eyes") for group in ("Male", "Young")
    ],
    "nih": [("Pneumothorax", "sex"), ("Pneumothorax", "age>=60")],
}


class Prepare(Strict):
    """How a raw data set becomes a packed one."""

    acquire: Key  # key of the acquired raw files
    dataset: Literal["celeba", "utkface", "nih"]
    size: int = Field(128, ge=8, le=1024)  # pixels of a side
    crop: Literal["none", "centre"] = "none"  # the whole picture is resized, or its central square
    split: SplitConfig | None = None  # UTKFace has no official split
    views: Literal["all", "PA", "AP"] = "all"  # NIH: frontal views to keep
    val_share: float = Field(0.13, gt=0, lt=1)  # NIH: of the train_val patients
    seed: Seed = 0  # NIH: of the validation patients
    pairs: tuple[Pair, ...] = ()  # whose cells the data card counts; empty: those of the paper
    max_problems: float = Field(0.001, ge=0, lt=1)  # share of images that may have a problem of one kind

    @model_validator(mode="after")
    def _options_fit(self) -> Self:
        for name in sorted(self.model_fields_set & ONLY.keys()):
            if ONLY[name] != self.dataset and getattr(self, name) is not None:
                raise ValueError(f"'{name}' is an option of {ONLY[name]}, not of {self.dataset}")
        if self.dataset == "utkface" and self.split is None:
            raise ValueError(
                "utkface has no official split: give it one, in a plan split: {alpha: 4}, by hand --alpha 4"
            )
        return self

    @property
    def options(self) -> dict[str, Any]:
        """All options this data set has, as plain values."""
        return self.model_dump(mode="json", exclude={name for name, only in ONLY.items() if only != self.dataset})

    @property
    def counted_pairs(self) -> list[Pair]:
        """The pairs the card counts: that of the split, then those asked for, or else those of the paper."""
        if self.split is not None:
            own = Pair(target=self.split.target, sensitive=self.split.sensitive)
            return [own, *(pair for pair in self.pairs if pair != own)]
        return list(self.pairs) or [Pair(target=target, sensitive=group) for target, group in PAPER_PAIRS[self.dataset]]


def choose(key: str, *, plan: Path, by_hand: dict[str, Any]) -> Prepare:
    """The plan's entry `key`, or what the command line says where it says anything."""
    check_key(key, where="prepare")
    if by_hand:
        return parse(Prepare, by_hand, where=f"prepare {key}")
    entries = stage_entries(read_yaml(plan, missing="`protofair plan demo` writes a plan"), "prepare", path=plan)
    if key not in entries:
        hint = f"{did_you_mean(key, entries)} " if entries else ""
        raise UserError(f"{plan}: no entry prepare.{key}. {hint}By hand: give a --dataset.")
    return parse(Prepare, entries[key], where=f"{plan}: prepare.{key}")
