"""The cells as a table and as a picture."""

import io
import subprocess
import sys
from collections.abc import Callable
from xml.etree import ElementTree

import pandas as pd
import pytest

from protofair.core.errors import UserError
from protofair.data.split import Split, build_split
from protofair.data.split.cells import cells_csv, cells_svg, cells_text

Faces = Callable[..., pd.DataFrame]


def splits_of(table: pd.DataFrame) -> list[Split]:
    return [build_split(table, alpha=alpha, val_per_cell=2, test_per_cell=3) for alpha in (2, 2.5)]


def test_the_table_in_words(faces: Faces) -> None:
    one, other = splits_of(faces([[25, 12], [10, 1040]]))
    assert cells_text(one).splitlines() == [
        "alpha 2: gender by white, largest sizes, seed 0",
        "                     train      val     test   unused    ratio",
        "male, White             10        2        3       10        2",
        "female, White            5        2        3        0        1",
        "male, non-White          5        2        3        2        1",
        "female, non-White       10        2        3    1,025        2",
        "all                     30        8       12    1,037",
    ]
    assert "male, White             13        2        3        7      2.6" in cells_text(other)


@pytest.mark.parametrize("column", ["alpha", "cell", "train"])
def test_a_label_column_named_as_one_of_the_table_is_refused(column: str, faces: Faces) -> None:
    table = faces([[25, 12], [10, 40]]).rename(columns={"gender": column})
    split = build_split(table, alpha=2, target=column, val_per_cell=2, test_per_cell=3)
    with pytest.raises(UserError, match=f"cells.csv has a column '{column}' of its own. Rename"):
        cells_csv([split])


def test_the_table_as_csv(faces: Faces) -> None:
    text = cells_csv(splits_of(faces([[25, 12], [10, 40]])))
    assert text.splitlines()[:3] == [
        "alpha,gender,white,cell,train,val,test,unused",
        '2,0,1,"male, White",10,2,3,10',
        '2,1,1,"female, White",5,2,3,0',
    ]
    assert list(pd.read_csv(io.StringIO(text))["alpha"]) == [2] * 4 + [2.5] * 4


def test_the_picture_names_every_cell_and_count(faces: Faces) -> None:
    picture = ElementTree.fromstring(cells_svg(splits_of(faces([[25, 12], [10, 1040]]))))
    words = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {"alpha 2", "alpha 2.5", "train", "val", "test", "unused", "images"} <= set(words)
    for cell in ("male, White", "female, White", "male, non-White", "female, non-White"):
        assert words.count(cell) == 2
    assert words.count("train 10") == 2
    assert words.count("train 13") == 2


DRAW = """
import sys
import pandas as pd
from protofair.data.split import build_split
from protofair.data.split.cells import cells_svg

table = pd.read_csv(sys.stdin)
splits = [build_split(table, alpha=alpha, val_per_cell=2, test_per_cell=3) for alpha in (2, 2.5)]
sys.stdout.buffer.write(cells_svg(splits))
"""


def test_the_picture_has_the_same_bytes_in_another_process(faces: Faces) -> None:
    table = faces([[25, 12], [10, 40]])
    elsewhere = subprocess.run(
        [sys.executable, "-c", DRAW], check=True, capture_output=True, input=table.to_csv(index=False).encode()
    )
    assert elsewhere.stdout == cells_svg(splits_of(table))
