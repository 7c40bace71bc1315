from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protofair.core.errors import UserError
from protofair.data.attributes import FINDINGS
from protofair.data.prepare.nih import Exam, read_exams, read_nih, validation_patients

HEADER = (
    "Image Index,Finding Labels,Follow-up #,Patient ID,Patient Age,Patient Gender,View Position,"
    "OriginalImage[Width,Height],OriginalImagePixelSpacing[x,y]"
)
exams = st.builds(
    Exam,
    findings=st.frozensets(st.sampled_from(FINDINGS), max_size=4),
    patient=st.integers(1, 30_805),
    age=st.integers(0, 999),
    sex=st.sampled_from([0, 1]),
    view=st.sampled_from([0, 1]),
)
tables = st.dictionaries(st.integers(0, 9999).map(lambda n: f"0000{n:04d}_000.png"), exams, max_size=6)


def row(name: str, exam: Exam, *, age: str = "{}", end: str = "") -> str:
    findings = "|".join(sorted(exam.findings)) or "No Finding"
    who = f"{exam.patient},{age.format(exam.age)},{'FM'[exam.sex]},{('PA', 'AP')[exam.view]}"
    return f"{name},{findings},0,{who},2682,2749,0.143,0.143{end}"


def read(content: str) -> tuple[dict[str, Exam], list]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "Data_Entry_2017_v2020.csv"
        path.write_bytes(content.encode())
        return read_exams(path)


@given(tables, st.sampled_from(["\n", "\r\n"]))
def test_the_table_is_read_back(table: dict[str, Exam], end: str) -> None:
    assert len(HEADER.split(",")) == 11
    assert read(end.join([HEADER, *(row(name, exam) for name, exam in table.items()), ""])) == (table, [])


@given(tables)
def test_so_is_the_edition_of_2017_with_its_ages_and_last_comma(table: dict[str, Exam]) -> None:
    lines = [row(name, exam, age="{:03d}Y", end=",") for name, exam in table.items()]
    assert read("\n".join([f"{HEADER},", *lines])) == (table, [])


@pytest.mark.parametrize(("written", "years"), [("058Y", 58), ("011M", 0), ("025M", 2), ("005D", 0), ("7", 7)])
def test_ages(written: str, years: int) -> None:
    table, _ = read(f"{HEADER}\na.png,No Finding,0,1,{written},M,PA,1,1,1,1\n")
    assert table["a.png"].age == years


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a.png,No Finding,0,1,58,M,PA,1,1,1", "line 3: 10 fields, the header has 11"),
        ("a.png,Pneumotorax,0,1,58,M,PA,1,1,1,1", "line 3: unknown finding 'Pneumotorax'. Did you mean 'Pneumothorax'"),
        ("a.png,Mass|No Finding,0,1,58,M,PA,1,1,1,1", "line 3: 'No Finding' together with a finding"),
        ("a.png,,0,1,58,M,PA,1,1,1,1", "line 3: unknown finding ''"),
        ("a.png,Mass,0,1,old,M,PA,1,1,1,1", "line 3: age 'old' is not a number of years"),
        ("a.png,Mass,0,one,58,M,PA,1,1,1,1", "line 3: patient 'one' is not a number"),
        ("a.png,Mass,0,1,58,X,PA,1,1,1,1", "line 3: 'X' is not F or M"),
        ("a.png,Mass,0,1,58,M,LL,1,1,1,1", "line 3: 'LL' is not PA or AP"),
    ],
)
def test_a_malformed_row_names_its_line(line: str, message: str) -> None:
    with pytest.raises(UserError, match=rf"Data_Entry_2017_v2020\.csv: {message}"):
        read(f"{HEADER}\nb.png,Mass,0,1,58,M,PA,1,1,1,1\n{line}\n")


@pytest.mark.parametrize(
    "header", ["Image,Labels", HEADER.replace("Width", "Height", 1), f"{HEADER},more", HEADER.removesuffix(",y]")]
)
def test_another_header_is_refused(header: str) -> None:
    with pytest.raises(
        UserError, match=r"line 1: the header must be Image Index, Finding Labels.*Delete this file first"
    ):
        read(f"{header}\n")


@given(st.text(max_size=200))
def test_no_text_at_all_causes_anything_but_a_clear_error(content: str) -> None:
    with pytest.raises(UserError, match="Data_Entry_2017_v2020"):
        read(content)


