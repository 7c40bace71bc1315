"""A checkpoint is read as it was written, or not at all."""

import io

import pytest
import torch

from protofair.core.archive import load_archive


def saved(value) -> bytes:
    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()


def test_values_come_back():
    value = {"weight": torch.arange(100.0), "epoch": 3}
    read = load_archive(saved(value))
    assert torch.equal(read["weight"], value["weight"])
    assert read["epoch"] == 3


def test_a_changed_bit_of_a_weight_is_noticed():
    content = bytearray(saved({"weight": torch.full((100,), 7.0)}))
    place = content.index(torch.full((100,), 7.0).numpy().tobytes()) + 210
    content[place] ^= 1
    assert not torch.equal(torch.load(io.BytesIO(content), weights_only=True)["weight"], torch.full((100,), 7.0))
    with pytest.raises(ValueError, match="damaged"):
        load_archive(bytes(content))


@pytest.mark.parametrize("content", [b"", b"PK but no archive", saved({"a": 1})[:-100]])
def test_a_file_that_is_no_archive_is_refused(content):
    with pytest.raises(Exception, match="zip"):
        load_archive(content)


def test_nothing_but_values_is_loaded():
    with pytest.raises(Exception, match="weights_only"):
        load_archive(saved({"code": io.StringIO}))
