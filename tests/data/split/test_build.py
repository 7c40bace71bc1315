"""The alpha split builder."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from protofair.core.errors import UserError
from protofair.data.split import Split, build_split

Faces = Callable[..., pd.DataFrame]
sizes_of_cells = st.tuples(*[st.integers(12, 40)] * 4)
small = {"val_per_cell": 3, "test_per_cell": 4}


def table_of(cells: tuple[int, int, int, int]) -> pd.DataFrame:
    """Names in the four cells White men, White women, other men, other women."""
    kinds = [(0, 1), (1, 1), (0, 0), (1, 0)]
    rows = [(f"{kind}-{number}", *kinds[kind]) for kind, count in enumerate(cells) for number in range(count)]
    return pd.DataFrame(rows, columns=["id", "gender", "white"])


def cell_counts(table: pd.DataFrame, split: Split, part: str) -> Counter[tuple[int, int]]:
    """Images of a part by (gender, white), counted from the assignment and nothing else."""
    chosen = table[split.assigned == part]
    return Counter(zip(chosen["gender"], chosen["white"], strict=True))


def members(table: pd.DataFrame, split: Split, part: str) -> set[str]:
    return set(table["id"][split.assigned == part])


@given(sizes_of_cells, st.integers(1, 5), st.integers(0, 3))
def test_the_ratio_is_exact_and_the_held_out_sets_are_balanced(
    cells: tuple[int, int, int, int], alpha: int, seed: int
) -> None:
    table = table_of(cells)
    split = build_split(table, alpha=alpha, seed=seed, **small)
    train = cell_counts(table, split, "train")
    assert train[0, 1] == alpha * train[1, 1] > 0  # White men : women = alpha : 1
    assert train[1, 0] == alpha * train[0, 0] > 0  # other men : women = 1 : alpha
    assert cell_counts(table, split, "val") == dict.fromkeys([(0, 0), (0, 1), (1, 0), (1, 1)], 3)
    assert cell_counts(table, split, "test") == dict.fromkeys([(0, 0), (0, 1), (1, 0), (1, 1)], 4)
    assert set(split.assigned) <= {"train", "val", "test", ""}


@given(sizes_of_cells, st.integers(1, 5))
def test_no_larger_training_set_has_the_ratio(cells: tuple[int, int, int, int], alpha: int) -> None:
    table = table_of(cells)
    train = (build_split(table, alpha=alpha, **small).assigned == "train").sum()
    white_men, white_women, other_men, other_women = (size - 7 for size in cells)
    possible = [
        2 * (alpha + 1) * rare
        for rare in range(1, 40)
        if alpha * rare <= min(white_men, other_women) and rare <= min(white_women, other_men)
    ]
    assert train == max(possible)


@given(sizes_of_cells, st.integers(100, 500))
def test_a_broken_ratio_is_met_to_the_nearest_image(cells: tuple[int, int, int, int], hundredths: int) -> None:
    alpha = hundredths / 100
    train = cell_counts(table := table_of(cells), build_split(table, alpha=alpha, **small), "train")
    assert 2 * abs(100 * train[0, 1] - hundredths * train[1, 1]) <= 100
    assert train[0, 1] == train[1, 0]
    assert train[1, 1] == train[0, 0]


@given(sizes_of_cells, st.permutations(list(range(12))), st.integers(1, 5))
def test_the_order_of_the_table_does_not_matter(cells: tuple[int, int, int, int], order: list[int], alpha: int) -> None:
    table = table_of(cells)
    rows = np.argsort([order[row % 12] * 1000 + row for row in range(len(table))])
    shuffled = table.iloc[rows].reset_index(drop=True)
    one, other = build_split(table, alpha=alpha, **small), build_split(shuffled, alpha=alpha, **small)
    assert dict(zip(table["id"], one.assigned, strict=True)) == dict(zip(shuffled["id"], other.assigned, strict=True))


@given(sizes_of_cells, st.sets(st.floats(1, 5), min_size=2, max_size=4), st.integers(0, 3))
def test_every_alpha_has_the_same_validation_and_test_set(
    cells: tuple[int, int, int, int], alphas: set[float], seed: int
) -> None:
    table = table_of(cells)
    splits = [build_split(table, alpha=alpha, seed=seed, **small) for alpha in alphas]
    for part in ("val", "test"):
        assert len({frozenset(members(table, split, part)) for split in splits}) == 1


@given(sizes_of_cells, st.sampled_from([(2, 3), (1, 4), (1.5, 4), (1, 2, 4)]))
def test_equal_sizes_are_equal_and_still_exact(cells: tuple[int, int, int, int], alphas: tuple[float, ...]) -> None:
    table = table_of(tuple(size + 30 for size in cells))
    splits = {alpha: build_split(table, alpha=alpha, sizes="equal", equal_to=alphas, **small) for alpha in alphas}
    assert len({(split.assigned == "train").sum() for split in splits.values()}) == 1
    for alpha, split in splits.items():
        train = cell_counts(table, split, "train")
        assert 2 * abs(train[0, 1] - alpha * train[1, 1]) <= 1
        assert train[0, 1] == train[1, 0]


def test_another_seed_takes_other_images_of_the_same_numbers(faces: Faces) -> None:
    table = faces([[60, 60], [60, 60]])
    one, other = build_split(table, alpha=2, seed=0, **small), build_split(table, alpha=2, seed=1, **small)
    pd.testing.assert_frame_equal(one.cells, other.cells)
    for part in ("train", "val", "test"):
        assert members(table, one, part) != members(table, other, part)


def test_the_images_taken_are_fixed_for_good() -> None:
    """The first of each cell by the SHA-256 of '0:<id>', then the next: another order changes everybody's splits."""
    table = table_of((12, 12, 12, 12))
    split = build_split(table, alpha=2, val_per_cell=1, test_per_cell=1)
    assert sorted(members(table, split, "test")) == ["0-2", "1-5", "2-3", "3-10"]
    assert sorted(members(table, split, "val")) == ["0-11", "1-1", "2-11", "3-5"]


