"""What the report says, as plain values. `protofair.report.build.build(plan, root)` makes it; rendering only shows it.

Numbers are in the unit of the table they stand in. None means "there is none", and NaN never occurs. Every string may
come from a file or a user and has to be escaped where it is shown.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

import pandas as pd

Verdict = Literal["supported", "not supported", "inconclusive", "not run"]
# not planned: the suite has no such cell, only the paper's number can stand there. partial: some seeds are missing.
State = Literal["done", "partial", "pending", "broken", "not planned"]
# Of a number against another: better, worse, or not to be told apart (the interval covers the other number).
Tone = Literal["better", "worse", "level"]
GLYPHS = {"above": "▲", "below": "▼", "level": "≈"}
VERDICT_GLYPHS: dict[Verdict, str] = {"supported": "✔", "not supported": "✘", "inconclusive": "?", "not run": "…"}


@dataclass(frozen=True)
class Metric:
    """How a metric is called and printed."""

    name: str  # dotted, as in metrics.json: accuracy, equalized_odds, sensitive.accuracy
    label: str  # as the paper's columns call it: ACC, EO
    title: str  # for people: accuracy, equalized odds
    better: Literal["higher", "lower"]
    digits: int
    unit: str  # "%" or ""


@dataclass(frozen=True)
class Interval:
    """A number with the ends of its 95 % bootstrap interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Summary:
    """A metric over the seeds of a cell."""

    mean: float
    sd: float | None  # over seeds; None of a single one
    low: float  # 95 % interval: spread over seeds and over resamples of the test set
    high: float
    seeds: int


@dataclass(frozen=True)
class Difference:
    """A minus B on the same test images, averaged over the seeds both have; the interval is of the pairs."""

    value: float
    low: float
    high: float
    seeds: int


@dataclass(frozen=True)
class Value:
    """One metric of a cell, beside the paper's number."""

    metric: str
    ours: Summary | None = None
    paper: float | None = None
    difference: float | None = None  # ours minus the paper's
    glyph: str = ""  # one of GLYPHS: above, below, or level with the paper (our interval covers its number)
    tone: Tone | None = None  # the same as a judgement
    against_control: Difference | None = None  # of a ProtoFair cell: it minus its equal-training control, paired
    against_base: Difference | None = None  # of a ProtoFair or control cell: it minus the base objective's cell


@dataclass(frozen=True)
class Group:
    """A sensitive group in a cell: sizes and rates, by value of the target where there are several."""

    name: str
    count: int
    accuracy: Summary | None
    auroc: Summary | None
    tpr: dict[str, Summary]
    fpr: dict[str, Summary]


@dataclass(frozen=True)
class SeedRun:
    """One run of a cell."""

    seed: str
    probe: str  # key of the probe stage
    state: State
    problem: str  # which file is broken and why; empty if none is
    command: str  # that runs it (again)
    stages: tuple[str, ...]  # stage@key from the raw data to the probe
    trainings: tuple[str, ...]  # stage@key of its warm-up and fair phase: keys of ReportModel.curves
    metrics: dict[str, Interval]  # by dotted name


@dataclass(frozen=True)
class Details:
    """What a cell opens."""

    counts: dict[str, dict[str, int]] = field(default_factory=dict)  # test images by target and sensitive value
    groups: tuple[Group, ...] = ()
    metrics: dict[str, Summary] = field(default_factory=dict)  # every metric there is, by dotted name
    runs: tuple[SeedRun, ...] = ()
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)  # stage -> its entry, of the first seed


@dataclass(frozen=True)
class Cell:
    """A row in a column: all metrics of it."""

    row: str
    column: str
    state: State
    numbers: tuple[Value, ...]  # one for each metric of the table, in its order
    target: str = ""
    sensitive: str = ""
    quoted: bool = False  # the paper's numbers are not its authors' own
    balanced_accuracy: Summary | None = None
    majority_rate: float | None = None
    at_majority: bool = False  # in at least one seed the test set cannot tell it from answering the majority class
    one_class: bool = False  # in at least one seed it always gives the same answer
    own: bool = False  # the numbers are of the method's own classifier, not of a linear probe
    note: str = ""  # of a cell that is not done: what to run, or which file is broken
    details: Details = Details()


@dataclass(frozen=True)
class Row:
    """A row of a table."""

    name: str
    kind: Literal["paper", "added", "control"]  # added: the paper has no such row. control: of the row above
    quoted: bool
    ours: bool  # a ProtoFair row
    cells: tuple[Cell, ...]  # one for each column of the table, in its order
    rule: bool = False  # the paper draws a line above it


