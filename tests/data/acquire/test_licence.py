"""Terms are shown and accepted once, and not without a person's word."""

import json
import sys

import click
import pytest

from protofair.core.errors import UserError
from protofair.data.acquire.licence import RECORD, require_licence


@pytest.fixture
def dataset(utkface):
    return utkface.dataset(names=".*")


@pytest.fixture
def terminal(monkeypatch):
    """A terminal at which a person gives these answers."""

    def answer(*answers: bool) -> list[str]:
        left, asked = list(answers), []
        monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
        monkeypatch.setattr(click, "confirm", lambda text, **_: (asked.append(text), left.pop(0))[1])
        return asked

    return answer


def test_nobody_there_to_ask(tmp_path, dataset, capsys):
    with pytest.raises(
        UserError, match=r"protofair acquire faces --accept-licence \(or set PROTOFAIR_ACCEPT_LICENCE=1\)"
    ):
        require_licence(tmp_path, "faces", dataset, accepted=False)
    shown = capsys.readouterr().err
    assert "Research only." in shown
    assert "https://example.org/terms" in shown
    assert "A. Author" in shown
    assert not (tmp_path / RECORD).exists()


def test_the_option_is_recorded_and_the_terms_are_shown_once(tmp_path, dataset, capsys):
    require_licence(tmp_path, "faces", dataset, accepted=True)
    assert "Research only." in capsys.readouterr().err
    assert json.loads((tmp_path / RECORD).read_text())["terms"] == "Research only."
    require_licence(tmp_path, "faces", dataset, accepted=False)
    assert capsys.readouterr().err == ""


def test_yes_at_the_prompt(tmp_path, dataset, terminal):
    asked = terminal(True)
    require_licence(tmp_path, "faces", dataset, accepted=False)
    require_licence(tmp_path, "faces", dataset, accepted=False)
    assert len(asked) == 1


def test_no_at_the_prompt(tmp_path, dataset, terminal):
    terminal(False)
    with pytest.raises(UserError, match="not accepted, nothing fetched"):
        require_licence(tmp_path, "faces", dataset, accepted=False)
    assert not (tmp_path / RECORD).exists()


def test_other_terms_are_asked_about_again(tmp_path, dataset):
    require_licence(tmp_path, "faces", dataset, accepted=True)
    changed = dataset.model_copy(update={"licence": dataset.licence.model_copy(update={"terms": "Pay."})})
    with pytest.raises(UserError):
        require_licence(tmp_path, "faces", changed, accepted=False)


@pytest.mark.parametrize("content", ["", "{}", "[1]"])
def test_a_damaged_record_is_no_acceptance(tmp_path, dataset, content):
    (tmp_path / RECORD).write_text(content)
    with pytest.raises(UserError, match="must be accepted first"):
        require_licence(tmp_path, "utkface", dataset, accepted=False)
    require_licence(tmp_path, "utkface", dataset, accepted=True)
