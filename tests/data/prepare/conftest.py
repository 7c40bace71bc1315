"""Small raw data sets in the official formats, as `acquire` leaves them, with pictures that are cheap to make."""

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
import simplejpeg

from protofair.data.attributes import CELEBA
from protofair.data.prepare.config import Prepare
from protofair.data.prepare.run import prepare
from protofair.data.raw import find_images

NIH_HEADER = (
    "Image Index,Finding Labels,Follow-up #,Patient ID,Patient Age,Patient Gender,View Position,"
    "OriginalImage[Width,Height],OriginalImagePixelSpacing[x,y]"
)


def photo(seed: int, height: int = 44, width: int = 36) -> np.ndarray:
    """Something as smooth as a photograph, uint8 [height, width, 3]."""
    noise = np.random.default_rng(seed).normal(size=(height, width, 3)).astype(np.float32)
    smooth = cv2.GaussianBlur(noise, (0, 0), 4)
    return np.clip(128 + 60 * smooth / smooth.std(), 0, 255).astype(np.uint8)


def png(pixels: np.ndarray) -> bytes:
    content: np.ndarray = cv2.imencode(".png", pixels)[1]
    return content.tobytes()


class Data:
    """A data folder with raw sets in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.declared: dict[str, tuple[str, str]] = {}

    def raw(self, key: str) -> Path:
        return self.root / "raw" / key

    def packed(self, key: str) -> Path:
        return self.root / "packed" / key

    def declare(self, key: str, dataset: str, source: str = "toy") -> None:
        """Write what `acquire` would of the files that are there."""
        self.declared[key] = dataset, source
        self.raw(key).mkdir(parents=True, exist_ok=True)
        (self.root / "acquired").mkdir(exist_ok=True)
        sizes = [entry.size for entry in find_images(self.raw(key))]
        images = {"sha256": "0" * 64, "count": len(sizes), "bytes": sum(sizes)}
        record = {"dataset": dataset, "source": source, "files": [], "images": images}
        (self.root / "acquired" / f"{key}.json").write_text(json.dumps(record))

    def celeba(self, images: int = 40, key: str = "celeba", source: str = "toy") -> None:
        """Names 000001.jpg and on; attributes by a fixed rule; six in ten train, two each validation and test."""
        names = [f"{index + 1:06d}.jpg" for index in range(images)]
        self.write_images(key, {name: simplejpeg.encode_jpeg(photo(i)) for i, name in enumerate(names)})
        rows = [" ".join(f"{v:2d}" for v in np.where(attributes(i), 1, -1)) for i in range(images)]
        lines = [str(images), " ".join(CELEBA) + " ", *(f"{n} {row}" for n, row in zip(names, rows, strict=True))]
        (self.raw(key) / "list_attr_celeba.txt").write_text("\n".join(lines) + "\n")
        partition = "".join(f"{name} {max(0, i % 10 - 7)}\r\n" for i, name in enumerate(names))
        (self.raw(key) / "list_eval_partition.txt").write_text(partition)
        self.declare(key, "celeba", source)

    def utkface(self, per_cell: int = 8, key: str = "utkface", source: str = "toy") -> list[str]:
        """The same number of images of each gender and of White and Black; returns the names."""
        names = [
            f"{20 + i}_{gender}_{race}_2017011617452{gender}{race}{i:02d}.jpg.chip.jpg"
            for gender in (0, 1)
            for race in (0, 1)
            for i in range(per_cell)
        ]
        self.write_images(key, {name: simplejpeg.encode_jpeg(photo(i)) for i, name in enumerate(names)})
        self.declare(key, "utkface", source)
        return names

    def nih(self, patients: int = 20, key: str = "nih", source: str = "toy") -> None:
        """Two exams of each patient, every fourth patient in the test list."""
        exams = [(patient, exam) for patient in range(1, patients + 1) for exam in (0, 1)]
        names = [f"{patient:08d}_{exam:03d}.png" for patient, exam in exams]
        self.write_images(key, {name: png(photo(i, 64, 64)[..., 0]) for i, name in enumerate(names)})
        rows = [
            f"{name},{'Pneumothorax|Mass' if patient % 3 == 0 else 'No Finding'},{exam},{patient},{30 + patient},"
            f"{'MF'[patient % 2]},{('PA', 'AP')[exam]},2500,2048,0.168,0.168"
            for name, (patient, exam) in zip(names, exams, strict=True)
        ]
        (self.raw(key) / "Data_Entry_2017_v2020.csv").write_text("\n".join([NIH_HEADER, *rows]) + "\n")
        for part, test in (("train_val_list.txt", False), ("test_list.txt", True)):
            listed = [name for name, (patient, _) in zip(names, exams, strict=True) if (patient % 4 == 0) == test]
            (self.raw(key) / part).write_text("\n".join(listed))
        self.declare(key, "nih", source)

    def write_images(self, key: str, files: dict[str, bytes]) -> None:
        folder = self.raw(key) / "images"
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)

    def prepare(self, key: str, *, workers: int = 1, say: Callable[[str], object] = print, **options: object) -> Path:
        """Prepare what is there now, declared again."""
        if options["acquire"] in self.declared:
            self.declare(options["acquire"], *self.declared[options["acquire"]])
        return self.prepare_as_declared(key, workers=workers, say=say, **options)

    def prepare_as_declared(
        self, key: str, *, workers: int = 1, say: Callable[[str], object] = print, **options: object
    ) -> Path:
        return prepare(key, Prepare.model_validate(options), data=self.root, workers=workers, say=say)


def attributes(index: int) -> np.ndarray:
    """0 or 1 for each of the 40, different for every index."""
    return np.array([(index + 3 * position) % 7 < 3 for position in range(len(CELEBA))], dtype=np.int64)


@pytest.fixture
def data(tmp_path: Path) -> Data:
    return Data(tmp_path / "data")


@pytest.fixture
def contents() -> Callable[[Path], dict[str, bytes]]:
    """All files of a folder by name."""
    return lambda folder: {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
