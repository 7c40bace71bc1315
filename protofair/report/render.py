"""From the report's model to one HTML file that needs nothing else, and the same tables and figures as files."""

import base64
import hashlib
from pathlib import Path

import jinja2
from markupsafe import Markup

from protofair.core.atomic import replacing, write_text
from protofair.plan.plan import Plan
from protofair.report.export import to_csv, to_markdown, write_tables
from protofair.report.figures.ablation import draw_ablation
from protofair.report.figures.dag import draw_dag
from protofair.report.figures.method import draw_method
from protofair.report.figures.occupancy import draw_occupancy
from protofair.report.figures.pairs import draw_pairs
from protofair.report.figures.pareto import draw_pareto
from protofair.report.figures.picture import Picture
from protofair.report.figures.training import draw_training
from protofair.report.figures.tsne import draw_tsne
from protofair.report.latex import latex_table
from protofair.report.metrics import METRICS, change, interval, mean_sd, number, signed
from protofair.report.model import GLYPHS, VERDICT_GLYPHS, Curve, Difference, Metric, ReportModel, Tone
from protofair.report.pairs import FoundPairs

TEMPLATES = Path(__file__).parent / "templates"
COPIES = {"CSV": to_csv, "LaTeX": latex_table, "Markdown": to_markdown}  # what a button copies


def render(model: ReportModel, plan: Plan, pairs: FoundPairs | None, folder: Path) -> Path:
    """Write `folder`/report.html and, in `folder`/report/, every table and figure for other programs."""
    pictures = draw(model, plan, pairs)
    written = write_tables(model.tables, folder / "report" / "tables")
    for picture in pictures:
        data = picture.data.to_csv(index=False, lineterminator="\n").encode()
        for ending, content in (("csv", data), ("svg", picture.svg), ("pdf", picture.pdf)):
            written.append(folder / "report" / "figures" / f"{picture.name}.{ending}")
            with replacing(written[-1]) as file:
                file.write(content)
    # What an earlier report left and this one does not have, such as photographs that were then allowed.
    for path in set((folder / "report").glob("*/*")) - set(written):
        path.unlink()
    path = folder / "report.html"
    write_text(path, page(model, pictures))
    return path


def draw(model: ReportModel, plan: Plan, pairs: FoundPairs | None) -> list[Picture]:
    """Every figure that has something to show."""
    pictures = [
        draw_method(),
        draw_tsne(model),
        draw_ablation(model),
        *draw_pareto(model),
        draw_training(model, plan),
        draw_occupancy(model, plan),
        draw_pairs(pairs),
        draw_dag(model, plan),
    ]
    return [picture for picture in pictures if picture is not None]


def page(model: ReportModel, pictures: list[Picture]) -> str:
    """The whole HTML file."""
    style, script = ((TEMPLATES / name).read_text(encoding="utf-8") for name in ("style.css", "script.js"))
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.globals |= {
        "METRICS": METRICS,
        "GLYPHS": VERDICT_GLYPHS,
        "number": number,
        "signed": signed,
        "mean_sd": mean_sd,
        "interval": interval,
        "change": change,
        "beside": beside,
        "data_uri": data_uri,
    }
    return environment.get_template("report.html").render(
        model=model,
        pictures={picture.name: picture for picture in pictures},
        copies={table.name: {label: text(table) for label, text in COPIES.items()} for table in model.tables},
        curves={name: sparkline(curve) for name, curve in model.curves.items()},
        style=Markup(style),
        script=Markup(script),
        style_hash=csp_hash(style),
        script_hash=csp_hash(script),
    )


def beside(difference: Difference, metric: Metric) -> tuple[str, Tone]:
    """The glyph of a paired difference and what it means: level if its interval covers no difference."""
    if difference.low <= 0 <= difference.high:
        return GLYPHS["level"], "level"
    above = difference.value > 0
    return GLYPHS["above" if above else "below"], "better" if above == (metric.better == "higher") else "worse"


def sparkline(curve: Curve) -> Markup:
    """A small line of a training's loss, drawn with attributes alone: the page allows no inline styles."""
    values = curve.frame["loss"].dropna().to_list() if "loss" in curve.frame else []
    if len(values) < 2:
        return Markup("")
    low, high = min(values), max(values)
    scale = (high - low) or 1.0
    points = " ".join(
        f"{120 * i / (len(values) - 1):.1f},{22 - 20 * (value - low) / scale:.1f}" for i, value in enumerate(values)
    )
    return Markup(
        '<svg class="spark" viewBox="0 0 120 24" width="120" height="24" aria-hidden="true">'
        '<polyline points="{}" fill="none" stroke="currentColor" stroke-width="1.2"/></svg> '
        "loss from {:.3f} to {:.3f} over {} epochs"
    ).format(points, values[0], values[-1], len(values))


def data_uri(picture: Picture) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(picture.for_page).decode('ascii')}"


def csp_hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"
