import { double, HIGH, LOW, words } from './words.ts';

/*
 * Port of fdlibm. Its notice:
 * Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved. Developed at SunSoft, a Sun Microsystems, Inc.
 * business. Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice
 * is preserved.
 */

const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
const TWO_54 = 18014398509481984;
const L1 = 0.6666666666666735;
const L2 = 0.3999999999940942;
const L3 = 0.2857142874366239;
const L4 = 0.22222198432149784;
const L5 = 0.1818357216161805;
const L6 = 0.15313837699209373;
const L7 = 0.14798198605116586;

/** Natural logarithm (fdlibm e_log.c). ln(0) = -Infinity, NaN below 0. Error below 1 ulp. */
export function ln(value: number): number {
  let x = value;
  double[0] = x;
  let word = words[HIGH] as number;
  let k = 0;
  if (word < 0x00100000) {
    if (((word & 0x7fffffff) | (words[LOW] as number)) === 0) return Number.NEGATIVE_INFINITY;
    if (word < 0) return Number.NaN;
    k -= 54;
    x *= TWO_54;
    double[0] = x;
    word = words[HIGH] as number;
  }
  if (word >= 0x7ff00000) return x;

  k += (word >> 20) - 1023;
  word &= 0x000fffff;
  const shift = (word + 0x95f64) & 0x100000;
  words[HIGH] = word | (shift ^ 0x3ff00000);
  k += shift >> 20;
  const f = double[0] - 1;

  if ((0x000fffff & (2 + word)) < 3) {
    if (f === 0) return k === 0 ? 0 : k * LN2_HIGH + k * LN2_LOW;
    const r = f * f * (0.5 - 0.3333333333333333 * f);
    return k === 0 ? f - r : k * LN2_HIGH - (r - k * LN2_LOW - f);
  }

  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const r = z * (L1 + w * (L3 + w * (L5 + w * L7))) + w * (L2 + w * (L4 + w * L6));
  if (((word - 0x6147a) | (0x6b851 - word)) > 0) {
    const h = 0.5 * f * f;
    return k === 0 ? f - (h - s * (h + r)) : k * LN2_HIGH - (h - (s * (h + r) + k * LN2_LOW) - f);
  }
  return k === 0 ? f - s * (f - r) : k * LN2_HIGH - (s * (f - r) - k * LN2_LOW - f);
}
