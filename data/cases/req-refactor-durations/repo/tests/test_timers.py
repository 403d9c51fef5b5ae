from timers.alarm import alarm_seconds
from timers.report import report_seconds


def test_both_read_hours_and_minutes():
    assert alarm_seconds("1h 30m") == report_seconds("1h 30m") == 5400
