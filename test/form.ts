/** Returns whether tests run in their long form. */
export const isLong = (): boolean => process.env.TEST_FORM === 'long';

/**
 * Returns the size of a random or repeated test: short in each run, long with `npm run test:long`. The given
 * environment variable overrides both, to repeat or widen one suite by hand.
 */
export function sized(variable: string, { short, long }: { readonly short: number; readonly long: number }): number {
  const chosen = process.env[variable];
  if (chosen !== undefined) return Number(chosen);
  return isLong() ? long : short;
}

/**
 * Returns how many random cases to try: a quarter in each run, all in the long form. Each turn draws different cases, so several
 * short runs cover as much as a long one.
 */
export const randomRuns = (long: number): number => (isLong() ? long : Math.ceil(long / 4));

/** Returns the seed of this turn, so that a failed run repeats with its TEST_TURN; without a turn, each run draws again. */
export function seedOfTurn(): { readonly seed?: number } {
  const turn = process.env.TEST_TURN;
  return turn === undefined ? {} : { seed: hashOf(turn) };
}

/** Returns the options of a property that is tried on this many random cases in the long form. */
export const randomCases = (long: number): { readonly numRuns: number; readonly seed?: number } => ({
  numRuns: randomRuns(long),
  ...seedOfTurn(),
});

/**
 * Returns whether this run takes an item of a suite that takes one of this many `shares` in the short form; the long form
 * takes all. The runner sets TEST_TURN to the number of commits, so the runs of successive commits take one share after
 * the other, and a failed run repeats with its turn.
 */
export function isInTurn(name: string, shares: number): boolean {
  return isLong() || placeOf(name) % shares === 0;
}

/** Returns the options of a test that runs in one of this many turns. Otherwise the output says that it's skipped. */
export const inTurn = (name: string, shares: number): { readonly skip?: string } =>
  isInTurn(name, shares) ? {} : { skip: `runs in one of ${shares} turns` };

/** Returns this turn's share of the items, or all of them in the long form. Names and turns take different shares. */
export function shareOf<T>(items: readonly T[], name: string, shares: number): readonly T[] {
  return isLong() ? items : items.filter((_, at) => (placeOf(name) + at) % shares === 0);
}

const placeOf = (name: string): number => hashOf(name) + Number(process.env.TEST_TURN ?? 0);

/** A 32-bit FNV-1a hash, to spread names over shares. */
function hashOf(name: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01_00_01_93) >>> 0;
  return hash;
}
