import json
from pathlib import Path

import pytest

from protofair.train import outputs


@pytest.fixture
def cache(tmp_path):
    kept = tmp_path / "cache" / "kept"
    kept.mkdir(parents=True)
    (kept / "epoch-001.pt").write_bytes(b"weights")
    (kept / ".epoch-002.pt.x7f").write_bytes(b"wei")  # left by a process that was killed while it wrote
    (tmp_path / "cache" / "log.jsonl").write_text('{"epoch": 1}\n')
    return tmp_path / "cache"


def publish(cache, folder) -> None:
    outputs.publish(folder, kept=cache / "kept", log=cache / "log.jsonl", run={"seconds": float("nan")})


def found(folder) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


WHOLE = ["checkpoints", "checkpoints/epoch-001.pt", "log.jsonl", "run.json"]


def test_everything_is_there_and_the_cache_untouched(cache, tmp_path):
    publish(cache, tmp_path / "out")
    assert found(tmp_path / "out") == WHOLE
    assert (tmp_path / "out/checkpoints/epoch-001.pt").read_bytes() == b"weights"
    assert (tmp_path / "out/log.jsonl").read_text() == '{"epoch": 1}\n'
    assert json.loads((tmp_path / "out/run.json").read_text()) == {"seconds": None}
    assert (cache / "kept/epoch-001.pt").exists()


@pytest.mark.parametrize("moment", ["write_json", "shutil.rmtree", "sync_folder"])
def test_killed_while_publishing_it_can_be_published_again(cache, tmp_path, monkeypatch, moment):
    calls = []

    def die(*arguments, **options):
        calls.append(moment)
        if moment != "shutil.rmtree" or len(calls) == 2:  # the second call is the one that removes older checkpoints
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(f"protofair.train.outputs.{moment}", die)
        with pytest.raises(KeyboardInterrupt):
            publish(cache, tmp_path / "out")
    assert calls
    publish(cache, tmp_path / "out")
    assert found(tmp_path / "out") == WHOLE


def test_run_json_comes_last(cache, tmp_path, monkeypatch):
    """Whoever sees it may read the rest."""
    replace = Path.replace

    def die(self, target):
        if self.name == "log.jsonl" and target.parent == tmp_path / "out":
            raise KeyboardInterrupt
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", die)
    with pytest.raises(KeyboardInterrupt):
        publish(cache, tmp_path / "out")
    assert not (tmp_path / "out/run.json").exists()
