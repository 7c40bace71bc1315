"""From the bytes of an image file to pixels of the packed size.

Chosen on the numbers of bench/decode.py. A JPEG is decoded by libjpeg-turbo (simplejpeg), already reduced by a power of
two where its sides allow, which skips most of the inverse transform; OpenCV's bilinear interpolation does the rest. The
result is that of Pillow's `convert` and antialiased bilinear `resize` within a grey level on average, in a third of the
time or less. A PNG cannot be decoded reduced: OpenCV reads it whole.
"""

from typing import Literal

import cv2
import numpy as np
import simplejpeg

PNG = b"\x89PNG\r\n\x1a\n"
MAX_PIXELS = 2**26  # the largest official image has 2**20
MAX_REDUCTION = 8  # what libjpeg can do


class BrokenImageError(ValueError):
    """An image that cannot be decoded; its text says why."""


def decode(content: bytes, *, size: int, channels: int, crop: Literal["none", "centre"] = "none") -> np.ndarray:
    """The image in `content` as uint8 [size, size, channels], RGB or grey; alpha is ignored, 16 bits become 8."""
    try:
        if simplejpeg.is_jpeg(content):
            pixels, reduction = _decode_jpeg(content, size, channels)
        elif content.startswith(PNG):
            pixels, reduction = _decode_png(content, channels), 1
        else:
            raise BrokenImageError("neither a JPEG nor a PNG")
    except (ValueError, cv2.error) as error:
        raise BrokenImageError(" ".join(str(error).split())) from None
    if crop == "centre":
        pixels = _central_square(pixels)
    return _shrink(pixels, size, reduction).reshape(size, size, channels)


def _decode_jpeg(content: bytes, size: int, channels: int) -> tuple[np.ndarray, int]:
    """The pixels, reduced by a power of two that leaves at least `size`, and that power."""
    height, width, _, _ = simplejpeg.decode_jpeg_header(content)
    _refuse_giant(height, width)
    reduction = 1
    while (
        reduction < MAX_REDUCTION
        and height % (2 * reduction) == width % (2 * reduction) == 0
        and min(height, width) >= 2 * reduction * size
    ):
        reduction *= 2
    pixels: np.ndarray = simplejpeg.decode_jpeg(
        content,
        "RGB" if channels == 3 else "GRAY",
        min_height=height // reduction,
        min_width=width // reduction,
        fastupsample=True,
    )
    return pixels, reduction


def _decode_png(content: bytes, channels: int) -> np.ndarray:
    _refuse_giant(int.from_bytes(content[20:24], "big"), int.from_bytes(content[16:20], "big"))
    mode = cv2.IMREAD_COLOR_RGB if channels == 3 else cv2.IMREAD_GRAYSCALE
    pixels = cv2.imdecode(np.frombuffer(content, np.uint8), mode | cv2.IMREAD_IGNORE_ORIENTATION)
    if pixels is None:
        raise BrokenImageError("damaged PNG")
    return pixels


def _refuse_giant(height: int, width: int) -> None:
    if height * width > MAX_PIXELS:
        raise BrokenImageError(f"claims {width} x {height} pixels")


def _central_square(pixels: np.ndarray) -> np.ndarray:
    height, width = pixels.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    return pixels[top : top + side, left : left + side]


def _shrink(pixels: np.ndarray, size: int, reduction: int) -> np.ndarray:
    """Resize to [size, size]; bilinear interpolation sees every pixel as long as the factor is below two."""
    factors = pixels.shape[1] / size, pixels.shape[0] / size
    if max(factors) >= 2:
        return cv2.resize(pixels, (size, size), interpolation=cv2.INTER_AREA)
    if reduction > 1:
        across, down = (_blur(factor, reduction) for factor in factors)
        pixels = cv2.sepFilter2D(pixels, -1, across, down, borderType=cv2.BORDER_REPLICATE)
    return cv2.resize(pixels, (size, size), interpolation=cv2.INTER_LINEAR)


def _blur(factor: float, reduction: int) -> np.ndarray:
    """Three taps that make up for what a reduced JPEG lacks in softness, float32 [3].

    Pillow's filter is a triangle of half-width `factor`, of variance factor² / 6. A reduction by k has given
    (1 - 1 / k²) / 12 of it, the variance of a box of k pixels, and interpolation gives 1 / 6.
    """
    lacking = max(0.0, (factor**2 - 1) / 6 - (1 - reduction**-2) / 12)
    return np.array([lacking / 2, 1 - lacking, lacking / 2], dtype=np.float32)
