// Measures how often intervals of evaluations contain the truth and writes docs/lab-proof.md: `npm run lab:proof`. With fewer logs of
// each world: `npm run lab:proof -- 50`. Some worlds, keeping the rows of the others: `npm run lab:proof -- 500 proof 1 2`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type Coverage, coverageOf, hasSupport, type World, worlds } from './worlds.ts';

const logs = Number(process.argv[2] ?? 500);
const seed = process.argv[3] ?? 'proof';
const chosen = process.argv.length > 4 ? process.argv.slice(4).map(Number) : worlds.map((_, at) => at + 1);
const page = new URL('../../docs/lab-proof.md', import.meta.url);
const percent = (part: number, all: number): string => (all === 0 ? '-' : `${((100 * part) / all).toFixed(1)} %`);

/** Rows of the page by the name of their world, from a run of all worlds or from several runs. */
const rows = new Map<string, string>();
if (process.argv.length > 4 && existsSync(page)) {
  for (const { name } of worlds) {
    const row = readFileSync(page, 'utf8')
      .split('\n')
      .find((line) => line.startsWith(`| ${name} |`));
    if (row !== undefined) rows.set(name, row);
  }
}

function rowOf({ name }: World, { ok, covered, below, reasons }: Coverage): string {
  const others = Object.entries(reasons).map(([reason, count]) => `${reason} ${count}`);
  return `| ${[name, logs, ok, covered, percent(covered, ok), below, others.join(', ') || '-'].join(' | ')} |`;
}

const numberIn = (row: string, column: number): number => Number(row.split(' | ')[column]);

function pageText(): string {
  const measured = worlds.flatMap((world) => {
    const row = rows.get(world.name);
    return row === undefined ? [] : [{ world, row, ok: numberIn(row, 2), covered: numberIn(row, 3) }];
  });
  const supported = measured.filter(({ world }) => hasSupport(world));
  const ok = supported.reduce((sum, each) => sum + each.ok, 0);
  const covered = supported.reduce((sum, each) => sum + each.covered, 0);
  const wrong = measured.reduce((sum, each) => sum + (hasSupport(each.world) ? 0 : each.ok), 0);
  return `# How often the intervals of evaluations are right

Written by \`npm run lab:proof\`: simulated logs of each world (\`test/lab/worlds.ts\`), seeds "${seed} 0" and so on, confidence 95 %.
*Covered* counts intervals of verdicts \`ok\` that contain the true value; *below* counts those that end below it. The last two worlds
have no support, so no verdict may be \`ok\`.

| world | logs | ok | covered | share | below | reasons otherwise |
|---|---|---|---|---|---|---|
${measured.map(({ row }) => row).join('\n')}

All worlds with support: ${percent(covered, ok)} of ${ok} verdicts \`ok\` are covered. Without support: ${wrong} verdicts \`ok\`.
`;
}

for (const number of chosen) {
  const world = worlds[number - 1];
  if (world === undefined) throw new Error(`there is no world ${number}`);
  const row = rowOf(world, coverageOf(world, logs, seed));
  rows.set(world.name, row);
  console.log(`${row} seeds "${seed} 0" to "${seed} ${logs - 1}"`);
  // After each world, because a run takes an hour.
  writeFileSync(page, pageText());
}
console.log(pageText().trim().split('\n').at(-1));