@given(st.sets(st.integers(1, 10_000), min_size=1, max_size=60), st.randoms(), st.integers(0, 5))
def test_validation_patients_follow_from_the_seed_alone(patients: set[int], random: object, seed: int) -> None:
    chosen = validation_patients(patients, share=0.13, seed=seed)
    assert chosen <= patients
    assert len(chosen) == round(0.13 * len(patients))
    shuffled = list(patients)
    random.shuffle(shuffled)
    assert validation_patients(shuffled, share=0.13, seed=seed) == chosen


def test_another_seed_takes_other_patients() -> None:
    first, second = (validation_patients(range(1000), share=0.13, seed=seed) for seed in (0, 1))
    assert first != second


def write_set(folder: Path, *, train_val: list[str], test: list[str]) -> None:
    """Patients 1 to 20 with two exams each: 00000001_000.png and so on."""
    rows = [
        row(f"{p:08d}_{e:03d}.png", Exam(frozenset({"Hernia"} if p == 3 else ()), p, 40 + p, p % 2, e))
        for p in range(20, 0, -1)
        for e in (0, 1)
    ]
    (folder / "Data_Entry_2017_v2020.csv").write_text("\n".join([HEADER, *rows]))
    (folder / "train_val_list.txt").write_text("\n".join(train_val))
    (folder / "test_list.txt").write_bytes("\r\n".join(test).encode())


def images_of(*patients: int) -> list[str]:
    return [f"{patient:08d}_{exam:03d}.png" for patient in patients for exam in (0, 1)]


def test_patients_are_never_divided(tmp_path: Path) -> None:
    write_set(tmp_path, train_val=images_of(*range(1, 16)), test=images_of(*range(16, 21)))
    labelled = read_nih(tmp_path, views="all", val_share=0.2, seed=0)
    table = labelled.table
    assert list(table["id"]) == sorted(images_of(*range(1, 21)))
    assert table.groupby("patient")["split"].nunique().eq(1).all()
    assert table.groupby("split")["patient"].nunique().to_dict() == {"test": 5, "train": 12, "val": 3}
    assert set(table.loc[table["split"] == "test", "patient"]) == set(range(16, 21))
    assert table.loc[table["patient"] == 3, "Hernia"].tolist() == [1, 1]
    assert table["Hernia"].sum() == 2
    assert labelled.problems == []


def test_a_view_can_be_left_out_and_is_then_counted(tmp_path: Path) -> None:
    write_set(tmp_path, train_val=images_of(*range(1, 16)), test=images_of(*range(16, 21)))
    every, frontal = (read_nih(tmp_path, views=views, val_share=0.2, seed=0) for views in ("all", "PA"))
    assert set(frontal.table["view"]) == {0}
    assert len(frontal.table) == 20
    assert frontal.left_out == {"view other than PA": [f"{patient:08d}_001.png" for patient in range(1, 21)]}
    assert every.left_out == {}


def test_a_patient_in_both_lists_is_refused(tmp_path: Path) -> None:
    write_set(tmp_path, train_val=["00000001_000.png"], test=["00000001_001.png"])
    with pytest.raises(
        UserError, match=r"patient 1 is in train_val_list\.txt and, with 00000001_001\.png, in test_list"
    ):
        read_nih(tmp_path, views="all", val_share=0.13, seed=0)
    write_set(tmp_path, train_val=["00000001_000.png"], test=["00000001_000.png"])
    with pytest.raises(UserError, match=r"00000001_000\.png is in train_val_list\.txt and in test_list\.txt"):
        read_nih(tmp_path, views="all", val_share=0.13, seed=0)


def test_rows_and_list_entries_without_their_counterpart_are_problems(tmp_path: Path) -> None:
    write_set(tmp_path, train_val=[*images_of(*range(2, 16)), "99999999_000.png"], test=images_of(*range(16, 21)))
    labelled = read_nih(tmp_path, views="all", val_share=0.13, seed=0)
    assert {(problem.kind, problem.id) for problem in labelled.problems} == {
        ("no-split", "00000001_000.png"),
        ("no-split", "00000001_001.png"),
        ("no-label", "99999999_000.png"),
    }
    assert 1 not in set(labelled.table["patient"])


def test_an_impossible_age_is_kept_and_reported(tmp_path: Path) -> None:
    write_set(tmp_path, train_val=images_of(*range(1, 16)), test=images_of(*range(16, 21)))
    path = tmp_path / "Data_Entry_2017_v2020.csv"
    path.write_text(path.read_text().replace("00000003_001.png,Hernia,0,3,43", "00000003_001.png,Hernia,0,3,414"))
    labelled = read_nih(tmp_path, views="all", val_share=0.13, seed=0)
    assert [(p.kind, p.id, p.detail) for p in labelled.problems] == [("implausible", "00000003_001.png", "age 414")]
    assert labelled.table["age"].max() == 414
