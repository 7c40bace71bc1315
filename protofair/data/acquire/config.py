"""What a plan says about one acquisition."""

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from protofair.core.entries import check_key, stage_entries
from protofair.core.errors import UserError
from protofair.core.strict import Seed, Strict, did_you_mean, parse, read_yaml
from protofair.data.acquire.table import Table

PLAN = Path("params/plan.yaml")
TOY_OPTIONS = {"images", "seed", "correlation"}


class Acquire(Strict):
    dataset: str
    source: Literal["official", "toy"] = "official"
    images: int = Field(default=3600, ge=1)
    seed: Seed = 0
    correlation: float | None = None

    @model_validator(mode="after")
    def _only_drawings_have_options(self) -> "Acquire":
        if self.source == "official" and (given := sorted(self.model_fields_set & TOY_OPTIONS)):
            raise ValueError(f"{', '.join(given)}: for source: toy only")
        return self


def choose(key: str, *, plan: Path | None, table: Table) -> Acquire:
    """The plan's entry `key`, or the official files of the data set of that name."""
    check_key(key, where="acquire")
    entries: dict[str, Any] = {}
    if plan is not None or PLAN.exists():
        plan = plan or PLAN
        entries = stage_entries(read_yaml(plan), "acquire", path=plan)
        if key in entries:
            config, known = parse(Acquire, entries[key], where=f"{plan}: acquire.{key}"), table.datasets
            if config.dataset not in known:
                hint = did_you_mean(config.dataset, known)
                raise UserError(f"{plan}: acquire.{key}: dataset: no data set '{config.dataset}'. {hint}")
            return config
    if key in table.datasets:
        return Acquire(dataset=key)
    raise UserError(f"acquire: no entry '{key}'. {did_you_mean(key, [*entries, *table.datasets])}")
