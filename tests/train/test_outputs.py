import json

import pytest

from protofair.train import outputs


@pytest.fixture
def cache(tmp_path):
    kept = tmp_path / "cache" / "kept"
    kept.mkdir(parents=True)
    (kept / "epoch-001.pt").write_bytes(b"weights")
    (tmp_path / "cache" / "log.jsonl").write_text('{"epoch": 1}\n')
    return tmp_path / "cache"


def publish(cache, folder) -> None:
    outputs.publish(folder, kept=cache / "kept", log=cache / "log.jsonl", run={"seconds": float("nan")})


def test_everything_is_there_and_the_cache_untouched(cache, tmp_path):
    publish(cache, tmp_path / "out")
    assert (tmp_path / "out/checkpoints/epoch-001.pt").read_bytes() == b"weights"
    assert (tmp_path / "out/log.jsonl").read_text() == '{"epoch": 1}\n'
    assert json.loads((tmp_path / "out/run.json").read_text()) == {"seconds": None}
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["checkpoints", "log.jsonl", "run.json"]
    assert (cache / "kept/epoch-001.pt").exists()


def test_killed_while_publishing_it_can_be_published_again(cache, tmp_path, monkeypatch):
    def die(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(outputs, "write_json", die)
        with pytest.raises(KeyboardInterrupt):
            publish(cache, tmp_path / "out")
    assert not (tmp_path / "out/run.json").exists(), "run.json comes last"
    (tmp_path / "out/.checkpoints.partial").mkdir()
    publish(cache, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["checkpoints", "log.jsonl", "run.json"]
