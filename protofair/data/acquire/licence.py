"""The terms of a data set: shown once, accepted once, recorded beside its files."""

import hashlib
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import click

from protofair.core.atomic import write_json
from protofair.core.errors import UserError
from protofair.data.acquire.table import Dataset

RECORD = "LICENCE-ACCEPTED.json"
VARIABLE = "PROTOFAIR_ACCEPT_LICENCE"


def require_licence(folder: Path, key: str, dataset: Dataset, *, accepted: bool) -> None:
    """Return if the terms are accepted: earlier, with the option or variable, or now at the prompt."""
    terms = hashlib.sha256(dataset.licence.terms.encode()).hexdigest()
    record = folder / RECORD
    if _accepted(record) == terms:
        return
    licence = dataset.licence
    click.echo(
        f"{dataset.title}: {licence.name}\n{licence.terms}\nPage: {licence.url}\nCite: {dataset.citation}", err=True
    )
    if not accepted:
        if not sys.stdin.isatty():
            raise UserError(
                f"{key}: the terms above must be accepted first. Run: protofair acquire {key} --accept-licence "
                f"(or set {VARIABLE}=1)"
            )
        if not click.confirm("Do you accept these terms?", err=True):
            raise UserError(f"{key}: terms not accepted, nothing fetched.")
    write_json(
        record,
        {
            "dataset": dataset.title,
            "licence": licence.name,
            "url": str(licence.url),
            "terms": licence.terms,
            "terms_sha256": terms,
            "accepted": datetime.now(UTC).isoformat(timespec="seconds"),
        },
    )


def _accepted(record: Path) -> str | None:
    """The hash of the terms accepted earlier; a damaged record is no acceptance."""
    try:
        terms: str = json.loads(record.read_text(encoding="utf-8"))["terms_sha256"]
    except (FileNotFoundError, ValueError, TypeError, KeyError):
        return None
    return terms
