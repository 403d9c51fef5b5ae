from timers.duration import parse_duration


def report_seconds(text):
    """Seconds of work in a report: `1H 30M` or `45s`, in upper or lower case, with or without blank space."""
    return parse_duration(text)
