"""A contact sheet: pictures of each data set with their labels in words under them, for a person to look at."""

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from protofair.core.atomic import replacing

Example = tuple[np.ndarray, list[str]]  # a picture uint8 [H, W, 3], lines of text

COLUMNS, ROWS = 10, 2
TILE = 160  # height of a picture, pixels
GAP = 8
LINE = 15
LINES = 4
PAPER, INK = (250, 250, 248), (40, 40, 40)


def write_sheet(path: Path, examples: dict[str, Iterator[Example]]) -> None:
    """Write a PNG with a block of `COLUMNS` x `ROWS` pictures for each data set, by its name."""
    sheet = np.concatenate([_block(name, [*pictures]) for name, pictures in examples.items()])
    with replacing(path) as file:
        file.write(cv2.imencode(".png", cv2.cvtColor(sheet, cv2.COLOR_RGB2BGR))[1].tobytes())


def _block(name: str, examples: list[Example]) -> np.ndarray:
    cell = TILE + GAP
    height = LINE * LINES + cell
    block = np.full((2 * LINE + ROWS * height, COLUMNS * cell + GAP, 3), PAPER, np.uint8)
    _text(block, name, GAP, LINE + 4, scale=0.55)
    for place, (picture, lines) in enumerate(examples):
        top, left = 2 * LINE + place // COLUMNS * height, GAP + place % COLUMNS * cell
        width = round(picture.shape[1] * TILE / picture.shape[0])
        tile = cv2.resize(picture, (width, TILE), interpolation=cv2.INTER_AREA)
        block[top : top + TILE, left : left + width] = tile
        for row, line in enumerate(lines[:LINES]):
            _text(block, line, left, top + TILE + LINE * (row + 1) - 2, scale=0.4)
    return block


def _text(image: np.ndarray, text: str, x: int, y: int, *, scale: float) -> None:
    cv2.putText(image, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, scale, INK, 1, cv2.LINE_AA)
