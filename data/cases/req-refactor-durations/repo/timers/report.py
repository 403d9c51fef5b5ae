import re


def report_seconds(text):
    """Seconds of work in a report: `1H 30M` or `45s`, in upper or lower case, with or without blank space."""
    if not re.fullmatch(r"\s*(\d+\s*[hms]\s*)+", text, re.IGNORECASE):
        raise ValueError(f"no duration: {text!r}")
    parts = re.findall(r"(\d+)\s*([hms])", text, re.IGNORECASE)
    return sum(int(number) * {"h": 3600, "m": 60, "s": 1}[unit.lower()] for number, unit in parts)
