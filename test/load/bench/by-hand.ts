import { parseArgs } from 'node:util';
import type { Row } from './bench-report.ts';

type Numbers = Readonly<Record<string, number>>;

/** Prints a line. */
const say = (line: string): void => console.log(line);

/** Reads options with numbers from the command line: `--seconds 5`. */
export function numbersGiven<Defaults extends Numbers>(defaults: Defaults): { [Name in keyof Defaults]: number } {
  const options = Object.entries(defaults).map(
    ([name, value]) => [name, { type: 'string', default: String(value) }] as const,
  );
  const { values } = parseArgs({ options: Object.fromEntries(options) });
  const given = Object.entries(values).map(([name, value]) => [name, Number(value)]);
  return Object.fromEntries(given) as { [Name in keyof Defaults]: number };
}

/** Runs a benchmark by hand, with numbers from the command line, and prints its rows. */
export async function byHand<Defaults extends Numbers>(
  defaults: Defaults,
  bench: (options: { [Name in keyof Defaults]: number } & { readonly say: typeof say }) => Promise<readonly Row[]>,
): Promise<void> {
  const rows = await bench({ ...numbersGiven(defaults), say });
  for (const { measure, measured, met } of rows) say(`${measure}: ${measured}${met === false ? ' (missed)' : ''}`);
}
