import { exp } from '../../arithmetic/exp.ts';
import { ln } from '../../arithmetic/ln.ts';
import type { BetaColumns } from '../../plan/scratch.ts';
import { type Beta, betaCdf, betaOf, lnDensity } from '../../statistics/beta.ts';

/** Probability to neglect: of winning below the range of the integral, or of an arm that is left out. */
const negligible = 1e-10;
const tolerance = 1e-9;
const deepest = 16;

/** An arm whose value is drawn: `score * (theta / propensity)^exponent`, theta of a Beta distribution. */
interface DrawnArm {
  readonly at: number;
  readonly beta: Beta;
  readonly lnScore: number;
  readonly exponent: number;
  readonly lnPropensity: number;
}

/**
 * Writes the chance that each of the first `size` arms has the largest value, the sum over arms being 1. Integrates over
 * the logarithm of the largest value, `P(i) = integral f_i(t) * product over j of F_j(t) dt`, with nodes where the arms have
 * their mass (docs/design/lead.md 1, estimated probabilities). Absolute error below 1e-6.
 */
export function winChances(columns: BetaColumns, size: number, chances: Float64Array): void {
  chances.fill(0, 0, size);
  const { arms, fixed, lnFixed } = split(columns, size);
  // Every drawn value is above a score of 0.
  let from = lnFixed;
  for (const arm of arms) from = Math.max(from, quantile(arm, negligible));
  const rivals = arms.filter((arm) => cdf(arm, from) < 1 - negligible);
  if (rivals.length === 0) {
    chances[fixed >= 0 ? fixed : arms.reduce((a, b) => (top(a) >= top(b) ? a : b)).at] = 1;
    return;
  }
  if (fixed >= 0 && from === lnFixed) chances[fixed] = rivals.reduce((all, arm) => all * cdf(arm, from), 1);
  const sums = new Float64Array(rivals.length);
  const ends = breakpoints(rivals, from);
  for (let at = 1; at < ends.length; at++) integrate(rivals, ends[at - 1]!, ends[at]!, 0, sums);
  rivals.forEach(({ at }, rival) => {
    chances[at] = sums[rival]!;
  });
  let all = 0;
  for (let at = 0; at < size; at++) all += chances[at]!;
  for (let at = 0; at < size; at++) chances[at] = chances[at]! / all;
}

/** Arms whose value is drawn, and the best of the others, which is the first among equals. */
function split({ a, b, score, exponent, propensity }: BetaColumns, size: number) {
  const arms: DrawnArm[] = [];
  let fixed = -1;
  for (let at = 0; at < size; at++) {
    if (score[at]! > 0 && exponent[at]! > 0) {
      const beta = betaOf(a[at]!, b[at]!);
      arms.push({
        at,
        beta,
        lnScore: ln(score[at]!),
        exponent: exponent[at]!,
        lnPropensity: ln(propensity[at]!),
      });
    } else if (fixed < 0 || score[at]! > score[fixed]!) fixed = at;
  }
  return { arms, fixed, lnFixed: fixed < 0 || score[fixed]! <= 0 ? Number.NEGATIVE_INFINITY : ln(score[fixed]!) };
}

const thetaOf = ({ lnScore, exponent, lnPropensity }: DrawnArm, t: number): number =>
  exp((t - lnScore) / exponent + lnPropensity);
const lnValueOf = ({ lnScore, exponent, lnPropensity }: DrawnArm, lnTheta: number): number =>
  lnScore + exponent * (lnTheta - lnPropensity);
const top = (arm: DrawnArm): number => lnValueOf(arm, 0);
const cdf = (arm: DrawnArm, t: number): number => betaCdf(arm.beta, thetaOf(arm, t));

/** The logarithm of the value that the arm stays below with this chance, roughly from below. */
function quantile(arm: DrawnArm, chance: number): number {
  let below = -60;
  let above = 0;
  for (let step = 0; step < 30; step++) {
    const middle = (below + above) / 2;
    if (betaCdf(arm.beta, exp(middle)) < chance) below = middle;
    else above = middle;
  }
  return lnValueOf(arm, below);
}

