"""The top of the report: one sentence, a warning where one is due, and the facts at a glance."""

from protofair.plan.plan import Plan
from protofair.report.model import VERDICT_GLYPHS, Claim, Outcome, Provenance, Verdict

VERDICTS: tuple[Verdict, ...] = tuple(VERDICT_GLYPHS)


def build_outcome(plan: Plan, claims: tuple[Claim, ...], provenance: Provenance) -> Outcome:
    verdicts = {verdict: sum(claim.verdict == verdict for claim in claims) for verdict in VERDICTS}
    counted = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())
    planned, done = (sum(getattr(stage, name) for stage in provenance.stages) for name in ("planned", "done"))
    facts = (
        ("suite", f"{plan.suite}: {plan.report['title']}"),
        ("data", _data(provenance)),
        ("claims", counted),
        ("runs", f"{done} of {planned} done"),
        ("compute", _compute(provenance)),
        ("seeds", ", ".join(str(seed) for seed in plan.report["seeds"])),
        ("commit", provenance.commit or "unknown, there is no repository here"),
        ("plan", f"sha256:{provenance.plan_hash}, written by “{plan.command}”"),
        ("container", provenance.container or "none"),
        ("newest run", provenance.date or "not recorded"),
    )
    return Outcome(_sentence(verdicts, len(claims)), _warning(plan, provenance), facts, verdicts)


def _sentence(verdicts: dict[Verdict, int], claims: int) -> str:
    if verdicts["not run"] == claims:
        return f"None of the paper's {claims} claims is decided yet: their runs are pending."
    tested = claims - verdicts["not run"]
    sentence = f"Of the paper's {claims} claims {tested} were put to the test here: {verdicts['supported']} supported, "
    return sentence + f"{verdicts['not supported']} not supported, {verdicts['inconclusive']} inconclusive."


def _warning(plan: Plan, provenance: Provenance) -> str:
    """That this is not the paper's experiment, and in what it differs."""
    reasons = []
    if plan.report["scale"] != "full":
        reasons.append(f"its scale is “{plan.report['scale']}” ({plan.report['title']})")
    drawn = [card.key for card in provenance.data if card.source == "toy"]
    if drawn:
        which = "all its images" if len(drawn) == len(provenance.data) else f"the images of {', '.join(drawn)}"
        reasons.append(f"{which} are drawings made by this project, not photographs")
    if not reasons:
        return ""
    return f"This is not the paper's experiment: {'; '.join(reasons)}. A verdict below is about this suite's runs."


def _data(provenance: Provenance) -> str:
    """Which sets are real and which drawn, and their share of the images."""
    drawn = [card for card in provenance.data if card.source == "toy"]
    real = [card for card in provenance.data if card.source != "toy"]
    named = (("real", real), ("drawn", drawn))
    parts = [f"{name}: {', '.join(card.key for card in cards)}" for name, cards in named if cards]
    images = sum(card.images for card in provenance.data)
    if images:
        parts.append(f"{100 * sum(card.images for card in real) / images:.0f} % of {images:,} prepared images are real")
    return "; ".join(parts)


def _compute(provenance: Provenance) -> str:
    hours: dict[str, float] = {}
    for stage in provenance.stages:
        for device, spent in stage.devices.items():
            hours[device] = hours.get(device, 0.0) + spent
    return ", ".join(f"{_duration(spent)} of {device}" for device, spent in sorted(hours.items())) or "none yet"


def _duration(hours: float) -> str:
    return f"{hours:,.1f} hours" if hours >= 1 else f"{60 * hours:.0f} minutes"
