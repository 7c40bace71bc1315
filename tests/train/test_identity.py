import pytest

from protofair.train.identity import CODE, PACKAGE, code_hash, run_hash


@pytest.fixture
def root(tmp_path):
    for name in (
        "method/a.py",
        "objectives/b.py",
        "train/c.py",
        "train/deep/d.py",
        "core/packed.py",
        "probe/e.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    return tmp_path


@pytest.mark.parametrize(
    "name", ["method/a.py", "objectives/b.py", "train/deep/d.py", "core/packed.py", "train/new.py"]
)
def test_a_change_of_the_training_code_changes_the_hash(root, name):
    before = code_hash(root)
    assert code_hash(root) == before
    (root / name).write_text("changed")
    assert code_hash(root) != before


def test_a_renamed_file_changes_the_hash(root):
    before = code_hash(root)
    (root / "train/c.py").rename(root / "train/z.py")
    assert code_hash(root) != before


def test_other_code_does_not(root):
    before = code_hash(root)
    (root / "probe/e.py").write_text("changed")
    (root / "train/__pycache__").mkdir()
    (root / "train/__pycache__/c.pyc").write_bytes(b"compiled")
    assert code_hash(root) == before


def test_the_real_code_is_there():
    assert all((PACKAGE / name).exists() for name in CODE)


def test_a_run_is_its_configuration_its_inputs_and_the_code():
    run = {"inputs": {"data": "a"}, "code": "c"}
    first = run_hash({"lr": 0.1}, **run)
    assert first == run_hash({"lr": 0.1}, **run)
    assert first != run_hash({"lr": 0.2}, **run)
    assert first != run_hash({"lr": 0.1}, **run | {"inputs": {"data": "b"}})
    assert first != run_hash({"lr": 0.1}, **run | {"code": "d"})
