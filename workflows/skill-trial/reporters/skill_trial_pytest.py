"""A pytest plugin that writes one JSON line for every test: it tells assertion failures from crashes and collection errors.

Each line is written at once, and one before each test: a run that is killed leaves what it knew, and which test never ended.
"""

import json
import os

import pytest


def _write(file, name, outcome, message):
    line = json.dumps({"file": file, "name": name, "outcome": outcome, "message": message}) + "\n"
    # one write: processes that run tests side by side never cut each other's lines
    with open(os.environ["SKILL_TRIAL_TESTS"], "ab", buffering=0) as out:
        out.write(line.encode())


def _is_assertion(kind):
    return issubclass(kind, (AssertionError, pytest.fail.Exception))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    _write(str(item.path), item.nodeid.split("::", 1)[-1], "started", None)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    name = item.nodeid.split("::", 1)[-1]
    file = str(item.path)
    message = None if call.excinfo is None else str(call.excinfo.value)[:2000]
    if hasattr(report, "wasxfail"):
        if report.when == "call":
            _write(file, name, "todo", message)
    elif report.skipped:
        _write(file, name, "skipped", message)
    elif report.failed:
        assertion = report.when == "call" and call.excinfo is not None and _is_assertion(call.excinfo.type)
        _write(file, name, "assertion" if assertion else "crash", message)
    elif report.when == "call":
        _write(file, name, "passed", None)


def pytest_collectreport(report):
    if report.failed:
        path = getattr(report, "path", None) or report.nodeid
        _write(str(path), report.nodeid, "collection", str(report.longrepr)[:2000])
