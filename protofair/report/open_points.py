"""What the paper leaves open, and what the plan takes for it: read from the plan and from the stages' own defaults."""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from protofair.method.kmeans import spherical_kmeans
from protofair.objectives.encoder import EncoderConfig
from protofair.plan.plan import Entry, Plan
from protofair.probe.config import ProbeConfig
from protofair.report.model import OpenPoint
from protofair.report.settings import flat, resolved
from protofair.train.config import Fair, FairRate

CONTRASTIVE = ("supcon", "simclr")
WITHOUT_PAIRS = ("barlow-twins", "byol")


@dataclass(frozen=True)
class Switch:
    """Where a point is decided: a stage and its options, in dotted names, of the trainings with some objectives."""

    stage: str
    options: tuple[str, ...]
    others: str | tuple[type[BaseModel], str]  # in words, or the field whose choices they are
    objectives: tuple[str, ...] = ()  # of the warm-up; empty: any

    def taken(self, plan: Plan) -> tuple[str, ...]:
        """What the suite's entries say, each once."""
        return _distinct(
            " ".join(_text(settings[option]) for option in self.options if settings.get(option) is not None)
            for settings in (flat(resolved(plan, self.stage, key)) for key in self._keys(plan))
        )

    def open_point(self, plan: Plan, number: int, question: str) -> OpenPoint:
        taken = self.taken(plan)
        others = self.others
        if not isinstance(others, str):
            model, name = others
            chosen = {text.split()[0] for text in taken}
            others = ", ".join(choice for choice in _choices(model, name) if choice not in chosen)
        return OpenPoint(number, question, f"{self.stage}.{self.options[0]}", taken, others)

    def _keys(self, plan: Plan) -> list[str]:
        entries: dict[str, Entry] = getattr(plan, self.stage)
        if not self.objectives:
            return list(entries)
        warmups = {key: entry["objective"]["name"] for key, entry in plan.warmup.items()}
        return [key for key, entry in entries.items() if warmups[entry.get("warmup", key)] in self.objectives]


@dataclass(frozen=True)
class Fixed:
    """A point that has no switch: what the code or the plan does, and what else could be."""

    taken: Callable[[Plan], Iterable[str]]
    others: str = ""

    def open_point(self, plan: Plan, number: int, question: str) -> OpenPoint:
        return OpenPoint(number, question, "", _distinct(self.taken(plan)), self.others)


def build_open_points(plan: Plan) -> tuple[OpenPoint, ...]:
    return tuple(answer.open_point(plan, number, question) for number, (question, answer) in enumerate(POINTS, start=1))


def _kmeans(plan: Plan) -> list[str]:
    options = inspect.signature(spherical_kmeans).parameters
    restarts, iterations = options["restarts"].default, options["iterations"].default
    return [f"spherical, k-means++, {restarts} restarts, {iterations} iterations, on the un-augmented training set"]


def _grids(plan: Plan) -> list[str]:
    """The values and pairs of the ablation figure."""
    cells = plan.report["ablation"]
    values = {
        option: ", ".join(_distinct(_text(float(cell["value"])) for cell in cells if cell["vary"] == option))
        for option in ("num_prototypes", "weight")
    }
    pairs = "; ".join(_distinct(cell["column"] for cell in cells))
    return [f"K in {values['num_prototypes']}", f"λ in {values['weight']}", f"pairs {pairs}"] if cells else []


def _chest_images(plan: Plan) -> list[str]:
    """How the X-rays are prepared, trained on and probed."""
    keys = [key for key, entry in plan.prepare.items() if entry["dataset"] == "nih"]

    def entries(stage: str) -> list[Entry]:
        return [resolved(plan, stage, key) for key, entry in getattr(plan, stage).items() if entry["data"] in keys]

    prepared = [resolved(plan, "prepare", key) for key in keys]
    return [
        *(f"official split, {entry['views']} views, {entry['size']} px, grey as RGB" for entry in prepared),
        *(f"{entry['from_epoch']} + {entry['epochs']} epochs" for entry in entries("fair")),
        *(f"{entry['epochs']} epochs of the probe" for entry in entries("probe")),
    ]


def _choices(model: type[BaseModel], name: str) -> list[str]:
    annotation = model.model_fields[name].annotation
    values: tuple[Any, ...] = get_args(annotation) if get_origin(annotation) is Literal else (True, False)
    return [_text(value) for value in values]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


POINTS: tuple[tuple[str, Switch | Fixed], ...] = (
    (
        "What is clustered. The text has the cluster head both trained by the ProtoFair loss and not; here no gradient"
        " reaches it (head: a fixed random projection).",
        Switch("fair", ("cluster_space",), (Fair, "cluster_space")),
    ),
    (
        "The learning rate of the fair phase (tail: where the cosine over all epochs would be).",
        Switch("fair", ("lr.mode", "lr.value"), (FairRate, "mode")),
    ),
    (
        "Whether one or both views of an image enter the term and the queue.",
        Switch("fair", ("views",), (Fair, "views")),
    ),
    ("How K-means is run.", Fixed(_kmeans)),
    (
        "What becomes of the queue, whose cluster numbers are stale, when K-means starts anew.",
        Switch("fair", ("queue_on_reinit",), (Fair, "queue_on_reinit")),
    ),
    (
        "Whether the prototypes follow a batch after or before it is assigned to them.",
        Switch("fair", ("update",), (Fair, "update")),
    ),
    (
        "How long the linear probe is trained; the last epoch counts, whatever the test set says.",
        Switch("probe", ("epochs",), "any number; FSCL has 100"),
    ),
    ("Whether the probe sees augmented images.", Switch("probe", ("augment",), (ProbeConfig, "augment"))),
    (
        "Which ResNet-18 (resnet18: SupContrast's, with a 3x3 stem of stride 1 and no max-pool).",
        Switch("warmup", ("encoder.name",), (EncoderConfig, "name")),
    ),
    (
        "What of BarlowTwins and BYOL the term compares.",
        Fixed(lambda plan: ["the L2-normalised output of the projector"]),
    ),
    (
        "How BarlowTwins is trained at a rate at which its loss diverges.",
        Switch("warmup", ("objective.scale",), "any factor of the loss", objectives=("barlow-twins",)),
    ),
    (
        "How many fair epochs BarlowTwins and BYOL get on each pair.",
        Switch("fair", ("epochs",), "5 to 15 by the paper", objectives=WITHOUT_PAIRS),
    ),
    ("Which values and pairs the ablation has.", Fixed(_grids, "ablation.vary and ablation.columns of the suite")),
    ("How the chest X-rays are prepared and trained on.", Fixed(_chest_images, "prepare.views: PA, AP; prepare.size")),
    (
        "The temperature of SupCon and SimCLR.",
        Switch("warmup", ("objective.temperature",), "0.07 in SupContrast", objectives=CONTRASTIVE),
    ),
)
