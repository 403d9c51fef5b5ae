import { describe, expect, test } from 'vitest';
import { calibrate, scenario, wilsonCoverage } from '../src/simulation.js';
import { detectableEffect, needed, powerOf, smallestP } from '../src/statistics/power.js';

const experiments = 200;
const error = (rate: number, n: number) => Math.sqrt((rate * (1 - rate)) / n);

describe('the decision rule on simulated experiments', () => {
  test('three runs of one case never reject: a false-positive rate of 0 proves nothing there', () => {
    expect(calibrate(scenario('none', 1, 3, { effect: 5 }), 20, 1)).toMatchObject({ supported: 0, notAttainable: 20 });
  });

  test.each([
    scenario('no effect', 2, 3),
    scenario('drift', 2, 3, { drift: 2 }),
    scenario('cases far apart', 2, 3, { caseSpread: 5 }),
    scenario('timeouts in both arms', 2, 3, { timeouts: [0.2, 0.2] }),
    scenario('six cases', 6, 1),
  ])('false positives stay below .05 + 3 standard errors: $title, $cases × $repeats', (given) => {
    const { supported, notAttainable } = calibrate(given, experiments, 11);
    expect(notAttainable).toBe(0);
    expect(supported / experiments).toBeLessThanOrEqual(0.05 + 3 * error(0.05, experiments));
  });

  test('an effect of 3 standard deviations is found in 2 × 3 as often as the plan says, and in at least 80 %', () => {
    const stated = powerOf({ cases: 2, repeats: 3 }, 3, { simulations: experiments, seed: 5 });
    const found = calibrate(scenario('effect', 2, 3, { effect: 3 }), experiments, 6).supported / experiments;
    expect(found).toBeGreaterThanOrEqual(0.8);
    expect(found).toBeGreaterThanOrEqual(stated - 3 * Math.SQRT2 * error(stated, experiments) - 0.01);
  });

  test.each([scenario('these cases', 2, 3, { effect: 1 }), scenario('over cases', 6, 2, { effect: 1, effectSpread: 0.5 })])(
    'printed intervals hold the truth in at least 95 % less 3 standard errors: $title',
    (given) => {
      const { within, overCases } = calibrate(given, experiments, 21);
      const printed = given.effectSpread === 0 ? within : overCases;
      expect(printed.of).toBe(experiments);
      expect(printed.held / printed.of).toBeGreaterThanOrEqual(0.95 - 3 * error(0.95, experiments));
    },
  );

  test('the seed settles every figure', () => {
    expect(calibrate(scenario('same', 2, 2), 10, 3)).toEqual(calibrate(scenario('same', 2, 2), 10, 3));
  });

  test.each([1, 3, 6, 10, 30])('Wilson at n = %i covers 95 % on average over all rates', (n) => {
    expect(wilsonCoverage(n).mean).toBeGreaterThanOrEqual(0.95 - 0.005);
  });
});

describe('power before the runs', () => {
  test('the smallest p of a design: 3 against 3 is .1, two such cases .005, six single pairs .03125', () => {
    expect(smallestP({ cases: 1, repeats: 3 })).toBeCloseTo(0.1, 12);
    expect(smallestP({ cases: 2, repeats: 3 })).toBeCloseTo(2 / 400, 12);
    expect(smallestP({ cases: 6, repeats: 1 })).toBeCloseTo(2 / 64, 12);
  });

  test('a design that cannot reject has no power and no detectable effect', () => {
    expect(powerOf({ cases: 1, repeats: 3 }, 10)).toBe(0);
    expect(detectableEffect({ cases: 1, repeats: 3 })).toBeNull();
  });

  test('near the t test where both apply: 17 against 17 at 1 standard deviation, power .807 (R: power.t.test)', () => {
    const simulated = powerOf({ cases: 1, repeats: 17 }, 1, { simulations: 200, seed: 2 });
    expect(Math.abs(simulated - 0.807)).toBeLessThan(3 * error(0.807, 200) + 0.02);
  });

  test('repeats needed for a large effect are few, and more for a smaller one', () => {
    const options = { simulations: 60, most: 16 };
    const large = needed('repeats', { cases: 1, repeats: 3 }, 3, 0.8, options);
    const small = needed('repeats', { cases: 1, repeats: 3 }, 1.5, 0.8, options);
    expect(large).toBeGreaterThanOrEqual(4);
    expect(small).toBeGreaterThan(large as number);
  });
});
