/** A rate with its 95% confidence interval. */
export interface RateWithInterval {
  /** The count, out of `of`. */
  readonly count: number;
  readonly of: number;
  /** `count / of`; 0 while there is no data. */
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

/** Probability beyond each of the two bounds. */
const tail = 0.025;

/**
 * Returns a rate with its 95% Clopper-Pearson interval: exact, so that at least 95% of the intervals contain the true
 * rate, for any sample size and rate. Common approximations guarantee that only on average, and fail for a team's usual
 * case: few second looks, hardly any of which differ.
 */
export function rateWithInterval(count: number, of: number): RateWithInterval {
  if (of === 0) return { count: 0, of: 0, rate: 0, low: 0, high: 1 };
  return {
    count,
    of,
    rate: count / of,
    low: count === 0 ? 0 : betaQuantile(tail, count, of - count + 1),
    high: count === of ? 1 : betaQuantile(1 - tail, count + 1, of - count),
  };
}

/** Returns the quantile of a beta distribution, by bisection down to floating-point precision. */
function betaQuantile(share: number, a: number, b: number): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (betaBelow(middle, a, b) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Returns the cumulative beta distribution: the regularized incomplete beta function. */
function betaBelow(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The continued fraction converges fast on one side of the mean; the other side is its mirror.
  if (x > (a + 1) / (a + b + 2)) return 1 - betaBelow(1 - x, b, a);
  const logFactor = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  return (Math.exp(logFactor) * continuedFraction(x, a, b)) / a;
}

/** Returns the continued fraction of the incomplete beta function, by Lentz's method. */
function continuedFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300;
  const notZero = (value: number) => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / notZero(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m <= 10_000; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let factor = 1;
    for (const term of [even, odd]) {
      d = 1 / notZero(1 + term * d);
      c = notZero(1 + term / c);
      factor = c * d;
      result *= factor;
    }
    if (Math.abs(factor - 1) < 1e-14) break;
  }
  return result;
}

const lanczos = [
  76.18009172947146, -86.50532032941678, 24.01409824083091, -1.231739572450155, 0.1208650973866179e-2,
  -0.5395239384953e-5,
];

/** Returns the logarithm of the gamma function of a positive number, by Lanczos' method. */
function logGamma(x: number): number {
  const base = x + 5.5;
  const series = lanczos.reduce(
    (sum, coefficient, index) => sum + coefficient / (x + 1 + index),
    1.000000000190015,
  );
  return (x + 0.5) * Math.log(base) - base + Math.log((2.5066282746310007 * series) / x);
}
