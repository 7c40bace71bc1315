import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from protofair.data.prepare import write
from protofair.data.prepare.card import render_card
from protofair.data.prepare.official import OFFICIAL, compare

CELEBA = {"acquire": "celeba", "dataset": "celeba", "size": 16}
UTKFACE = {"acquire": "utkface", "dataset": "utkface", "size": 16}
SPLIT = {"alpha": 2, "val_per_cell": 1, "test_per_cell": 1}


class Text(HTMLParser):
    """The text and the tags of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text, self.open, self.tags = "", [], []
        self.feed(page)
        self.text = " ".join(self.text.split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, text: str) -> None:
        self.text += f" {text}"


def card_of(folder: Path) -> tuple[dict[str, Any], Text]:
    return json.loads((folder / "card.json").read_text()), Text((folder / "card.html").read_text())


def test_cells_and_majority_rates(data: Any) -> None:
    data.utkface(per_cell=8)
    card, page = card_of(data.prepare("u", **UTKFACE, split=SPLIT))
    (pair,) = card["pairs"]
    assert (pair["target"], pair["sensitive"]) == ("gender", "white")
    assert pair["target_values"] == ["male", "female"]
    assert pair["sensitive_values"] == ["non-White", "White"]
    assert pair["splits"]["train"] == {"cells": [[3, 6], [6, 3]], "majority": 50.0}
    assert card["splits"] == {"train": 18, "val": 4, "test": 4, "": 6}
    assert "in no split 6" in page.text
    assert page.open == []


def test_a_majority_rate_is_that_of_the_most_frequent_value(data: Any) -> None:
    data.celeba(40)
    folder = data.prepare("c", **CELEBA, pairs=[{"target": "Male", "sensitive": "Young"}])
    part = card_of(folder)[0]["pairs"][0]["splits"]["train"]
    males = [(i + 3 * 20) % 7 < 3 for i in range(40) if i % 10 < 8]
    assert sum(part["cells"][1]) == sum(males)
    assert part["majority"] == round(100 * max(sum(males), 32 - sum(males)) / 32, 2)


def test_an_empty_cell_is_a_warning_and_no_crash(data: Any) -> None:
    data.celeba(10)
    card, page = card_of(data.prepare("c", **CELEBA))
    assert any(warning.startswith("val has an empty cell of") for warning in card["warnings"])
    assert "val has an empty cell of" in page.text


def test_a_split_without_images_is_no_crash(data: Any) -> None:
    data.celeba(7)
    card, page = card_of(data.prepare("c", **CELEBA))
    assert card["splits"] == {"train": 7, "val": 0, "test": 0, "": 0}
    assert card["pairs"][0]["splits"]["val"]["majority"] is None
    assert "majority rate none" in page.text


def test_drawn_data_is_compared_with_nothing(data: Any) -> None:
    data.celeba(20)
    card, page = card_of(data.prepare("c", **CELEBA))
    assert card["checks"] == []
    assert "Embedded drawings" in page.text
    assert "Against the official set" not in page.text


def test_what_differs_from_the_official_set_is_said(data: Any) -> None:
    data.celeba(20, source="official")
    warnings: list[str] = []
    card, page = card_of(data.prepare("c", **CELEBA, say=warnings.append))
    assert {"what": "images", "found": 20, "official": 202_599, "agrees": False} in card["checks"]
    assert "warning: images: 20 here, 202,599 in the official set" in warnings
    assert "images 20 202,599 differs" in page.text


@pytest.mark.parametrize(
    ("dataset", "gone", "what"),
    [("celeba", "000001.jpg", "images in train"), ("nih", "00000004_000.png", "images in test")],
)
def test_what_is_packed_is_compared_not_the_rows_of_the_tables(dataset: str, gone: str, what: str, data: Any) -> None:
    getattr(data, dataset)(source="official")
    (data.raw(dataset) / "images" / gone).unlink()
    card, _ = card_of(data.prepare("x", acquire=dataset, dataset=dataset, size=8))
    found = {check["what"]: check["found"] for check in card["checks"]}
    assert found["images"] == card["shape"][0] == 39
    assert found[what] == card["splits"][what.removeprefix("images in ")]


def test_a_chosen_part_is_compared_with_nothing(data: Any) -> None:
    data.nih(source="official")
    assert card_of(data.prepare("n", acquire="nih", dataset="nih", size=8, views="PA"))[0]["checks"] == []


@pytest.mark.parametrize("dataset", ["celeba", "utkface", "nih"])
def test_every_official_number_is_looked_for(dataset: str, data: Any) -> None:
    getattr(data, dataset)(source="official")
    split = {"split": SPLIT} if dataset == "utkface" else {}
    card, _ = card_of(data.prepare("x", acquire=dataset, dataset=dataset, size=8, **split))
    assert [check["what"] for check in card["checks"]] == list(OFFICIAL[dataset])


def test_a_set_with_the_official_numbers_agrees() -> None:
    assert all(check.agrees for check in compare("nih", dict(OFFICIAL["nih"])))
    (differs,) = [c for c in compare("nih", OFFICIAL["nih"] | {"patients": 30_804}) if not c.agrees]
    assert str(differs) == "patients: 30,804 here, 30,805 in the official set"


def test_identical_images_in_two_splits_are_a_warning(data: Any) -> None:
    data.celeba(20)
    images = data.raw("celeba") / "images"
    (images / "000010.jpg").write_bytes((images / "000001.jpg").read_bytes())
    card, _ = card_of(data.prepare("c", **CELEBA))
    assert "1 groups of byte-identical images are in two splits" in card["warnings"]
    assert card["shape"][0] == 20
    assert card["identical"]["first"][0]["kept"] == ["000001.jpg", "000010.jpg"]


def test_how_many_of_the_dropped_groups_are_shown(data: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    names = data.utkface(per_cell=8)
    images = data.raw("utkface") / "images"
    for name in names[:2]:
        (images / name.replace("_0_", "_1_", 1)).write_bytes((images / name).read_bytes())
    _, page = card_of(data.prepare("u", **UTKFACE, split=SPLIT))
    assert "Groups dropped 20_0_0" in page.text
    monkeypatch.setattr(write, "LISTED", 1)
    _, page = card_of(data.prepare("u", **UTKFACE, split=SPLIT))
    assert "Groups dropped, 1 of 2 shown" in page.text


def test_what_is_doubtful_but_kept_is_not_among_the_dropped(data: Any) -> None:
    data.nih()
    table = data.raw("nih") / "Data_Entry_2017_v2020.csv"
    table.write_text(table.read_text().replace(",1,31,", ",1,414,", 1))
    _, page = card_of(data.prepare("n", acquire="nih", dataset="nih", size=8))
    assert "Dropped, and why Nothing. Kept, though doubtful implausible values" in page.text


def test_the_page_needs_no_other_and_escapes_what_it_shows(data: Any) -> None:
    data.utkface(per_cell=8)
    data.write_images("utkface", {"<script>alert(1)<.jpg": b"x"})
    folder = data.prepare("u", **UTKFACE, split=SPLIT)
    card, page = card_of(folder)
    assert "<script>alert(1)<.jpg" in page.text
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "link", "img", "iframe"})
    assert "url(" not in (folder / "card.html").read_text()
    assert "prefers-color-scheme: dark" in (folder / "card.html").read_text()
    hostile = card | {"key": '"><b>', "licence": {"name": "<i>", "url": '"onclick="x'}, "warnings": ["<u>"]}
    tags = Text(render_card(hostile)).tags
    assert {tag for tag, _ in tags}.isdisjoint({"b", "i", "u"})
    assert all("onclick" not in attributes for _, attributes in tags)


def test_why_an_image_was_dropped_is_shown(data: Any) -> None:
    data.utkface(per_cell=8)
    data.write_images("utkface", {"39_1_20170116174525125.jpg.chip.jpg": b"x"})
    _, page = card_of(data.prepare("u", **UTKFACE, split=SPLIT))
    assert "39_1_20170116174525125.jpg.chip.jpg no race field" in page.text
