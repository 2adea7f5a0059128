import { double, HIGH, LOW, words } from './words.ts';

/*
 * Port of fdlibm. Its notice:
 * Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved. Developed at SunSoft, a Sun Microsystems, Inc.
 * business. Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice
 * is preserved.
 */

const TWO_53 = 9007199254740992;
const TWO_M54 = 5.551115123125783e-17;
const L1 = 0.5999999999999946;
const L2 = 0.4285714285785502;
const L3 = 0.33333332981837743;
const L4 = 0.272728123808534;
const L5 = 0.23066074577556175;
const L6 = 0.20697501780033842;
const P1 = 0.16666666666666602;
const P2 = -0.0027777777777015593;
const P3 = 6.613756321437934e-5;
const P4 = -1.6533902205465252e-6;
const P5 = 4.1381367970572385e-8;
const LN2 = Math.LN2;
const LN2_HIGH = 0.6931471824645996;
const LN2_LOW = -1.904654299957768e-9;
const OVERFLOW_TAIL = 8.008566259537294e-17;
const CP = 0.9617966939259756;
const CP_HIGH = 0.9617967009544373;
const CP_LOW = -7.028461650952758e-9;
const INVERSE_LN2 = Math.LOG2E;
const INVERSE_LN2_HIGH = 1.4426950216293335;
const INVERSE_LN2_LOW = 1.9259629911266175e-8;
const LOG2_3_2_HIGH = 0.5849624872207642;
const LOG2_3_2_LOW = 1.350039202129749e-8;

