"""A table in LaTeX with booktabs, in the paper's columns."""

import unicodedata

from protofair.report.layout import LEGEND, heading, printed_rows
from protofair.report.model import TableModel

ESCAPES = (
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\n": " "}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': "''"}
    | {"±": r"$\pm$", "−": "$-$", "–": "--", "…": r"\dots{}", "λ": r"$\lambda$", "↑": r"$\uparrow$"}
    | {"↓": r"$\downarrow$", "†": r"\textsuperscript{\dag}", "‡": r"\textsuperscript{\ddag}"}
    | {"ᵐ": r"\textsuperscript{m}"}
)
DOCUMENT = r"""\documentclass{article}
\usepackage{booktabs}
\usepackage[a4paper, landscape, margin=1cm]{geometry}
\begin{document}
%s\end{document}
"""
# More numbers than this in a line need a smaller type.
WIDE = 8


def escape(text: str) -> str:
    """Any text as plain LaTeX; letters lose their accents, and what is left outside ASCII becomes a question mark."""
    return "".join(ESCAPES.get(known, known) for character in text for known in _known(character))


def _known(character: str) -> str:
    if character in ESCAPES:
        return character
    plain = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return plain if plain.isprintable() and plain else "?"


def latex_document(table: TableModel) -> str:
    """A file that compiles by itself."""
    return DOCUMENT % latex_table(table)


def latex_table(table: TableModel) -> str:
    """The table environment, for another document with booktabs."""
    numbers = len(table.columns) * len(table.metrics)
    size = r"\scriptsize\setlength{\tabcolsep}{3pt}" if numbers > WIDE else r"\small"
    lines = [
        r"\begin{table}[tb]",
        r"\centering",
        rf"\caption{{{escape(f'{table.title}. {LEGEND}')}}}",
        rf"\label{{tab:{''.join(c for c in table.name if c.isascii() and c.isalnum())}}}",
        size,
        rf"\begin{{tabular}}{{@{{}}l{'r' * numbers}@{{}}}}",
        r"\toprule",
        *_head(table),
        r"\midrule",
        *_body(table),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _head(table: TableModel) -> list[str]:
    width = len(table.metrics)
    metrics = [escape(heading(metric)) for _ in table.columns for metric in table.metrics]
    columns = " & ".join(rf"\multicolumn{{{width}}}{{c}}{{{_column(name)}}}" for name in table.columns)
    rules = " ".join(rf"\cmidrule(lr){{{2 + width * i}-{1 + width * (i + 1)}}}" for i in range(len(table.columns)))
    return [rf" & {columns} \\", rules, rf"Method & {' & '.join(metrics)} \\"]


def _column(name: str) -> str:
    """A column's name, with the paper's letter for an imbalance."""
    value = name.removeprefix("alpha=")
    return rf"$\alpha={value}$" if value != name and value.replace(".", "", 1).isdecimal() else escape(name)


def _body(table: TableModel) -> list[str]:
    lines = []
    for number, line in enumerate(printed_rows(table)):
        if line.rule and number:
            lines.append(r"\midrule")
        # Braces: a line that begins with a bracket would be taken for an option of the line before.
        lines.append(" & ".join([f"{{{escape(line.name)}}}", *(escape(text) for text in line.numbers)]) + r" \\")
    return lines