/** Ends of the first intervals: around each arm's mean, and where an arm's range ends. */
function breakpoints(rivals: readonly DrawnArm[], from: number): readonly number[] {
  const to = Math.max(...rivals.map(top));
  const points = [from, to];
  let narrowest = to - from;
  for (const arm of rivals) {
    const { a, b } = arm.beta;
    const mean = a / (a + b);
    const deviation = Math.sqrt((mean * (1 - mean)) / (a + b + 1));
    narrowest = Math.min(narrowest, (arm.exponent * deviation) / mean);
    points.push(top(arm));
    for (const times of [-6, -2, 0, 2, 6]) {
      const theta = mean + times * deviation;
      if (theta > 0 && theta < 1) points.push(lnValueOf(arm, ln(theta)));
    }
  }
  const tops = new Set(rivals.map(top));
  points.sort((x, y) => x - y);
  const ends: number[] = [];
  for (const point of points) {
    if (point < from || point > to) continue;
    const last = ends.at(-1);
    if (last === point) continue;
    if (last !== undefined && point - last < narrowest / 2 && point !== to && !tops.has(point)) continue;
    ends.push(point);
  }
  return ends;
}

// Nodes and weights of the Kronrod rule with 15 points, and of the Gauss rule with 7 that it contains.
const nodes = [
  0.9914553711208126, 0.9491079123427585, 0.8648644233597691, 0.7415311855993945, 0.5860872354676911,
  0.4058451513773972, 0.20778495500789848, 0,
];
const kronrod = [
  0.022935322010529224, 0.06309209262997856, 0.10479001032225017, 0.14065325971552592, 0.1690047266392679,
  0.19035057806478542, 0.20443294007529889, 0.20948214108472782,
];
const gauss = [0, 0.1294849661688697, 0, 0.27970539148927664, 0, 0.3818300505051189, 0, 0.4179591836734694];

/** Adds the integral over one interval to the sums, in halves where the two rules disagree. */
function integrate(rivals: readonly DrawnArm[], from: number, to: number, depth: number, sums: Float64Array): void {
  const half = (to - from) / 2;
  const middle = from + half;
  const fine = new Float64Array(rivals.length);
  const coarse = new Float64Array(rivals.length);
  for (let at = 0; at < nodes.length; at++) {
    for (const side of at === nodes.length - 1 ? [0] : [-1, 1]) {
      addDensities(rivals, middle + side * half * nodes[at]!, kronrod[at]! * half, gauss[at]! * half, fine, coarse);
    }
  }
  let error = 0;
  for (let rival = 0; rival < rivals.length; rival++) error = Math.max(error, Math.abs(fine[rival]! - coarse[rival]!));
  if (error > tolerance && depth < deepest) {
    integrate(rivals, from, middle, depth + 1, sums);
    integrate(rivals, middle, to, depth + 1, sums);
    return;
  }
  for (let rival = 0; rival < rivals.length; rival++) sums[rival] = sums[rival]! + fine[rival]!;
}

/** Adds each rival's density of winning with the value t. */
function addDensities(
  rivals: readonly DrawnArm[],
  t: number,
  weight: number,
  coarseWeight: number,
  fine: Float64Array,
  coarse: Float64Array,
): void {
  const count = rivals.length;
  const below = new Float64Array(count);
  for (let at = 0; at < count; at++) below[at] = cdf(rivals[at]!, t);
  for (let at = 0; at < count; at++) {
    const arm = rivals[at]!;
    const theta = thetaOf(arm, t);
    if (theta >= 1) continue;
    let others = 1;
    for (let other = 0; other < count; other++) if (other !== at) others *= below[other]!;
    if (others === 0) continue;
    const density = (lnDensity(arm.beta, theta) * others) / arm.exponent;
    fine[at] = fine[at]! + weight * density;
    coarse[at] = coarse[at]! + coarseWeight * density;
  }
}
