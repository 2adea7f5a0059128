import { exp } from './exp.ts';

/** Returns the probability of log-odds. 0 or 1 at the ends of what doubles hold. */
export const sigmoid = (x: number): number => 1 / (1 + exp(-x));