/**
 * x to the y (fdlibm e_pow.c), because the language leaves `Math.pow` to the platform. `pow(x, 1)` is x and
 * `pow(x, 0)` is 1 exactly, also for x = 0 (docs/design/api-decisioning.md 1). NaN where the real power does not exist and for
 * `pow(+-1, +-Infinity)`, as in the language.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: keeps the shape of fdlibm's e_pow.c, so that the two can be compared line by line
export function pow(x: number, y: number): number {
  if (y === 1) return x;
  if (y === 0) return 1;
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  if (y === 2) return x * x;
  if (y === -1) return 1 / x;

  double[0] = y;
  const yWord = (words[HIGH] as number) & 0x7fffffff;
  double[0] = x;
  const xHigh = words[HIGH] as number;
  const xLow = words[LOW] as number;
  const xWord = xHigh & 0x7fffffff;
  const magnitude = Math.abs(x);

  if (yWord === 0x7ff00000) {
    if (magnitude === 1) return Number.NaN;
    return magnitude > 1 === y > 0 ? Number.POSITIVE_INFINITY : 0;
  }
  let sign = 1;
  if (xHigh < 0) {
    const whole = Math.floor(y) === y;
    const odd = whole && Math.abs(y) < TWO_53 && y % 2 !== 0;
    if (xLow === 0 && (xWord === 0x7ff00000 || xWord === 0)) {
      const power = y < 0 ? 1 / magnitude : magnitude;
      return odd ? -power : power;
    }
    if (!whole) return Number.NaN;
    if (odd) sign = -1;
  } else if (y === 0.5) {
    return Math.sqrt(x);
  }
  if (xLow === 0) {
    if (xWord === 0x3ff00000) return sign;
    if (xWord === 0x7ff00000 || xWord === 0) return y < 0 ? 1 / magnitude : magnitude;
  }

  // t1 + t2 = log2(|x|)
  let t1: number;
  let t2: number;
  if (yWord > 0x41e00000) {
    // |y| > 2^31: over- or underflow unless x is within 2^-20 of 1.
    if (yWord > 0x43f00000 || xWord < 0x3fefffff || xWord > 0x3ff00000) {
      return magnitude > 1 === y > 0 ? sign * Number.POSITIVE_INFINITY : sign * 0;
    }
    const t = magnitude - 1;
    const w = t * t * (0.5 - t * (0.3333333333333333 - t * 0.25));
    const u = INVERSE_LN2_HIGH * t;
    const v = t * INVERSE_LN2_LOW - w * INVERSE_LN2;
    double[0] = u + v;
    words[LOW] = 0;
    t1 = double[0];
    t2 = v - (t1 - u);
  } else {
    let ax = magnitude;
    let word = xWord;
    let n = 0;
    if (word < 0x00100000) {
      ax *= TWO_53;
      n = -53;
      double[0] = ax;
      word = words[HIGH] as number;
    }
    n += (word >> 20) - 0x3ff;
    const fraction = word & 0x000fffff;
    word = fraction | 0x3ff00000;
    let base = 1;
    let baseWord = 0x00080000;
    let logHigh = 0;
    let logLow = 0;
    if (fraction > 0x3988e) {
      if (fraction < 0xbb67a) {
        base = 1.5;
        baseWord = 0x000c0000;
        logHigh = LOG2_3_2_HIGH;
        logLow = LOG2_3_2_LOW;
      } else {
        n += 1;
        word -= 0x00100000;
      }
    }
    double[0] = ax;
    words[HIGH] = word;
    ax = double[0];
    // s = sHigh + sLow = (ax - base) / (ax + base)
    const u = ax - base;
    const v = 1 / (ax + base);
    const s = u * v;
    double[0] = s;
    words[LOW] = 0;
    const sHigh = double[0];
    words[HIGH] = ((word >> 1) | 0x20000000) + baseWord;
    let tHigh = double[0];
    let tLow = ax - (tHigh - base);
    const sLow = v * (u - sHigh * tHigh - sHigh * tLow);
    const s2 = s * s;
    let r = s2 * s2 * (L1 + s2 * (L2 + s2 * (L3 + s2 * (L4 + s2 * (L5 + s2 * L6)))));
    r += sLow * (sHigh + s);
    const sHigh2 = sHigh * sHigh;
    double[0] = 3 + sHigh2 + r;
    words[LOW] = 0;
    tHigh = double[0];
    tLow = r - (tHigh - 3 - sHigh2);
    const uu = sHigh * tHigh;
    const vv = sLow * tHigh + tLow * s;
    double[0] = uu + vv;
    words[LOW] = 0;
    const ph = double[0];
    const pl = vv - (ph - uu);
    const zHigh = CP_HIGH * ph;
    const zLow = CP_LOW * ph + pl * CP + logLow;
    double[0] = zHigh + zLow + logHigh + n;
    words[LOW] = 0;
    t1 = double[0];
    t2 = zLow - (t1 - n - logHigh - zHigh);
  }

  // pHigh + pLow = y * log2(|x|)
  double[0] = y;
  words[LOW] = 0;
  const y1 = double[0];
  const pLow = (y - y1) * t1 + y * t2;
  let pHigh = y1 * t1;
  let z = pLow + pHigh;
  if (z >= 1024) {
    if (z > 1024 || pLow + OVERFLOW_TAIL > z - pHigh) return sign * Number.POSITIVE_INFINITY;
  } else if (z <= -1075) {
    if (z < -1075 || pLow <= z - pHigh) return sign * 0;
  }

  // 2 to the (pHigh + pLow)
  let exponent = 0;
  if (z > 0.5) {
    exponent = Math.floor(z + 0.5);
    pHigh -= exponent;
  } else if (z < -0.5) {
    exponent = -Math.floor(0.5 - z);
    pHigh -= exponent;
  }
  double[0] = pLow + pHigh;
  words[LOW] = 0;
  const t = double[0];
  const u = t * LN2_HIGH;
  const v = (pLow - (t - pHigh)) * LN2 + t * LN2_LOW;
  z = u + v;
  const w = v - (z - u);
  const q = z * z;
  const c = z - q * (P1 + q * (P2 + q * (P3 + q * (P4 + q * P5))));
  double[0] = 1 - ((z * c) / (c - 2) - (w + z * w) - z);
  const resultWord = (words[HIGH] as number) + (exponent << 20);
  if (resultWord >> 20 > 0) {
    words[HIGH] = resultWord;
    return sign * double[0];
  }
  // Subnormal: scaled down from a normal number, so that it is rounded once.
  words[HIGH] = resultWord + (54 << 20);
  return sign * (double[0] * TWO_M54);
}
