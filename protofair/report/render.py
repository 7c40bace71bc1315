"""From the report's model to one HTML file that needs nothing else, and the same tables and figures as files."""

import base64
import hashlib
from collections.abc import Callable
from pathlib import Path

import jinja2
from markupsafe import Markup

from protofair.atomic import replacing, write_text
from protofair.report.export import FORMATS, write_tables
from protofair.report.figures.ablation import draw_ablation
from protofair.report.figures.method import draw_method
from protofair.report.figures.pareto import draw_pareto
from protofair.report.figures.picture import Picture
from protofair.report.figures.training import draw_curves, draw_occupancy
from protofair.report.figures.tsne import draw_tsne
from protofair.report.metrics import METRICS, change, interval, mean_sd, number, signed
from protofair.report.model import VERDICT_GLYPHS, Curve, ReportModel

TEMPLATES = Path(__file__).parent / "templates"
COPIED = ("csv", "tex", "md")  # formats a button copies


def render(model: ReportModel, folder: Path) -> Path:
    """Write `folder`/report.html and, in `folder`/report/, every table and figure for other programs."""
    pictures = draw(model)
    files = folder / "report"
    write_tables(model.tables, files / "tables")
    for picture in pictures:
        stem = files / "figures" / picture.name
        write_text(stem.with_suffix(".csv"), picture.data.to_csv(index=False, lineterminator="\n"))
        _write(stem.with_suffix(".pdf"), picture.pdf)
        _write(stem.with_suffix(".svg" if picture.media_type.endswith("xml") else ".png"), picture.image)
    path = folder / "report.html"
    write_text(path, page(model, pictures))
    return path


def draw(model: ReportModel) -> list[Picture]:
    """Every figure that has something to show."""
    makers: list[Callable[[ReportModel], Picture | None]] = [
        draw_tsne, draw_ablation, draw_pareto, draw_curves, draw_occupancy,
    ]  # fmt: skip
    return [draw_method(), *(picture for make in makers if (picture := make(model)) is not None)]


def page(model: ReportModel, pictures: list[Picture]) -> str:
    """The whole HTML file."""
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    script = (TEMPLATES / "script.js").read_text(encoding="utf-8")
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
        "data_uri": _data_uri,
        "sparkline": sparkline,
        "copies": {table.name: {form: FORMATS[form](table) for form in COPIED} for table in model.tables},
    }
    return environment.get_template("report.html").render(
        model=model,
        pictures=pictures,
        style=Markup(style),
        script=Markup(script),
        style_hash=_csp_hash(style),
        script_hash=_csp_hash(script),
    )


def sparkline(curve: Curve, column: str = "loss") -> Markup:
    """A small line of a training's loss, drawn with attributes alone: the page allows no inline styles."""
    values = curve.frame[column].dropna().to_list() if column in curve.frame else []
    if len(values) < 2:
        return Markup("")
    low, high = min(values), max(values)
    scale = (high - low) or 1.0
    points = " ".join(
        f"{120 * i / (len(values) - 1):.1f},{22 - 20 * (v - low) / scale:.1f}" for i, v in enumerate(values)
    )
    label = f"{column} from {values[0]:.3f} to {values[-1]:.3f} over {len(values)} epochs"
    return Markup(
        '<svg class="spark" viewBox="0 0 120 24" width="120" height="24" role="img" aria-label="{}">'
        '<polyline points="{}" fill="none" stroke="currentColor" stroke-width="1.2"/></svg> {}'
    ).format(label, points, label)


def _data_uri(picture: Picture) -> str:
    return f"data:{picture.media_type};base64,{base64.b64encode(picture.image).decode('ascii')}"


def _csp_hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"


def _write(path: Path, content: bytes) -> None:
    with replacing(path) as file:
        file.write(content)
