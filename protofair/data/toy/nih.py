"""Drawn chests as NIH ChestX-ray14 publishes its own: images_001.tar.gz, Data_Entry_2017_v2020.csv, two lists of files.

The pictures have 256 x 256 pixels; the official ones have 1024 x 1024.
"""

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from protofair.atomic import write_text
from protofair.data.toy.archive import write_tar_gz
from protofair.data.toy.chance import coin, stream, strength
from protofair.data.toy.chests import Chest, draw_chest

SIZE = 256
HEADER = (
    "Image Index,Finding Labels,Follow-up #,Patient ID,Patient Age,Patient Gender,View Position,"
    "OriginalImage[Width,Height],OriginalImagePixelSpacing[x,y]"
)
OTHERS = ("Atelectasis", "Cardiomegaly", "Effusion", "Infiltration", "Nodule", "Pleural_Thickening")
TEST_SHARE = 0.35
RGBA_EVERY = 200  # one picture in so many has four channels, as a few of the real ones have


@dataclass(frozen=True)
class Exam:
    """One row of the table."""

    patient: int
    follow_up: int
    male: bool
    age: int
    view: str
    findings: frozenset[str]

    @property
    def name(self) -> str:
        return f"{self.patient:08d}_{self.follow_up:03d}.png"

    @property
    def row(self) -> str:
        findings = "|".join(sorted(self.findings)) or "No Finding"
        who = f"{self.patient},{self.age},{'M' if self.male else 'F'}"
        return f"{self.name},{findings},{self.follow_up},{who},{self.view},{SIZE},{SIZE},0.143,0.143"


def write(folder: Path, *, images: int, correlation: float, seed: int) -> None:
    """Write the official files of `images` pictures."""
    exams = schedule(images, correlation=correlation, seed=seed)
    write_tar_gz(
        folder / "images_001.tar.gz",
        ((f"images/{exam.name}", _png(exam, index, seed=seed)) for index, exam in enumerate(exams)),
    )
    write_text(folder / "Data_Entry_2017_v2020.csv", "\n".join([HEADER, *(exam.row for exam in exams), ""]))
    test = {
        patient
        for patient in {exam.patient for exam in exams}
        if stream(seed, "nih", "split", patient).random() < TEST_SHARE
    }
    write_text(folder / "train_val_list.txt", "".join(f"{exam.name}\n" for exam in exams if exam.patient not in test))
    write_text(folder / "test_list.txt", "".join(f"{exam.name}\n" for exam in exams if exam.patient in test))


def schedule(images: int, *, correlation: float, seed: int) -> list[Exam]:
    """Patients with one to four exams each, until there are enough."""
    exams: list[Exam] = []
    patient = 0
    while len(exams) < images:
        patient += 1
        rng = stream(seed, "nih", "patient", patient)
        male, age = coin(rng), int(rng.integers(18, 85))
        for follow_up in range(int(rng.integers(1, 5))):
            found = {finding for finding in OTHERS if rng.random() < 0.06}
            if coin(rng, (male, correlation)):
                found.add("Pneumothorax")
            view = "PA" if rng.random() < 0.6 else "AP"
            exams.append(Exam(patient, follow_up, male, age, view, frozenset(found)))
    return exams[:images]


def picture(exam: Exam, index: int, *, seed: int) -> np.ndarray:
    """uint8 [256, 256]"""
    rng = stream(seed, "nih", "picture", index)
    chest = Chest(exam.male, exam.age, strength(rng, "Pneumothorax" in exam.findings, clarity=1.0))
    return draw_chest(chest, rng, size=SIZE)


def _png(exam: Exam, index: int, *, seed: int) -> bytes:
    image = picture(exam, index, seed=seed)
    if index % RGBA_EVERY == RGBA_EVERY - 1:
        image = cv2.cvtColor(image, cv2.COLOR_GRAY2BGRA)
    content: np.ndarray = cv2.imencode(".png", image, [cv2.IMWRITE_PNG_COMPRESSION, 1])[1]
    return content.tobytes()
