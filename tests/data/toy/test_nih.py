import csv
import io
import tarfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from protofair.data.attributes import FINDINGS
from protofair.data.toy import draw, nih


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nih")
    draw("nih", folder, images=210)
    return folder


def rows(folder: Path) -> list[list[str]]:
    with (folder / "Data_Entry_2017_v2020.csv").open(newline="") as file:
        return list(csv.reader(file))


def test_the_table_has_the_official_fields(folder: Path) -> None:
    header, *entries = rows(folder)
    assert header == [
        "Image Index", "Finding Labels", "Follow-up #", "Patient ID", "Patient Age", "Patient Gender", "View Position",
        "OriginalImage[Width", "Height]", "OriginalImagePixelSpacing[x", "y]",
    ]  # fmt: skip
    assert len(entries) == 210
    for name, findings, follow_up, patient, age, sex, view, *sizes in entries:
        assert name == f"{int(patient):08d}_{int(follow_up):03d}.png"
        assert findings == "No Finding" or set(findings.split("|")) <= set(FINDINGS)
        assert 0 < int(age) < 100
        assert (sex in "MF", view in ("PA", "AP"), len(sizes)) == (True, True, 4)


def test_the_archive_has_the_images_of_the_table_grey_but_for_a_few(folder: Path) -> None:
    with tarfile.open(folder / "images_001.tar.gz", "r:gz") as archive:
        members = archive.getmembers()
        assert [member.name for member in members] == [f"images/{row[0]}" for row in rows(folder)[1:]]
        images = [Image.open(io.BytesIO(archive.extractfile(member).read())) for member in members]
    assert {(image.format, image.size) for image in images} == {("PNG", (192, 192))}
    modes = [image.mode for image in images]
    assert (modes.count("L"), modes.count("RGBA")) == (209, 1)


def test_the_lists_share_no_patient_and_miss_no_image(folder: Path) -> None:
    development, test = ((folder / f"{name}.txt").read_text().split() for name in ("train_val_list", "test_list"))
    assert sorted(development + test) == sorted(row[0] for row in rows(folder)[1:])
    assert not {name[:8] for name in development} & {name[:8] for name in test}
    assert 0.35 < len(test) / 210 < 0.65


def test_a_patient_has_one_sex_and_counted_follow_ups() -> None:
    exams = nih.schedule(300, correlation=0.5, seed=0)
    assert len(exams) == 300
    of_patient: dict[int, list[nih.Exam]] = {}
    for exam in exams:
        of_patient.setdefault(exam.patient, []).append(exam)
    for patient in of_patient.values():
        assert len({exam.male for exam in patient}) == 1
        assert [exam.follow_up for exam in patient] == list(range(len(patient)))
    assert max(len(patient) for patient in of_patient.values()) > 1


@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_pneumothorax_has_the_correlation_asked_for_with_sex(correlation: float) -> None:
    exams = nih.schedule(4000, correlation=correlation, seed=0)
    sick, male = [["Pneumothorax" in exam.findings for exam in exams], [exam.male for exam in exams]]
    assert np.corrcoef(sick, male)[0, 1] == pytest.approx(correlation, abs=0.05)
