"""Images decoded per second, and how far the pixels are from Pillow's: the decoders that come into question.

python -m bench.decode [FOLDER]

FOLDER holds UTKFace's JPEGs (data/raw/utkface); without it drawings stand in. CelebA's size is tried on the same ones
saved at 178 x 218, NIH's on grainy 1024 x 1024 PNGs of about 300 kB. The reference is the plain loop: Pillow's open,
convert and resize, bilinear, which is faster than its default. Rates are images a CPU second of one core, the best of
several rounds in which the decoders take turns; the last rows have two processes and count seconds on the wall.
"""

import io
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np
import simplejpeg
from PIL import Image

from bench.table import Row, at_least, at_most, beside, show
from protofair.data.prepare.decode import decode
from protofair.data.raw import find_images
from protofair.data.toy import draw

Decoder = Callable[[bytes, int, int], np.ndarray]
PHOTOS, SCANS, ROUNDS = 240, 12, 7
FASTER, AWAY = 3.0, 2.0  # the targets
REFERENCE, OURS = "Pillow, bilinear (the reference)", "protofair prepare"
MODES = {1: ("L", "GRAY", cv2.IMREAD_GRAYSCALE), 3: ("RGB", "RGB", cv2.IMREAD_COLOR_RGB)}


def pillow(
    content: bytes, size: int, channels: int, resample: Image.Resampling = Image.Resampling.BILINEAR
) -> np.ndarray:
    image = Image.open(io.BytesIO(content)).convert(MODES[channels][0]).resize((size, size), resample)
    return np.asarray(image).reshape(size, size, channels)


def pillow_draft(content: bytes, size: int, channels: int) -> np.ndarray:
    image = Image.open(io.BytesIO(content))
    image.draft(MODES[channels][0], (size, size))
    image = image.convert(MODES[channels][0]).resize((size, size), Image.Resampling.BILINEAR)
    return np.asarray(image).reshape(size, size, channels)


def opencv(content: bytes, size: int, channels: int) -> np.ndarray:
    pixels = cv2.imdecode(np.frombuffer(content, np.uint8), MODES[channels][2])
    return cv2.resize(pixels, (size, size), interpolation=cv2.INTER_AREA).reshape(size, size, channels)


def simplejpeg_area(content: bytes, size: int, channels: int, scaled: bool = False) -> np.ndarray:
    least = size if scaled else 0
    pixels = simplejpeg.decode_jpeg(content, MODES[channels][1], min_height=least, min_width=least)
    return cv2.resize(pixels, (size, size), interpolation=cv2.INTER_AREA).reshape(size, size, channels)


def prepare(content: bytes, size: int, channels: int) -> np.ndarray:
    return decode(content, size=size, channels=channels)


JPEG: dict[str, Decoder] = {
    REFERENCE: pillow,
    "Pillow, its default (bicubic)": partial(pillow, resample=Image.Resampling.BICUBIC),
    "Pillow, draft mode": pillow_draft,
    "OpenCV, area": opencv,
    "simplejpeg, area": simplejpeg_area,
    "simplejpeg scaled, area": partial(simplejpeg_area, scaled=True),
    OURS: prepare,
}
PNG = {name: decoder for name, decoder in JPEG.items() if "draft" not in name and "simplejpeg" not in name}


