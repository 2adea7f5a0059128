import { double, HIGH, words } from './words.ts';

/*
 * Port of fdlibm. Its notice:
 * Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved. Developed at SunSoft, a Sun Microsystems, Inc.
 * business. Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice
 * is preserved.
 */

const OVERFLOW = 709.782712893384;
const UNDERFLOW = -745.1332191019411;
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
const INVERSE_LN2 = Math.LOG2E;
const TWO_M1000 = 9.332636185032189e-302;

const P1 = 0.16666666666666602;
const P2 = -0.0027777777777015593;
const P3 = 6.613756321437934e-5;
const P4 = -1.6533902205465252e-6;
const P5 = 4.1381367970572385e-8;

/** e to the x (fdlibm e_exp.c), because the language leaves `Math.exp` to the platform. Error below 1 ulp. */
export function exp(x: number): number {
  double[0] = x;
  const word = words[HIGH] as number;
  const negative = word < 0;
  const magnitude = word & 0x7fffffff;

  if (magnitude >= 0x40862e42) {
    if (magnitude >= 0x7ff00000) {
      if (Number.isNaN(x)) return Number.NaN;
      return negative ? 0 : x;
    }
    if (x > OVERFLOW) return Number.POSITIVE_INFINITY;
    if (x < UNDERFLOW) return 0;
  }

  let high = 0;
  let low = 0;
  let k = 0;
  let r = x;
  if (magnitude > 0x3fd62e42) {
    if (magnitude < 0x3ff0a2b2) {
      k = negative ? -1 : 1;
      high = x - k * LN2_HIGH;
      low = k * LN2_LOW;
    } else {
      k = Math.trunc(INVERSE_LN2 * x + (negative ? -0.5 : 0.5));
      high = x - k * LN2_HIGH;
      low = k * LN2_LOW;
    }
    r = high - low;
  } else if (magnitude < 0x3e300000) {
    return 1 + x;
  }

  const t = r * r;
  const c = r - t * (P1 + t * (P2 + t * (P3 + t * (P4 + t * P5))));
  if (k === 0) return 1 - ((r * c) / (c - 2) - r);
  const y = 1 - (low - (r * c) / (2 - c) - high);
  double[0] = y;
  if (k >= -1021) {
    words[HIGH] = (words[HIGH] as number) + (k << 20);
    return double[0];
  }
  words[HIGH] = (words[HIGH] as number) + ((k + 1000) << 20);
  return double[0] * TWO_M1000;
}
