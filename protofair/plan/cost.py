"""What a plan costs: epochs, images, GPU hours and disk, with the sharing of warm-ups and without it."""

from dataclasses import dataclass

from protofair.plan.plan import Entry, Plan

# Training images of the prepared sets, from the official counts; a drawn set says its own.
CELEBA, NIH = 162_770, 75_300
UTKFACE = {2: 13_146, 3: 11_688, 4: 10_950}
RAW_BYTES = {"celeba": 1.5e9, "utkface": 0.1e9, "nih": 45.1e9}  # the official files, by params/sources.yaml
# Views a second, forward and backward, of ResNet-18 with a stride-1 stem at 128 px in bf16: an assumption for one
# data-centre GPU, not a measurement. Other sizes scale with the number of pixels.
VIEWS_PER_SECOND = 3000.0
CHECKPOINT_BYTES = {"resnet18": 100e6, "resnet18-imagenet": 100e6, "resnet-narrow": 12e6, "resnet-tiny": 3e6}
CHECKPOINT_BYTES |= {"fd-vae": 80e6, "fd-vae-small": 5e6}  # the discriminator is most of it


@dataclass
class Cost:
    """What a set of trainings adds up to."""

    trainings: int = 0
    epochs: int = 0
    views: float = 0.0
    gpu_seconds: float = 0.0

    def add(self, plan: Plan, data: str, epochs: int) -> None:
        views = 2.0 * training_images(plan, data) * epochs
        self.trainings += 1
        self.epochs += epochs
        self.views += views
        self.gpu_seconds += views * (plan.prepare[data]["size"] / 128) ** 2 / VIEWS_PER_SECOND


def cost_table(plan: Plan) -> str:
    """A table a person reads before starting."""
    shared, naive = Cost(), Cost()
    for warmup in plan.warmup.values():
        for cost in (shared, naive):
            cost.add(plan, warmup["data"], warmup["epochs"])
    for fair in plan.fair.values():
        naive.add(plan, fair["data"], fair["from_epoch"])
        for cost in (shared, naive):
            cost.add(plan, fair["data"], fair["epochs"])
    for baseline in plan.baseline.values():
        if "teacher" in baseline:
            naive.add(plan, baseline["data"], plan.warmup[baseline["teacher"]]["epochs"])
        for cost in (shared, naive):
            cost.add(plan, baseline["data"], baseline["epochs"])
    rows = [
        ("", "shared", "naive"),
        ("trainings", f"{shared.trainings:,}", f"{naive.trainings:,}"),
        ("epochs", f"{shared.epochs:,}", f"{naive.epochs:,}"),
        ("images seen (views)", f"{shared.views / 1e6:,.1f} M", f"{naive.views / 1e6:,.1f} M"),
        ("GPU hours (estimate)", f"{shared.gpu_seconds / 3600:,.1f}", f"{naive.gpu_seconds / 3600:,.1f}"),
        (
            "feature extractions",
            f"{len(plan.probe):,}",
            f"{sum(len(probe['tasks']) for probe in plan.probe.values()):,}",
        ),
        ("disk (estimate)", f"{disk_bytes(plan) / 1e9:,.1f} GB", ""),
    ]
    text = "\n".join(f"{name:22} {left:>12} {right:>12}" for name, left, right in rows)
    return (
        f"{text}\nNaive: every fair run trains its own warm-up, every MFD its own teacher."
        f" GPU hours assume {VIEWS_PER_SECOND:,.0f} views a second for ResNet-18 at 128 px."
    )


def training_images(plan: Plan, data: str) -> int:
    """How many images an epoch on a prepared set sees."""
    entry = plan.prepare[data]
    drawn: int | None = plan.acquire[entry["acquire"]].get("images")
    if drawn is not None:
        return drawn * 3 // 4
    if entry["dataset"] == "utkface":
        return UTKFACE.get(entry["split"]["alpha"], UTKFACE[4])
    return CELEBA if entry["dataset"] == "celeba" else NIH


def disk_bytes(plan: Plan) -> float:
    """The official files, and packed arrays and kept checkpoints twice: DVC's cache has a copy."""
    raw = [RAW_BYTES[entry["dataset"]] for entry in plan.acquire.values() if entry["source"] == "official"]
    packed = [1.25 * training_images(plan, key) * 3 * entry["size"] ** 2 for key, entry in plan.prepare.items()]
    warmups = [_checkpoint(entry) * len(entry["keep"]) for entry in plan.warmup.values()]
    fair = [_checkpoint(plan.warmup[entry["warmup"]]) for entry in plan.fair.values()]
    baselines = [_checkpoint(entry) for entry in plan.baseline.values()]
    return sum(raw) + 2.0 * sum([*packed, *warmups, *fair, *baselines])


def _checkpoint(entry: Entry) -> float:
    return CHECKPOINT_BYTES[entry.get("encoder", {}).get("name", "resnet18")]
