/**
 * pass@k, unbiased: the chance that at least one of k runs passes, from c passes of n runs: 1 − C(n−c, k)/C(n, k) (Chen et al. 2021,
 * arXiv:2107.03374, equation 1). Null where k runs were never made.
 */
export function passAtK(n: number, c: number, k: number): number | null {
  return k < 1 || k > n ? null : 1 - allOf(n, n - c, k);
}

/** pass^k, unbiased: the chance that all of k runs pass: C(c, k)/C(n, k) (Yao et al. 2024, arXiv:2406.12045). Null likewise. */
export function passHatK(n: number, c: number, k: number): number | null {
  return k < 1 || k > n ? null : allOf(n, c, k);
}

/** The chance that k of n drawn without return are all among c: a product, so that no large number arises. */
function allOf(n: number, c: number, k: number): number {
  let chance = 1;
  for (let drawn = 0; drawn < k; drawn++) chance *= Math.max(0, c - drawn) / (n - drawn);
  return chance;
}
