"""Examples of the pseudo-counterfactual pairs that a run finds."""

import numpy as np

from protofair.report.figures.picture import Picture, canvas, finish, grid
from protofair.report.pairs import FoundPairs

ACROSS = 3
GAP = 0.08  # between the images of a pair, in their width


def draw_pairs(found: FoundPairs | None) -> Picture | None:
    if found is None:
        return None
    height, width = found.images.shape[2:4]
    gap = max(1, round(GAP * width))
    space = np.full((height, gap, found.images.shape[4]), 255, dtype=np.uint8)
    with canvas(8.0, 1.9 * (-(-len(found.images) // ACROSS))) as figure:
        axes = grid(figure, len(found.images), across=ACROSS)
        for axis, images, facts in zip(axes, found.images, found.facts.to_dict("records"), strict=True):
            pair = np.concatenate([images[0], space, images[1]], axis=1)
            axis.imshow(pair.squeeze(), cmap="gray", vmin=0, vmax=255, interpolation="none")
            labels = [
                f"{found.sensitive} = {facts[f'{which}_sensitive']}\n{found.target} = {facts[f'{which}_target']}"
                for which in ("first", "second")
            ]
            axis.set_xticks([width / 2, 1.5 * width + gap], labels, fontsize=7)
            axis.set_yticks([])
            axis.tick_params(length=0)
            axis.spines[:].set_visible(False)
            axis.grid(visible=False)
            axis.set_title(f"cluster {facts['cluster']}, cosine {facts['similarity']:.2f}", fontsize=8)
    same = int((found.facts["first_target"] == found.facts["second_target"]).sum())
    return finish(
        figure,
        name="pairs",
        title="Pseudo-counterfactual pairs",
        caption=f"Test images that {found.run} puts into one cluster although their {found.sensitive} differs: the"
        f" most alike by its features, from its largest clusters. {same} of these {len(found.facts)} agree in"
        f" {found.target}.",
        alternative="Pairs of images of the same cluster and different sensitive groups, with their labels.",
        data=found.facts,
    )
