"""Which stages a cell of a table comes from, and how to run just those."""

from collections.abc import Iterator

from protofair.core.errors import UserError
from protofair.plan.plan import Entry, Plan


def stages_of(plan: Plan, stage: str, key: str) -> list[str]:
    """The stages that `stage@key` comes from, itself last."""
    entry = getattr(plan, stage)[key]
    before: list[str] = []
    if "candidates" in entry:
        measured = [stages_of(plan, "probe", candidate["probe"]) for candidate in entry["candidates"]]
        before = list(dict.fromkeys(name for names in measured for name in names))
    elif "checkpoint" in entry:
        before += stages_of(plan, entry["checkpoint"]["stage"], entry["checkpoint"]["key"])
    elif "warmup" in entry:
        before += stages_of(plan, "warmup", entry["warmup"])
    elif "teacher" in entry:
        before += stages_of(plan, "warmup", entry["teacher"])
    elif "data" in entry:
        before += stages_of(plan, "prepare", entry["data"])
    elif "acquire" in entry:
        before += stages_of(plan, "acquire", entry["acquire"])
    return [*before, f"{stage}@{key}"]


def explanation(plan: Plan, name: str) -> str:
    """The stages behind the cells that `name` (part, part/row or part/row/column) selects, and the command for each."""
    cells = [cell for label, cell in _cells(plan) if f"{label}/".lower().startswith(f"{name.strip('/')}/".lower())]
    if not cells:
        labels = "\n  ".join(dict.fromkeys(label for label, _ in _cells(plan)))
        raise UserError(f"no cell '{name}' in the plan of {plan.suite}. Its cells:\n  {labels}")
    lines = []
    for cell in cells:
        lines.append(f"{cell['row']}, {cell['column']} (target {cell['target']}, sensitive {cell['sensitive']})")
        for what, stage, key in _sources(cell):
            lines.append(f"  {what}")
            lines += [f"    {step}" for step in stages_of(plan, stage, key)]
            lines.append(f"    run just this: dvc repro {stage}@{key}")
    return "\n".join(lines)


def _cells(plan: Plan) -> Iterator[tuple[str, Entry]]:
    for table, cells in plan.report["tables"].items():
        yield from ((f"{table}/{cell['row']}/{cell['column']}", cell) for cell in cells)
    for cell in plan.report["tsne"]:
        yield f"tsne/{cell['row']}/{cell['column']}", cell
    for cell in plan.report["ablation"]:
        yield f"ablation/{cell['vary']}={cell['value']}/{cell['column']}", cell


def _sources(cell: Entry) -> Iterator[tuple[str, str, str]]:
    if "tsne" in cell:
        yield "points", "tsne", cell["tsne"]
    for role, what in (("runs", "run"), ("controls", "its equal-training control")):
        for seed, key in cell.get(role, {}).items():
            yield f"{what}, seed {seed}", "probe", key
