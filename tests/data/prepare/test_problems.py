from pathlib import Path

import pytest

from protofair.core.errors import UserError
from protofair.data.prepare.problems import Problem, by_kind, refuse_above, write_problems


def missing(count: int) -> list[Problem]:
    return [Problem("no-image", f"{number:03d}.jpg", "no file of this name") for number in range(count)]


def refuse(limit: float, problems: list[Problem], total: int, listing: Path = Path("unused")) -> None:
    refuse_above(limit, problems, total=total, where="data/raw/x", listing=listing)


@pytest.mark.parametrize(
    ("limit", "count", "total"), [(0.001, 0, 10), (0.001, 1, 10), (0.001, 24, 23_708), (0.5, 5, 10), (0.0, 0, 10)]
)
def test_tolerated_up_to_the_share_a_begun_image_counting_as_one(limit: float, count: int, total: int) -> None:
    refuse(limit, missing(count), total)


@pytest.mark.parametrize(("limit", "count", "total"), [(0.001, 2, 10), (0.001, 25, 23_708), (0.5, 6, 10), (0.0, 1, 10)])
def test_refused_above_it(limit: float, count: int, total: int, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=rf"data/raw/x: {count} labels without an image of {total:,}"):
        refuse(limit, missing(count), total, tmp_path / "list.csv")


def test_the_refusal_lists_everything_in_a_file(tmp_path: Path) -> None:
    listing = tmp_path / "list.csv"
    with pytest.raises(UserError, match=rf"(?s)000\.jpg: no file of this name.*{listing}.*max_problems \(now 0\.001\)"):
        refuse(0.001, missing(5), 10, listing)
    assert len(listing.read_text().splitlines()) == 6


def test_each_kind_has_its_own_count() -> None:
    refuse(0.1, [*missing(1), Problem("unreadable", "a.jpg", "damaged")], 10)


def test_one_image_counts_once_for_a_kind() -> None:
    again = Problem("no-image", "000.jpg", "another reason")
    assert [problem.id for problem in by_kind([*missing(2), again])["no-image"]] == ["000.jpg", "001.jpg"]


def test_the_list_is_the_same_whatever_order_they_were_found_in(tmp_path: Path) -> None:
    found = [*missing(3), Problem("no-label", "z, with a comma.jpg", 'and a "quote"')]
    for name, problems in (("a", found), ("b", found[::-1])):
        write_problems(tmp_path / name, problems)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").read_text().splitlines()[:2] == [
        "kind,id,detail",
        'no-label,"z, with a comma.jpg","and a ""quote"""',
    ]
