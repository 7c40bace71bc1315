"""A claim of the paper before it is decided, and how the lines below it decide it."""

from collections.abc import Callable
from dataclasses import dataclass

from protofair.report.claims.compare import Rows, printed_change
from protofair.report.claims.rules import all_of
from protofair.report.model import Claim, Evidence
from protofair.report.results import Results


@dataclass(frozen=True)
class Statement:
    """In our words: what the paper says and where, and in one sentence what decides it."""

    id: str
    statement: str  # numbers come in from the one file that has them: {change}, {ablation.…}
    section: str
    rule: str
    evidence: Callable[[Results], list[Evidence]]
    change: tuple[Rows, str, str] | None = None  # rows, column and metric of the {change} the paper prints

    def decide(self, results: Results) -> Claim:
        """Our own lines decide; the paper's numbers and the controls stand beside them."""
        lines = tuple(self.evidence(results))
        verdict = all_of(line.verdict for line in lines if line.kind in ("ours", "missing") and line.verdict)
        notes = [_control_note(lines), _caution_note(lines)] if verdict == "supported" else []
        change = printed_change(results, *self.change) if self.change else ""
        statement = self.statement.format(change=change, ablation=results.reference.ablation)
        return Claim(self.id, statement, self.section, self.rule, verdict, lines, "; ".join(filter(None, notes)))


def _control_note(lines: tuple[Evidence, ...]) -> str:
    """What has to be seen beside a supported claim: whether mere training does the same."""
    controls = [line.verdict for line in lines if line.kind == "control"]
    level = sum(verdict in ("inconclusive", "not supported") for verdict in controls)
    unknown = controls.count("not run")
    notes = []
    if level:
        notes.append(
            f"the control explains it in {level} of {len(controls)} comparisons: there ProtoFair does not beat equal"
            " training without its term"
        )
    if unknown:
        notes.append(f"no equal-training control for {unknown} of {len(controls)} comparisons")
    return "; ".join(notes)


def _caution_note(lines: tuple[Evidence, ...]) -> str:
    cautions = sum(line.kind == "caution" for line in lines)
    return f"not above the majority rate in {cautions} comparisons, where a low EO means little" if cautions else ""
