_SECONDS = {"h": 3600, "m": 60, "s": 1}


def parse_duration(text):
    """Seconds in a text such as `1h 30m`; a bare number is minutes."""
    text = text.strip()
    if text.isdigit():
        return int(text) * 60
    total = 0
    for part in text.split():
        number, unit = part[:-1], part[-1]
        if not number.isdigit() or unit not in _SECONDS:
            raise ValueError(f"no duration: {text!r}")
        total += int(number) * _SECONDS[unit]
    return total
