"""A suite: what to run, as a person writes it in `params/<suite>.yaml`."""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from protofair.core.strict import Of, Seed, Strict
from protofair.objectives.adversary import Strength
from protofair.train.config import FairOptions

Options = dict[str, Any]


class AdversaryOptions(Strict):
    """An adversary's `weight`, or three of which the validation images choose one."""

    weight: list[Strength] = Field(default_factory=lambda: [1.0])
    num_groups: int = Field(default=2, ge=2)

    @field_validator("weight", mode="before")
    @classmethod
    def _one_or_three(cls, value: Any) -> Any:
        return value if isinstance(value, list) else [value]


class Varied(Strict):
    """Options of the fair phase, each with the values it takes in turn."""

    num_prototypes: list[Annotated[int, Field(ge=1)]] = Field(default_factory=list)
    weight: list[Annotated[float, Field(ge=0)]] = Field(default_factory=list)


class Data(Strict):
    """A data set as it is prepared; further keys of `split` and `toy` are checked where they are used."""

    dataset: Literal["celeba", "utkface", "nih"]
    size: int = Field(128, ge=8, le=1024)
    source: Literal["official", "toy"] = "official"
    split: Options = Field(default_factory=dict)
    toy: Options = Field(default_factory=dict)


class Training(Strict):
    """What every training of the suite shares; `objectives` may override it for one objective."""

    encoder: Options = Field(default_factory=dict)
    optimiser: Options = Field(default_factory=dict)
    augment: Options = Field(default_factory=dict)
    precision: str | None = None  # the default of the stages
    epochs: int = Field(100, ge=1)


class ObjectiveOptions(Strict):
    """Options of one objective, and what of the training it wants otherwise."""

    options: Options = Field(default_factory=dict)
    training: Annotated[Options, Of(Training)] = Field(default_factory=dict)


class Column(Strict):
    """A column of a table: what is predicted, for whom it should be fair, on which data, perhaps with its own seeds."""

    target: str
    sensitive: str
    data: str | None = None
    seeds: list[Seed] | None = Field(default=None, min_length=1)


class Row(Strict):
    """A row of a table: an objective, perhaps an adversary, and for ProtoFair's rows the options of the fair phase.

    `options` go to the objective, `only` names the columns the row has (without it: all), and `columns` overrides the
    fair phase for single columns, as the paper does for some of its pairs.
    """

    name: str
    objective: str
    options: Options = Field(default_factory=dict)
    adversary: Annotated[Options, Of(AdversaryOptions)] | None = None
    fair: Annotated[Options, Of(FairOptions)] | None = None
    only: list[str] = Field(default_factory=list)
    columns: dict[str, Annotated[Options, Of(FairOptions)]] = Field(default_factory=dict)


class Table(Strict):
    """A table of the paper: every row in every column."""

    columns: dict[str, Column] = Field(min_length=1)
    rows: list[Row] = Field(min_length=1)
    data: str | None = None
    probe: Options = Field(default_factory=dict)


class Tsne(Strict):
    """The t-SNE figure: every row in every column."""

    columns: dict[str, Column] = Field(min_length=1)
    rows: list[Row] = Field(min_length=1)
    data: str | None = None
    options: Options = Field(default_factory=dict)


class Ablation(Strict):
    """The ablation figure: one option of the fair phase varied, the others as the row has them."""

    columns: dict[str, Column] = Field(min_length=1)
    row: Row
    data: str | None = None
    vary: Annotated[dict[str, list[int | float]], Of(Varied)]


class Suite(Strict):
    """The whole of `params/<suite>.yaml`.

    `full` has, by table, rows that only `protofair plan SUITE --full` runs; one of the same name takes a row's place.
    """

    suite: str = Field(pattern=r"^[a-z][a-z0-9_-]*$")
    title: str
    scale: str
    seeds: list[Seed] = Field(default_factory=lambda: [0], min_length=1)
    controls: bool = True
    data: dict[str, Data] = Field(min_length=1)
    training: Training = Training()
    objectives: dict[str, ObjectiveOptions] = Field(default_factory=dict)
    fair: Annotated[Options, Of(FairOptions)] = Field(default_factory=dict)
    probe: Options = Field(default_factory=dict)
    tables: dict[str, Table] = Field(default_factory=dict)
    full: dict[str, list[Row]] = Field(default_factory=dict)
    tsne: Tsne | None = None
    ablation: Ablation | None = None
