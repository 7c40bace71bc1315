"""From a plan and whatever has finished to the whole report."""

from pathlib import Path

from protofair.plan.plan import Plan
from protofair.report.claims.ledger import decide
from protofair.report.curves import read_curves
from protofair.report.figure_data import build_figures
from protofair.report.model import ReportModel
from protofair.report.open_points import build_open_points
from protofair.report.outcome import build_outcome
from protofair.report.provenance import read_provenance
from protofair.report.reference import REFERENCE, read_reference
from protofair.report.results import Results
from protofair.report.tables import build_tables


def build(plan: Plan, root: Path = Path()) -> ReportModel:
    """The report of the plan's suite; `root` holds params/, data/ and results/.

    The same files give the same report: nothing here asks for the time or the machine. Commit and container are read
    from `root` too.
    """
    results = Results(plan, read_reference(root / REFERENCE), root)
    tables = build_tables(results)
    claims = decide(results)
    curves, damaged_logs = read_curves(plan, root)
    provenance, damaged_records = read_provenance(plan, root)
    return ReportModel(
        plan.suite,
        plan.report["title"],
        plan.report["scale"],
        results.reference.paper.model_dump(),
        build_outcome(plan, claims, provenance),
        claims,
        tables,
        build_figures(results, tables),
        curves,
        build_open_points(plan),
        provenance,
        problems=(*results.collected.problems, *damaged_logs, *damaged_records),
    )