def compare(title: str, files: list[bytes], size: int, channels: int, decoders: dict[str, Decoder]) -> Iterator[Row]:
    """How much faster than the reference each decoder is, and how far its pixels are from it."""
    best = dict.fromkeys(decoders, float("inf"))
    for _ in range(ROUNDS):
        for name, decoder in decoders.items():
            best[name] = min(best[name], seconds(decoder, files, size, channels))
    references = [
        [pillow(file, size, channels, resample).astype(np.float64) for file in files]
        for resample in (Image.Resampling.BILINEAR, Image.Resampling.BICUBIC)
    ]
    title = f"decode {title}, {size} px"
    yield beside(f"{title}: {REFERENCE}", len(files) / best[REFERENCE], " images/s")
    for name, decoder in decoders.items():
        images = [decoder(file, size, channels) for file in files]
        away = [np.mean([np.abs(a - b).mean() for a, b in zip(images, each, strict=True)]) for each in references]
        faster = best[REFERENCE] / best[name]
        if name == OURS:
            yield at_least(f"{title}: {name}", faster, FASTER, " x")
            yield at_most(f"{title}: {name}, mean difference to bilinear", away[0], AWAY, " of 255")
            yield at_most(f"{title}: {name}, mean difference to bicubic", away[1], AWAY, " of 255")
        elif name != REFERENCE:
            yield Row(f"{title}: {name}", f"{faster:.2f} x, {away[0]:.2f} and {away[1]:.2f} of 255")


def seconds(decoder: Decoder, files: list[bytes], size: int, channels: int) -> float:
    start = time.process_time()
    for file in files:
        decoder(file, size, channels)
    return time.process_time() - start


def compare_on_two_cores(title: str, files: list[bytes], size: int) -> Iterator[Row]:
    """The same loop in two processes at once, for the reference and for prepare's decoder."""
    best = {REFERENCE: float("inf"), OURS: float("inf")}
    with ProcessPoolExecutor(2, initializer=cv2.setNumThreads, initargs=(1,)) as pool:
        for _ in range(ROUNDS):
            for name in best:
                start = time.perf_counter()
                halves = [files[::2], files[1::2]]
                list(pool.map(partial(loop, JPEG[name], size), halves))
                best[name] = min(best[name], time.perf_counter() - start)
    title = f"decode {title}, {size} px, two processes"
    yield beside(f"{title}: {REFERENCE}", len(files) / best[REFERENCE], " images/s")
    yield at_least(f"{title}: {OURS}", best[REFERENCE] / best[OURS], FASTER, " x")


def loop(decoder: Decoder, size: int, files: list[bytes]) -> None:
    for file in files:
        decoder(file, size, 3)


def photos(folder: Path | None) -> list[bytes]:
    """JPEGs of 200 x 200 pixels, evenly from the whole set."""
    if folder is None:
        with TemporaryDirectory() as drawn:
            draw("celeba", Path(drawn), images=PHOTOS)
            return [saved_again(entry.read(), (200, 200), quality=75) for entry in find_images(Path(drawn))]
    entries = find_images(folder)
    return [entry.read() for entry in entries[:: max(1, len(entries) // PHOTOS)][:PHOTOS]]


def saved_again(content: bytes, size: tuple[int, int], quality: int) -> bytes:
    file = io.BytesIO()
    Image.open(io.BytesIO(content)).resize(size, Image.Resampling.BICUBIC).save(file, "JPEG", quality=quality)
    return file.getvalue()


def scan(random: np.random.Generator) -> bytes:
    """A grey PNG that is smooth at large and grainy at small scale, as an X-ray is."""
    smooth, grain = (
        cv2.GaussianBlur(random.normal(size=(1024, 1024)).astype(np.float32), (0, 0), width) for width in (60, 1.2)
    )
    pixels = (smooth - smooth.min()) / np.ptp(smooth) * 200 + 8 * grain
    file = io.BytesIO()
    Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).save(file, "PNG")
    return file.getvalue()


def main(folder: Path | None = None) -> list[Row]:
    cv2.setNumThreads(1)
    faces = photos(folder)
    tall = [saved_again(face, (178, 218), quality=90) for face in faces]
    random = np.random.default_rng(0)
    scans = [scan(random) for _ in range(SCANS)]
    return [
        *(row for size in (128, 64, 32) for row in compare("UTKFace", faces, size, 3, JPEG)),
        *(row for size in (128, 64, 32) for row in compare("CelebA", tall, size, 3, JPEG)),
        *compare("NIH", scans, 128, 1, PNG),
        *compare_on_two_cores("UTKFace", faces * 4, 128),
        *compare_on_two_cores("CelebA", tall * 4, 128),
    ]


if __name__ == "__main__":
    print(show(main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)))
