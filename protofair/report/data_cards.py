"""The prepared data sets of a suite in a few facts each, from their data cards."""

from pathlib import Path

from protofair.plan.plan import Entry, Plan
from protofair.report.files import UNREADABLE, read_json, why
from protofair.report.model import DataCard


def read_cards(plan: Plan, root: Path) -> tuple[tuple[DataCard, ...], list[str]]:
    """A card for each prepared set, and what is wrong with their files."""
    cards, problems = [], []
    for key, entry in plan.prepare.items():
        source = plan.acquire[entry["acquire"]].get("source", "official")
        path = Path("data", "packed", key, "card.json")
        if not (root / path).exists():
            cards.append(DataCard(key, source, "pending", (("to do", f"dvc repro prepare@{key}"),), 0))
            continue
        try:
            content = read_json(root / path)
            cards.append(DataCard(key, source, "done", tuple(_facts(content)), sum(content["splits"].values())))
        except UNREADABLE as error:
            problem = f"{path}: not a complete data card ({why(error)}). Run it again: dvc repro prepare@{key}"
            problems.append(problem)
            cards.append(DataCard(key, source, "broken", (("problem", problem),), 0))
    return tuple(cards), problems


def _facts(card: Entry) -> list[tuple[str, str]]:
    splits = ", ".join(f"{name or 'unused'} {count:,}" for name, count in card["splits"].items() if count)
    images = card["source_images"]
    facts = [
        ("data set", card["title"] if card["official"] else f"{card['title']}, drawn by this project"),
        ("images", splits),
        ("size", " x ".join(str(part) for part in card["shape"][1:])),
        ("raw images", f"{images['count']:,}, sha256 {images['sha256']}"),
        *((f"{name}, sha256", card["files"][name]["sha256"]) for name in ("images.npy", "labels.csv")),
    ]
    licence = card.get("licence")
    if licence:
        facts.append(("licence", licence["name"]))
    facts += [("note", note) for note in card["notes"]]
    facts += [("warning", warning) for warning in card["warnings"]]
    return facts
