"""What torch has saved, read back: tensors and plain values only, and each as it was written."""

import io
import zipfile
from typing import Any

import torch


def load_archive(content: bytes) -> Any:
    """The value in torch's format, on the CPU; of a damaged one an exception, of which torch has many kinds.

    torch writes the archive's checksums and does not look at them: a changed bit would be a changed weight.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if damaged := archive.testzip():
            raise ValueError(f"{damaged} is damaged")
    return torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
