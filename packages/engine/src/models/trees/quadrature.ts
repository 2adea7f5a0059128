/** Points and weights of Gauss and Legendre on 0 to 1; exact for polynomials of degree below twice their number. */
export interface Quadrature {
  readonly points: Float64Array;
  readonly weights: Float64Array;
}

const known: Quadrature[] = [];

/** Returns the rule with `count` points, at least 1. Pure arithmetic, so the same bits everywhere. */
export function quadrature(count: number): Quadrature {
  let rule = known[count];
  if (rule === undefined) {
    rule = makeRule(count);
    known[count] = rule;
  }
  return rule;
}

function makeRule(count: number): Quadrature {
  const roots = rootsOf(count);
  const points = new Float64Array(count);
  const weights = new Float64Array(count);
  for (const [at, root] of roots.entries()) {
    const slope = slopeAt(count, root);
    points[at] = (1 + root) / 2;
    weights[at] = 1 / ((1 - root * root) * slope * slope);
  }
  return { points, weights };
}

const knownRoots: (readonly number[])[] = [[]];

/** Roots of the Legendre polynomial: between two neighboring roots of one lies a root of the next. */
function rootsOf(count: number): readonly number[] {
  for (let degree = knownRoots.length; degree <= count; degree++) {
    const bounds = [-1, ...knownRoots[degree - 1]!, 1];
    knownRoots.push(bounds.slice(1).map((high, at) => bisect(degree, bounds[at]!, high)));
  }
  return knownRoots[count]!;
}

function bisect(degree: number, from: number, to: number): number {
  let low = from;
  let high = to;
  const isPositiveAbove = legendre(degree, to) > 0;
  for (;;) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) return middle;
    if (legendre(degree, middle) > 0 === isPositiveAbove) high = middle;
    else low = middle;
  }
}

function legendre(degree: number, x: number): number {
  let before = 1;
  let value = x;
  for (let n = 2; n <= degree; n++) {
    const next = ((2 * n - 1) * x * value - (n - 1) * before) / n;
    before = value;
    value = next;
  }
  return degree === 0 ? 1 : value;
}

const slopeAt = (degree: number, x: number): number =>
  (degree * (x * legendre(degree, x) - legendre(degree - 1, x))) / (x * x - 1);
