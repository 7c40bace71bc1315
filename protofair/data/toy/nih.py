"""Drawn chests as NIH ChestX-ray14 publishes its own: images_001.tar.gz, a table, and two lists of files.

The pictures have 192 x 192 pixels; the official ones have 1024 x 1024. Pneumothorax and sex are balanced coins: at the
real share of one in twenty, a small test set would have no cell large enough to measure.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from protofair.core.atomic import write_text
from protofair.data.toy.archive import write_tar_gz
from protofair.data.toy.chance import coin, stream, strength
from protofair.data.toy.chests import Chest, draw_chest

SIZE = 192
HEADER = (
    "Image Index,Finding Labels,Follow-up #,Patient ID,Patient Age,Patient Gender,View Position,"
    "OriginalImage[Width,Height],OriginalImagePixelSpacing[x,y]"
)
OTHERS = ("Atelectasis", "Cardiomegaly", "Effusion", "Infiltration", "Nodule", "Pleural_Thickening")
TEST_SHARE = 0.5
CLARITY = 1.2
RGBA_EVERY = 200  # one picture in so many has four channels, as a few of the real ones have


@dataclass(frozen=True)
class Exam:
    """One row of the table."""

    patient: int
    follow_up: int
    male: bool
    age: int
    view: str
    findings: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.patient:08d}_{self.follow_up:03d}.png"

    @property
    def row(self) -> str:
        findings = "|".join(self.findings) or "No Finding"
        who = f"{self.patient},{self.age},{'M' if self.male else 'F'}"
        return f"{self.name},{findings},{self.follow_up},{who},{self.view},{SIZE},{SIZE},0.143,0.143"


def write(folder: Path, *, images: int, correlation: float, seed: int) -> None:
    """Write the official files of `images` pictures."""
    exams = schedule(images, correlation=correlation, seed=seed)
    pngs = (_png(exam, index, seed=seed) for index, exam in enumerate(exams))
    members = zip((f"images/{exam.name}" for exam in exams), pngs, strict=True)
    write_tar_gz(folder / "images_001.tar.gz", members)
    write_text(folder / "Data_Entry_2017_v2020.csv", "\n".join([HEADER, *(exam.row for exam in exams), ""]))
    for file, wanted in (("train_val_list.txt", False), ("test_list.txt", True)):
        names = (exam.name for exam in exams if _in_test(exam.patient, seed=seed) == wanted)
        write_text(folder / file, "".join(f"{name}\n" for name in names))


def examples(count: int, *, correlation: float, seed: int) -> Iterator[tuple[np.ndarray, list[str]]]:
    """The first pictures, and what their labels say in words."""
    for index, exam in enumerate(schedule(count, correlation=correlation, seed=seed)):
        findings = [finding.replace("_", " ").lower() for finding in exam.findings]
        who = f"{'man' if exam.male else 'woman'}, {exam.age}, {exam.view}"
        yield cv2.merge([picture(exam, index, seed=seed)] * 3), [who, *(findings or ["no finding"])]


def schedule(images: int, *, correlation: float, seed: int) -> list[Exam]:
    """Patients with one to four exams each, until there are enough."""
    exams: list[Exam] = []
    patient = 0
    while len(exams) < images:
        patient += 1
        rng = stream(seed, "nih", "patient", patient)
        male, age = coin(rng), int(rng.integers(18, 85))
        for follow_up in range(int(rng.integers(1, 5))):
            findings = [finding for finding in OTHERS if rng.random() < 0.05]
            if coin(rng, (male, correlation)):
                findings.append("Pneumothorax")
            view = "PA" if rng.random() < 0.6 else "AP"
            exams.append(Exam(patient, follow_up, male, age, view, tuple(findings)))
    return exams[:images]


def picture(exam: Exam, index: int, *, seed: int) -> np.ndarray:
    """uint8 [192, 192]"""
    rng = stream(seed, "nih", "picture", index)
    air = strength(rng, "Pneumothorax" in exam.findings, clarity=CLARITY)
    chest = Chest(exam.male, exam.age, exam.view == "PA", frozenset(exam.findings), pneumothorax=air)
    return draw_chest(chest, rng, size=SIZE)


def _in_test(patient: int, *, seed: int) -> bool:
    return bool(stream(seed, "nih", "split", patient).random() < TEST_SHARE)


def _png(exam: Exam, index: int, *, seed: int) -> bytes:
    image = picture(exam, index, seed=seed)
    if index % RGBA_EVERY == RGBA_EVERY - 1:
        image = cv2.cvtColor(image, cv2.COLOR_GRAY2BGRA)
    huffman = [cv2.IMWRITE_PNG_STRATEGY, cv2.IMWRITE_PNG_STRATEGY_HUFFMAN_ONLY]  # thrice as fast, no larger
    content: np.ndarray = cv2.imencode(".png", image, huffman)[1]
    return content.tobytes()
