def alarm_seconds(text):
    """Seconds until an alarm rings: `1h 30m`, `45s`, or a bare number of minutes."""
    text = text.strip()
    if text.isdigit():
        return int(text) * 60
    total = 0
    for part in text.split():
        number, unit = part[:-1], part[-1]
        if not number.isdigit() or unit not in "hms":
            raise ValueError(f"no duration: {text!r}")
        total += int(number) * {"h": 3600, "m": 60, "s": 1}[unit]
    if total == 0 and text == "":
        raise ValueError("no duration: ''")
    return total
