import re

_SECONDS = {"h": 3600, "m": 60, "s": 1}


def parse_duration(text):
    """Seconds in a text such as `1h 30m`, `45S` or `1h30m`; a bare number is minutes. Anything else is a ValueError."""
    bare = text.strip()
    if bare.isdigit():
        return int(bare) * 60
    if not re.fullmatch(r"(\d+\s*[hms]\s*)+", bare, re.IGNORECASE):
        raise ValueError(f"no duration: {text!r}")
    parts = re.findall(r"(\d+)\s*([hms])", bare, re.IGNORECASE)
    return sum(int(number) * _SECONDS[unit.lower()] for number, unit in parts)
