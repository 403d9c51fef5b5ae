from timers.duration import parse_duration


def alarm_seconds(text):
    """Seconds until an alarm rings: `1h 30m`, `45s`, or a bare number of minutes."""
    return parse_duration(text)