def test_the_cells_are_what_was_assigned(faces: Faces) -> None:
    table = faces([[50, 9, 9, 9, 9], [40, 11, 11, 11, 11]])
    split = build_split(table, alpha=3, **small)
    for cell in split.cells.itertuples():
        rows = (table["gender"] == cell.target) & (table["white"] == cell.sensitive)
        counted = Counter(split.assigned[rows])
        assert (cell.train, cell.val, cell.test, cell.unused) == tuple(counted[p] for p in ("train", "val", "test", ""))
    assert split.cells[["train", "val", "test", "unused"]].to_numpy().sum() == len(table)


def test_five_ethnicities_white_against_each_of_the_others(faces: Faces) -> None:
    table = faces([[40, 20, 25, 30, 35], [20, 40, 45, 50, 55]])
    split = build_split(table, alpha=3, sensitive="race", **small)
    train = split.cells.set_index(["sensitive", "target"])["train"]
    assert train[0, 0] == 3 * train[0, 1] == 33
    for race in range(1, 5):
        assert train[race, 1] == 3 * train[race, 0] == 33


def test_five_ethnicities_as_the_target(faces: Faces) -> None:
    table = faces([[40, 20, 25, 30, 35], [20, 40, 45, 50, 55]])
    train = build_split(table, alpha=3, target="race", sensitive="gender", **small).cells.set_index(
        ["sensitive", "target"]
    )["train"]
    assert [train[0, race] for race in range(5)] == [33, 11, 11, 11, 11]
    assert [train[1, race] for race in range(5)] == [11, 33, 33, 33, 33]


def test_age_is_cut_at_a_threshold(faces: Faces) -> None:
    table = faces([[80, 80], [80, 80]])
    split = build_split(table, alpha=2, target="age>=35", sensitive="gender", **small)
    old = (table["age"] >= 35).astype(int)
    train = Counter(zip(old[split.assigned == "train"], table["gender"][split.assigned == "train"], strict=True))
    assert train[0, 0] == 2 * train[1, 0]  # men: young : old = 2 : 1
    assert train[1, 1] == 2 * train[0, 1]


def test_a_cell_can_be_used_up_to_the_last_image(faces: Faces) -> None:
    table = faces([[7 + 10, 20], [20, 7 + 10]])
    split = build_split(table, alpha=10, **small)
    assert sorted(split.cells["train"]) == [1, 1, 10, 10]


