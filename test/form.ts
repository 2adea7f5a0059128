/**
 * How much of a random or repeated test runs: the short form in each run, the long one with `npm run test:long`. The variable
 * named first overrides both, to repeat or widen one suite by hand.
 */
export function sized(variable: string, { short, long }: { readonly short: number; readonly long: number }): number {
  const chosen = process.env[variable];
  if (chosen !== undefined) return Number(chosen);
  return process.env.TEST_FORM === 'long' ? long : short;
}