@dataclass(frozen=True)
class TableModel:
    """A table in the paper's layout. Rows the paper lacks come last, controls below the row they are of."""

    name: str  # table1
    number: int | None  # None: the paper has no such table
    title: str
    section: str  # of the paper
    metrics: tuple[Metric, ...]
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    state: State  # not planned: the suite runs nothing of it


@dataclass(frozen=True)
class Evidence:
    """A line below a claim."""

    kind: Literal["ours", "paper", "control", "missing", "caution"]
    text: str
    verdict: Verdict | None = None  # of this line alone, where it has one
    difference: Difference | None = None


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, decided by a rule."""

    id: str
    statement: str
    section: str  # where the paper says it
    rule: str  # one sentence: what decides
    verdict: Verdict
    evidence: tuple[Evidence, ...]
    note: str = ""  # has to be seen beside the verdict: "the control explains it"


@dataclass(frozen=True)
class TsnePanel:
    """A picture of the t-SNE figure."""

    row: str
    column: str
    target: str
    sensitive: str
    state: State
    note: str
    points: pd.DataFrame | None  # x, y, and the target's and the sensitive attribute's value
    mixing: dict[str, Interval]  # by space: plane, features. 1 is as mixed as chance, 0 is apart


@dataclass(frozen=True)
class Curve:
    """The log of a training."""

    stage: str  # warmup, fair or baseline
    key: str
    # A line an epoch, a column a number: epoch, lr, loss, base; of a fair phase also fair, within, cross, pairs_within,
    # clusters.sensitive_purity, clusters.pair_purity, kmeans.pair_purity, ... NaN where an epoch has no such number.
    frame: pd.DataFrame
    # Of a fair phase, in its last epoch: cluster, group, share (of all samples).
    occupancy: pd.DataFrame | None


@dataclass(frozen=True)
class Figures:
    """The data of the figures. A frame without rows has nothing to draw yet."""

    tsne: tuple[TsnePanel, ...]
    # vary (num_prototypes, weight), value, column, metric, mean, sd, low, high, seeds
    ablation: pd.DataFrame
    ablation_pending: tuple[str, ...]  # commands that fill what is missing
    # table, column, row, kind, source (ours, paper), accuracy and equalized_odds, each also with _low and _high (ours)
    pareto: pd.DataFrame


@dataclass(frozen=True)
class OpenPoint:
    """Something the paper leaves open, and what this suite takes for it."""

    number: int
    question: str
    switch: str  # where it is set; empty if it cannot be
    taken: tuple[str, ...]  # in this suite: several if its stages differ, none if it has no such stage
    others: str  # what else it could be


@dataclass(frozen=True)
class StageCost:
    """A kind of stage: how many are done, and what they took."""

    stage: str
    planned: int
    done: int
    seconds: float
    devices: dict[str, float]  # device -> hours
    ended: tuple[str, str] | None  # when the first and the last of them ended


@dataclass(frozen=True)
class DataCard:
    """A prepared data set."""

    key: str
    source: str  # official or toy
    state: State
    facts: tuple[tuple[str, str], ...]  # what, value
    images: int  # 0 as long as it is not prepared


@dataclass(frozen=True)
class Provenance:
    """Where all this comes from."""

    commit: str | None
    plan_hash: str
    container: str | None  # digest
    date: str | None  # of the newest run, as it recorded it
    versions: dict[str, tuple[str, ...]]  # package -> versions met
    hardware: tuple[str, ...]
    stages: tuple[StageCost, ...]
    data: tuple[DataCard, ...]


@dataclass(frozen=True)
class Outcome:
    """The top of the report."""

    sentence: str
    warning: str  # that this is not the paper's experiment; empty for the paper's suite on the real data
    facts: tuple[tuple[str, str], ...]  # what, value
    verdicts: dict[Verdict, int]


@dataclass(frozen=True)
class ReportModel:
    """The whole report."""

    suite: str
    title: str
    scale: str
    paper: dict[str, str]  # title, authors, arxiv
    outcome: Outcome
    claims: tuple[Claim, ...]
    tables: tuple[TableModel, ...]
    figures: Figures
    curves: dict[str, Curve]  # by stage@key
    open_points: tuple[OpenPoint, ...]
    provenance: Provenance
    problems: tuple[str, ...]  # files that are broken: the command's exit code is then not 0
