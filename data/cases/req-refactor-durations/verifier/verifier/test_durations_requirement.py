import ast
import pathlib

import pytest

from timers.alarm import alarm_seconds
from timers.report import report_seconds

ROOT = pathlib.Path(__file__).resolve().parent.parent
FORMS = {"1h 30m": 5400, "45s": 45, "90": 5400, "2H": 7200, "1h30m": 5400, "  10m  5s ": 605, "1 h": 3600}


@pytest.mark.parametrize("text", FORMS)
def test_AC_1_reads_every_form(text):
    from timers.duration import parse_duration

    assert parse_duration(text) == FORMS[text]


@pytest.mark.parametrize("name", ["alarm", "report"])
def test_AC_2_uses_the_one_reader(name):
    tree = ast.parse((ROOT / "timers" / f"{name}.py").read_text())
    calls = {node.func.id if isinstance(node.func, ast.Name) else node.func.attr for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert "parse_duration" in calls
    assert not calls & {"split", "findall", "fullmatch", "match", "finditer", "partition"}


@pytest.mark.parametrize("text", ["1h 30m", "45s", "90", "0m"])
def test_AC_3_alarms_ring_as_before(text):
    assert alarm_seconds(text) == {"1h 30m": 5400, "45s": 45, "90": 5400, "0m": 0}[text]


@pytest.mark.parametrize("text", ["1H 30M", "1h30m", "1 h", "45s"])
def test_AC_3_reports_count_as_before(text):
    assert report_seconds(text) == {"1H 30M": 5400, "1h30m": 5400, "1 h": 3600, "45s": 45}[text]


@pytest.mark.parametrize("text", ["", "soon", "1d", "-5m", "1h x"])
@pytest.mark.parametrize("read", [alarm_seconds, report_seconds])
def test_AC_3_refuses_what_neither_read(read, text):
    with pytest.raises(ValueError):
        read(text)
