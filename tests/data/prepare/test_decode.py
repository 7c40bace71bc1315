import io

import cv2
import numpy as np
import pytest
import simplejpeg
from PIL import Image

from protofair.data.prepare.decode import BrokenImageError, decode


def photo(height: int, width: int, seed: int = 0) -> np.ndarray:
    """Noise with about as much detail at each scale as a photograph of UTKFace has, uint8 [height, width, 3]."""
    random = np.random.default_rng(seed)
    layers = [cv2.GaussianBlur(random.normal(size=(height, width, 3)), (0, 0), 1.5 * 2**i) * 3.0**i for i in range(5)]
    total = np.sum(layers, axis=0)
    return np.clip(128 + 45 * total / total.std(), 0, 255).astype(np.uint8)


def jpeg(pixels: np.ndarray, **options: object) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=90, **options)
    return file.getvalue()


def png(image: Image.Image) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def by_pillow(content: bytes, size: int, mode: str = "RGB", square: bool = False) -> np.ndarray:
    image = Image.open(io.BytesIO(content)).convert(mode)
    if square:
        side = min(image.size)
        left, top = ((length - side) / 2 for length in image.size)
        return np.asarray(image.resize((size, size), Image.Resampling.BILINEAR, (left, top, left + side, top + side)))
    return np.asarray(image.resize((size, size), Image.Resampling.BILINEAR))


def away(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.abs(first.astype(np.float64) - second).mean())


# 200 x 200 is UTKFace's, 218 x 178 CelebA's, the last has no common divisor with any reduction.
@pytest.mark.parametrize("sides", [(200, 200), (218, 178), (331, 257)])
@pytest.mark.parametrize("size", [128, 64, 32, 16])
def test_a_jpeg_looks_as_pillow_would_make_it(sides: tuple[int, int], size: int) -> None:
    content = jpeg(photo(*sides))
    ours = decode(content, size=size, channels=3)
    assert ours.shape == (size, size, 3)
    assert ours.dtype == np.uint8
    assert away(ours, by_pillow(content, size)) < 2


@pytest.mark.parametrize("sides", [(218, 178), (178, 218), (331, 257)])
@pytest.mark.parametrize("size", [128, 64, 32])
def test_a_centre_crop_is_the_central_square(sides: tuple[int, int], size: int) -> None:
    content = jpeg(photo(*sides))
    assert away(decode(content, size=size, channels=3, crop="centre"), by_pillow(content, size, square=True)) < 2


def test_a_misplaced_crop_would_be_noticed() -> None:
    content = jpeg(photo(218, 178))
    assert away(decode(content, size=32, channels=3), by_pillow(content, 32, square=True)) > 4


def test_a_jpeg_in_grey() -> None:
    content = jpeg(photo(200, 200))
    ours = decode(content, size=64, channels=1)
    assert ours.shape == (64, 64, 1)
    assert away(ours[..., 0], by_pillow(content, 64, "L")) < 2


def test_a_grey_jpeg_becomes_rgb() -> None:
    content = jpeg(photo(200, 200)[..., 0])
    assert away(decode(content, size=64, channels=3), by_pillow(content, 64)) < 2


def test_a_picture_smaller_than_the_packed_size_is_enlarged() -> None:
    content = jpeg(photo(40, 30))
    assert away(decode(content, size=64, channels=3), by_pillow(content, 64)) < 2


GREY = photo(256, 256)[..., 0]


@pytest.mark.parametrize(
    "image",
    [
        Image.fromarray(np.dstack([GREY, np.full_like(GREY, 9)]), "LA"),
        Image.fromarray(np.dstack([GREY, GREY, GREY, np.full_like(GREY, 9)])),
        Image.fromarray(np.dstack([GREY, GREY, GREY])),
        Image.fromarray((GREY.astype(np.uint16) << 8) + 77),
        Image.fromarray(GREY).convert("P"),
    ],
    ids=["LA", "RGBA", "RGB", "16 bits", "palette"],
)
def test_every_kind_of_png_becomes_the_same_grey(image: Image.Image) -> None:
    """Alpha is not applied, the low bits of 16 are cut off."""
    plain = decode(png(Image.fromarray(GREY)), size=64, channels=1)
    assert np.array_equal(decode(png(image), size=64, channels=1), plain)


@pytest.mark.parametrize("size", [64, 100, 200])
def test_a_png_looks_as_pillow_would_make_it(size: int) -> None:
    content = png(Image.fromarray(GREY))
    assert away(decode(content, size=size, channels=1)[..., 0], by_pillow(content, size, "L")) < 2


@pytest.mark.parametrize("sides", [(256, 256), (256, 200), (255, 256)])
def test_a_large_png_becomes_the_means_of_its_blocks(sides: tuple[int, int]) -> None:
    """However it is reduced: halved several times, or at once where a side is odd."""
    pixels = photo(*sides)[..., 0]
    means = cv2.resize(pixels.astype(np.float32), (32, 32), interpolation=cv2.INTER_AREA)
    found = decode(png(Image.fromarray(pixels)), size=32, channels=1)[..., 0]
    assert np.abs(found - means).max() < 1.5


def test_a_colour_png_keeps_the_order_of_its_channels() -> None:
    red = np.zeros((50, 50, 3), np.uint8)
    red[..., 0] = 200
    assert decode(png(Image.fromarray(red)), size=8, channels=3)[4, 4].tolist() == [200, 0, 0]


def test_a_turned_picture_stays_as_it_is_stored() -> None:
    """As Pillow leaves it: the labels and alignments of the data sets refer to the stored pixels."""
    exif = Image.Exif()
    exif[0x0112] = 6
    content = jpeg(photo(64, 64), exif=exif)
    assert away(decode(content, size=32, channels=3), by_pillow(content, 32)) < 2


WHOLE = jpeg(photo(64, 64))
WHOLE_PNG = png(Image.fromarray(GREY))


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xd8\xff", WHOLE[:200], WHOLE[: len(WHOLE) // 2], WHOLE_PNG[:20], WHOLE_PNG[: len(WHOLE_PNG) // 2]],
    ids=["empty", "marker only", "header only", "half a JPEG", "start of a PNG", "half a PNG"],
)
def test_what_is_cut_off_is_broken(content: bytes) -> None:
    with pytest.raises(BrokenImageError):
        decode(content, size=32, channels=3)


def test_a_page_of_html_is_broken() -> None:
    with pytest.raises(BrokenImageError, match="neither a JPEG nor a PNG"):
        decode(b"<!DOCTYPE html><html>quota exceeded</html>", size=32, channels=3)


def test_a_changed_byte_in_a_png_is_broken() -> None:
    content = bytearray(WHOLE_PNG)
    content[len(content) // 2] ^= 0xFF
    with pytest.raises(BrokenImageError, match="damaged PNG"):
        decode(bytes(content), size=32, channels=1)


def test_a_header_that_claims_a_giant_is_refused_before_memory_is_taken() -> None:
    content = bytearray(WHOLE_PNG)
    content[16:24] = (60_000).to_bytes(4, "big") * 2
    with pytest.raises(BrokenImageError, match="claims 60000 x 60000 pixels"):
        decode(bytes(content), size=32, channels=1)
    position = WHOLE.index(b"\xff\xc0") + 5
    wide = WHOLE[:position] + (60_000).to_bytes(2, "big") * 2 + WHOLE[position + 4 :]
    assert simplejpeg.decode_jpeg_header(wide)[:2] == (60_000, 60_000)
    with pytest.raises(BrokenImageError, match="claims 60000 x 60000 pixels"):
        decode(wide, size=32, channels=3)
