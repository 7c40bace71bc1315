"""From the bytes of an image file to pixels of the packed size.

Chosen on the numbers of bench/decode.py. A JPEG is decoded by libjpeg-turbo (simplejpeg), already reduced by a power of
two where that leaves enough pixels, which skips most of the inverse transform; OpenCV's bilinear interpolation does the
rest. Photographs then differ from the result of Pillow's `convert` and `resize` (bilinear or bicubic) by less than 2 of
255 on average, in less than a third of the time. A PNG cannot be decoded reduced: a plain grey one, as nearly all
X-rays are, is read whole by kornia-rs, which inflates more than twice as fast as the others, any other by OpenCV.
"""

from math import ceil
from typing import Literal, NamedTuple

import cv2
import kornia_rs
import numpy as np
import simplejpeg

LIBRARIES = ("simplejpeg", "opencv-python-headless", "kornia-rs")  # the pixels depend on their versions
PNG = b"\x89PNG\r\n\x1a\n"
PLAIN_GREY = b"\x08\x00"  # eight bits, no colour
MAX_PIXELS = 2**26  # the largest official image has 2**20
MAX_REDUCTION = 8  # what libjpeg can do


class Box(NamedTuple):
    """A part of a picture, in pixels."""

    top: float
    left: float
    height: float
    width: float


class BrokenImageError(ValueError):
    """An image that cannot be decoded; its text says why."""


def decode(content: bytes, *, size: int, channels: int, crop: Literal["none", "centre"] = "none") -> np.ndarray:
    """The image in `content` as uint8 [size, size, channels], RGB or grey; alpha is ignored, 16 bits become 8."""
    try:
        if simplejpeg.is_jpeg(content):
            return _decode_jpeg(content, size, channels, crop)
        if content.startswith(PNG):
            return _decode_png(content, size, channels, crop)
    except (ValueError, cv2.error) as error:
        raise BrokenImageError(" ".join(str(error).split())) from None
    raise BrokenImageError("neither a JPEG nor a PNG")


def _decode_jpeg(content: bytes, size: int, channels: int, crop: str) -> np.ndarray:
    height, width, _, _ = simplejpeg.decode_jpeg_header(content)
    _refuse_giant(height, width)
    reduction = 1
    while reduction < MAX_REDUCTION and min(height, width) >= 2 * reduction * size:
        reduction *= 2
    pixels: np.ndarray = simplejpeg.decode_jpeg(
        content,
        "RGB" if channels == 3 else "GRAY",
        min_height=ceil(height / reduction),
        min_width=ceil(width / reduction),
        fastupsample=True,
    )
    # Where a side is no multiple of the reduction, the last row or column lies partly outside the picture.
    box = _box(height / reduction, width / reduction, crop)
    return _resample(_soften(pixels, box, size, reduction), box, size).reshape(size, size, channels)


def _decode_png(content: bytes, size: int, channels: int, crop: str) -> np.ndarray:
    height, width = int.from_bytes(content[20:24], "big"), int.from_bytes(content[16:20], "big")
    _refuse_giant(height, width)
    plain = channels == 1 and content[24:26] == PLAIN_GREY
    pixels = _grey_png(content, height, width) if plain else _any_png(content, channels)
    return _resample(pixels, _box(height, width, crop), size).reshape(size, size, channels)


def _grey_png(content: bytes, height: int, width: int) -> np.ndarray:
    try:
        pixels: np.ndarray = kornia_rs.io.decode_image_png_u8(content, (height, width), "mono")
    except Exception as error:  # it has no exceptions of its own
        raise BrokenImageError(f"damaged PNG: {str(error).removeprefix('Failed to decode the png image. ')}") from None
    return pixels


def _any_png(content: bytes, channels: int) -> np.ndarray:
    mode = cv2.IMREAD_COLOR_RGB if channels == 3 else cv2.IMREAD_GRAYSCALE
    pixels = cv2.imdecode(np.frombuffer(content, np.uint8), mode | cv2.IMREAD_IGNORE_ORIENTATION)
    if pixels is None:
        raise BrokenImageError("damaged PNG")
    return pixels


def _refuse_giant(height: int, width: int) -> None:
    if height * width > MAX_PIXELS:
        raise BrokenImageError(f"claims {width} x {height} pixels")


def _box(height: float, width: float, crop: str) -> Box:
    """The part of the picture that is kept: all of it, or its central square."""
    if crop == "none":
        return Box(0, 0, height, width)
    side = min(height, width)
    return Box((height - side) / 2, (width - side) / 2, side, side)


def _soften(pixels: np.ndarray, box: Box, size: int, reduction: int) -> np.ndarray:
    """Blur a reduced JPEG, which is sharper than what Pillow's filter would leave."""
    if reduction == 1:
        return pixels
    down, across = (_taps(length / size, reduction) for length in (box.height, box.width))
    return cv2.sepFilter2D(pixels, -1, across, down, borderType=cv2.BORDER_REPLICATE)


def _taps(factor: float, reduction: int) -> np.ndarray:
    """The blur along one side, float32 [3].

    Pillow's bilinear filter is a triangle of half-width `factor`, of variance factor² / 6. A reduction by k has given
    (1 - 1 / k²) / 12 of it, the variance of a box of k pixels, and interpolation gives 1 / 6. Half of what is lacking
    is added: Pillow's default, bicubic, is sharper, and the result should be near both.
    """
    lacking = max(0.0, (factor**2 - 1) / 6 - (1 - reduction**-2) / 12)
    return np.array([lacking / 4, 1 - lacking / 2, lacking / 4], dtype=np.float32)


def _resample(pixels: np.ndarray, box: Box, size: int) -> np.ndarray:
    """Bring `box` to [size, size]. Below a factor of two, bilinear interpolation sees every pixel."""
    down, across = box.height / size, box.width / size
    if max(down, across) < 2 and not all(side.is_integer() for side in map(float, box)):
        corner = [[across, 0, box.left + across / 2 - 0.5], [0, down, box.top + down / 2 - 0.5]]
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return cv2.warpAffine(pixels, np.array(corner), (size, size), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    top, left, height, width = (round(side) for side in box)
    pixels = pixels[top : top + height, left : left + width]
    # Means of means: OpenCV halves a picture many times faster than it takes larger means. Each halving rounds up what
    # lies in the middle, which makes the picture lighter by an eighth of a level.
    while min(height, width) >= 4 * size and height % 2 == 0 and width % 2 == 0:
        height, width = height // 2, width // 2
        pixels = cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA)
    how = cv2.INTER_LINEAR if max(down, across) < 2 else cv2.INTER_AREA
    return cv2.resize(pixels, (size, size), interpolation=how)
