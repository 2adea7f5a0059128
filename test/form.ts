/**
 * Returns the size of a random or repeated test: short in each run, long with `npm run test:long`. The given
 * environment variable overrides both, to repeat or widen one suite by hand.
 */
export function sized(variable: string, { short, long }: { readonly short: number; readonly long: number }): number {
  const chosen = process.env[variable];
  if (chosen !== undefined) return Number(chosen);
  return process.env.TEST_FORM === 'long' ? long : short;
}
