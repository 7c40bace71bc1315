"""The metrics of the report: what each is called, which way is better, and how it is printed."""

from protofair.report.model import Difference, Interval, Metric, Summary

MINUS = "−"
METRICS = {
    metric.name: metric
    for metric in (
        Metric("accuracy", "ACC", "accuracy", "higher", 1, "%"),
        Metric("equalized_odds", "EO", "equalized odds", "lower", 1, "%"),
        Metric("balanced_accuracy", "bal. ACC", "balanced accuracy", "higher", 1, "%"),
        Metric("majority_rate", "majority", "share of the majority class", "higher", 1, "%"),
        Metric("auroc", "AUROC", "area under the ROC curve", "higher", 3, ""),
        Metric("auroc_gap", "AUROC gap", "AUROC gap between groups", "lower", 3, ""),
        Metric("sensitive.accuracy", "Probe-ACC", "accuracy of the probe for the sensitive attribute", "lower", 1, "%"),
        Metric("sensitive.balanced_accuracy", "Probe bal. ACC", "its balanced accuracy", "lower", 1, "%"),
        Metric("linear.accuracy", "linear ACC", "accuracy of a linear probe instead", "higher", 1, "%"),
        Metric("linear.equalized_odds", "linear EO", "its equalized odds", "lower", 1, "%"),
        Metric("linear.balanced_accuracy", "linear bal. ACC", "its balanced accuracy", "higher", 1, "%"),
        Metric("mixing", "mixing", "mixing of the groups among nearest neighbours", "higher", 2, ""),
    )
}
# Where a metric ends: the interval of a summary never goes beyond.
HIGHEST = {"%": 100.0, "": 1.0}


def highest(name: str) -> float:
    """The largest value a metric can have; mixing may pass 1."""
    return float("inf") if name == "mixing" else HIGHEST[METRICS[name].unit]


def number(value: float, metric: Metric) -> str:
    """A value with the digits of its metric and a true minus sign."""
    text = f"{value:.{metric.digits}f}"
    return text.replace("-", MINUS) if float(text) != 0 else text.lstrip("-")


def signed(value: float, metric: Metric) -> str:
    text = number(value, metric)
    return text if text.startswith(MINUS) or float(text) == 0 else f"+{text}"


def mean_sd(summary: Summary, metric: Metric) -> str:
    """`84.2 ± 0.3`, or `84.2` of a single seed."""
    spread = "" if summary.sd is None else f" ± {number(summary.sd, metric)}"
    return number(summary.mean, metric) + spread


def interval(found: Interval | Summary, metric: Metric) -> str:
    return f"[{number(found.low, metric)}, {number(found.high, metric)}]"


def change(difference: Difference, metric: Metric) -> str:
    """`−4.9 [−6.1, −3.8]`."""
    low, high = signed(difference.low, metric), signed(difference.high, metric)
    return f"{signed(difference.value, metric)} [{low}, {high}]"
