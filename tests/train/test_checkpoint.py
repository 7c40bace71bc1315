import pytest
import torch

import protofair.train.checkpoint as checkpoint
from protofair.core.archive import load_archive
from protofair.train.checkpoint import Checkpoints, serialise


@pytest.fixture
def checkpoints(tmp_path):
    return Checkpoints(tmp_path / "run")


def state(step: int) -> dict:
    return {"step": step, "weights": torch.full((5, 3), float(step)), "text": "x", "nested": {"empty": None}}


def test_the_last_state_comes_back(checkpoints):
    assert checkpoints.load() is None
    for step in (1, 2, 3):
        checkpoints.save(state(step))
    loaded = checkpoints.load()
    assert loaded["step"] == 3
    assert torch.equal(loaded["weights"], state(3)["weights"])
    assert sorted(path.name for path in checkpoints.folder.iterdir()) == ["last.state", "previous.state"]


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "gone"])
def test_a_damaged_last_state_gives_way_to_the_previous(checkpoints, damage):
    checkpoints.save(state(1))
    checkpoints.save(state(2))
    content = bytearray(checkpoints.last.read_bytes())
    content[len(content) // 2] ^= 1
    damaged = {"cut": bytes(content[:-100]), "flipped": bytes(content), "empty": b""}
    if damage == "gone":
        checkpoints.last.unlink()
    else:
        checkpoints.last.write_bytes(damaged[damage])
    assert checkpoints.load()["step"] == 1
    assert checkpoints.damaged == ([] if damage == "gone" else [checkpoints.last])


def test_two_damaged_states_are_none(checkpoints):
    checkpoints.save(state(1))
    checkpoints.save(state(2))
    for path in (checkpoints.last, checkpoints.previous):
        path.write_bytes(path.read_bytes()[:50])
    assert checkpoints.load() is None
    assert len(checkpoints.damaged) == 2


@pytest.mark.parametrize("moment", ["write", "rename"])
def test_a_save_that_dies_leaves_a_whole_state(checkpoints, monkeypatch, moment):
    checkpoints.save(state(1))
    checkpoints.save(state(2))

    def die(*arguments):
        raise KeyboardInterrupt

    if moment == "write":
        monkeypatch.setattr(checkpoint, "serialise", die)
    else:
        monkeypatch.setattr("os.fsync", die)  # after the last state was moved, before the new one is in its place
    with pytest.raises(KeyboardInterrupt):
        checkpoints.save(state(3))
    assert checkpoints.load()["step"] == 2
    assert not [path for path in checkpoints.folder.iterdir() if path.suffix != ".state"]


def test_a_removal_that_dies_leaves_nothing_to_go_on_from(checkpoints, monkeypatch):
    checkpoints.save(state(1))
    (checkpoints.folder / "kept").mkdir()

    def die(*arguments, **options):
        if not options:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("shutil.rmtree", die)
        with pytest.raises(KeyboardInterrupt):
            checkpoints.remove()
    assert checkpoints.load() is None
    checkpoints.save(state(1))
    checkpoints.remove()
    assert list(checkpoints.folder.parent.iterdir()) == []


def test_equal_states_have_equal_bytes():
    assert serialise(state(1)) == serialise(state(1))
    assert serialise(state(1)) != serialise(state(2))


def test_equal_states_have_equal_bytes_whether_or_not_their_parts_are_the_same_objects():
    betas, again, key, copy = (0.9, 0.999), tuple([0.9, 0.999]), "step", "".join(["st", "ep"])  # noqa: C409
    assert key is not copy
    shared = {"a": {key: 1, "betas": betas}, "b": [{key: 2, "betas": betas}]}
    apart = {"a": {key: 1, "betas": betas}, "b": [{copy: 2, "betas": again}]}
    assert serialise(shared) == serialise(apart)
    assert load_archive(serialise(apart)) == shared
