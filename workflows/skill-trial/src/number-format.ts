/** A value as a reader sees it; null is "not available", never 0. */
export function formatValue(value: number | null, unit: string): string {
  if (value === null) return 'not available';
  if (unit === 'fraction' || unit === 'runs') return `${trim((value * 100).toFixed(1))} %`;
  if (unit === 's') return `${value.toFixed(1)} s`;
  if (unit === 'tokens') return Math.round(value).toLocaleString('en-US');
  return trim(value.toFixed(1));
}

/** A difference with its sign; fractions in percentage points (never per cent). */
export function formatDelta(value: number | null, unit: string): string {
  if (value === null) return 'not available';
  const sign = value > 0 ? '+' : value < 0 ? '−' : '±';
  const size = Math.abs(value);
  if (unit === 'fraction' || unit === 'runs') return `${sign}${trim((size * 100).toFixed(1))} pp`;
  return `${sign}${formatValue(size, unit)}`;
}

/** How far two values lie apart, without a sign; fractions in percentage points. */
export function formatDistance(value: number | null, unit: string): string {
  return formatDelta(value, unit).replace(/^[+−±]/, '');
}

/** {@link formatDelta} of a difference that is in percentage points already. */
export function formatPoints(points: number | null): string {
  return formatDelta(points === null ? null : points / 100, 'fraction');
}

function trim(text: string): string {
  return text.replace(/\.0+$/, '');
}