@pytest.mark.parametrize("alpha", [10.4, 11, 1e9])
def test_an_alpha_too_high_is_refused_with_the_largest_that_works(faces: Faces, alpha: float) -> None:
    table = faces([[7 + 10, 20], [20, 7 + 12]])
    with pytest.raises(UserError, match=r"alpha .* leaves no image.* The largest alpha that works is 10\.$"):
        build_split(table, alpha=alpha, **small)
    build_split(table, alpha=10, **small)


def test_an_alpha_too_high_among_equal_sizes_is_refused(faces: Faces) -> None:
    table = faces([[17, 20], [20, 17]])
    with pytest.raises(UserError, match=r"alpha 50 leaves .* is 10\."):
        build_split(table, alpha=2, sizes="equal", equal_to=(2, 50), **small)


def test_a_cell_too_small_for_the_held_out_sets_is_refused_with_what_works(faces: Faces) -> None:
    table = faces([[40, 20], [6, 30]])
    with pytest.raises(
        UserError, match=r"cell \(female, White\) has 6 images.*With val_per_cell and test_per_cell 2 .* works is 26\.$"
    ):
        build_split(table, alpha=2, **small)
    assert (build_split(table, alpha=26, val_per_cell=2, test_per_cell=2).cells["train"] > 0).all()


def test_a_cell_without_images_is_refused(faces: Faces) -> None:
    with pytest.raises(UserError, match=r"cell \(female, non-White\) has 0 images.*No alpha works"):
        build_split(faces([[40, 20], [20, 0]]), alpha=2, **small)


@given(st.tuples(*[st.integers(0, 25)] * 4), st.integers(1, 30))
def test_the_largest_alpha_in_a_refusal_is_right(cells: tuple[int, int, int, int], alpha: int) -> None:
    """It works, and one more does not."""
    table = table_of(cells)
    assume(min(cells) >= 1)
    try:
        build_split(table, alpha=alpha, val_per_cell=2, test_per_cell=2)
    except UserError as error:
        assume("With val_per_cell" not in str(error) and "No alpha works" not in str(error))
        largest = int(str(error).rstrip(".").split()[-1])
        assert largest < alpha
        build_split(table, alpha=largest, val_per_cell=2, test_per_cell=2)
        with pytest.raises(UserError):
            build_split(table, alpha=largest + 1, val_per_cell=2, test_per_cell=2)


@pytest.mark.parametrize("alpha", [0.99, 0, -2, float("nan"), float("inf")])
def test_an_alpha_below_one_or_no_number_is_refused(faces: Faces, alpha: float) -> None:
    with pytest.raises(UserError, match="'alpha'"):
        build_split(faces([[40, 20], [20, 40]]), alpha=alpha, **small)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "gendre"}, "no attribute 'gendre'. Did you mean 'gender'?"),
        ({"sensitive": "age"}, "Cut it at a threshold: 'age>=35'"),
        ({"sensitive": "age>=500"}, "attribute 'age>=500' has the same value in every image"),
        ({"val_per_cell": -1}, "'val_per_cell'"),
        ({"sizes": "equal", "equal_to": (3, 4)}, "alpha 2 is not among the alphas of equal size"),
        ({"sizes": "equal", "equal_to": (0.5, 2)}, "an alpha below 1"),
    ],
)
def test_wrong_options_are_refused(faces: Faces, options: dict[str, object], message: str) -> None:
    with pytest.raises(UserError) as caught:
        build_split(faces([[40, 20], [20, 40]]), **({"alpha": 2, **small} | options))
    assert message in str(caught.value)


def test_no_common_size_is_refused(faces: Faces) -> None:
    """One rare cell of one image: alpha 2 has two frequent cells of 2, alpha 3 of 3."""
    with pytest.raises(UserError, match="no size of the training set suits all of alpha 2, 3"):
        build_split(faces([[10, 8], [8, 10]]), alpha=2, sizes="equal", equal_to=(2, 3), **small)


def test_an_id_that_is_there_twice_is_refused() -> None:
    table = table_of((20, 20, 20, 20))
    with pytest.raises(UserError, match="'0-0' is there twice"):
        build_split(pd.concat([table, table[:1]]), alpha=2, **small)
