import { exp, ln, twoSidedP } from '@arbiter/engine';
import { pairwiseSum as sum } from '../pairwise-sum.ts';

export interface Interval {
  readonly value: number;
  readonly se: number;
  readonly ciLower: number;
  readonly ciUpper: number;
  /** Skewness of the customers' parts. */
  readonly skewness: number;
}

/**
 * The interval of a mean over decisions, in which customers are independent and decisions of one are not. Hall's cubic
 * transformation (Hall 1992) corrects for rare rewards, where a normal interval covers too little.
 */
export function hallInterval(
  value: number,
  influence: Float64Array,
  customer: Int32Array,
  customers: number,
  confidence: number,
): Interval {
  const parts = perCustomer(influence, customer, customers);
  const squares = sum(parts.map((part) => part * part));
  if (customers < 2 || squares === 0) return { value, se: 0, ciLower: value, ciUpper: value, skewness: 0 };
  const cubes = sum(parts.map((part) => part * part * part));
  const se = Math.sqrt((customers / (customers - 1)) * squares) / influence.length;
  const variance = squares / customers;
  const skewness = cubes / customers / (variance * Math.sqrt(variance));
  const root = Math.sqrt(customers);
  const z = zOf(confidence);
  const transformed = (x: number): number =>
    skewness === 0 ? x : (3 / skewness) * (cubeRoot(1 + skewness * (x - skewness / (6 * customers))) - 1);
  return {
    value,
    se,
    ciLower: value - root * se * transformed(z / root),
    ciUpper: value - root * se * transformed(-z / root),
    skewness,
  };
}

/** Adds up the decisions of each customer, in order. */
export function perCustomer(influence: Float64Array, customer: Int32Array, customers: number): Float64Array {
  const parts = new Float64Array(customers);
  for (let at = 0; at < influence.length; at++) {
    const own = customer[at]!;
    parts[own] = parts[own]! + influence[at]!;
  }
  return parts;
}

/** The z whose interval contains a standard normal variable with this confidence. */
function zOf(confidence: number): number {
  let below = 0;
  let above = 10;
  for (let step = 0; step < 60; step++) {
    const middle = (below + above) / 2;
    if (twoSidedP(middle) > 1 - confidence) below = middle;
    else above = middle;
  }
  return (below + above) / 2;
}

function cubeRoot(x: number): number {
  if (x === 0) return 0;
  const root = exp(ln(Math.abs(x)) / 3);
  return x < 0 ? -root : root;
}
