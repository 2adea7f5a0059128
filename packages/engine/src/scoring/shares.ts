import type { Run } from '../plan/run.ts';

/** Position of the share that holds `x` of 100. */
export function shareAt(shares: readonly { readonly weight: number }[], x: number): number {
  let at = 0;
  for (let sum = shares[0]!.weight; x >= sum && at < shares.length - 1; sum += shares[at]!.weight) at += 1;
  return at;
}

/** Asked before there is any candidate, so nothing is opened that draws. */
export function isUsable(run: Run, number: number): boolean {
  if (number < 0) return false;
  return run.input.openBreakers?.includes(run.program.models.list[number]!.key) !== true;
}
