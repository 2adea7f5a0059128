// Measures how often intervals of evaluations contain the truth: `npm run lab:proof`, or `npm run lab:proof -- 50` for fewer logs
// of each world. Prints the seeds and writes docs/lab-proof.md.
import { writeFileSync } from 'node:fs';
import { coverageOf, hasSupport, type World, worlds } from './worlds.ts';

const logs = Number(process.argv[2] ?? 500);
const seed = process.argv[3] ?? 'proof';
const percent = (part: number, all: number): string => (all === 0 ? '-' : `${((100 * part) / all).toFixed(1)} %`);

let ok = 0;
let covered = 0;
let wrong = 0;
const rows = worlds.map((world: World) => {
  const found = coverageOf(world, logs, seed);
  if (hasSupport(world)) {
    ok += found.ok;
    covered += found.covered;
  } else wrong += found.ok;
  const reasons = Object.entries(found.reasons).map(([reason, count]) => `${reason} ${count}`);
  const cells = [world.name, found.ok, percent(found.covered, found.ok), found.below, reasons.join(', ') || '-'];
  console.log(`${cells.join(' | ')} (seeds "${seed} 0" to "${seed} ${logs - 1}")`);
  return `| ${cells.join(' | ')} |`;
});
const text = `# How often the intervals of evaluations are right

Written by \`npm run lab:proof\`: ${logs} simulated logs of each world (\`test/lab/worlds.ts\`), seeds "${seed} 0" to "${seed} ${logs - 1}",
confidence 95 %. *Covered* counts intervals of verdicts \`ok\` that contain the true value; *below* counts those that end below it. The
last two worlds have no support, so no verdict may be \`ok\`.

| world | ok | covered | below | reasons otherwise |
|---|---|---|---|---|
${rows.join('\n')}

All worlds with support: ${percent(covered, ok)} of ${ok} verdicts \`ok\` are covered. Without support: ${wrong} verdicts \`ok\`.
`;
writeFileSync(new URL('../../docs/lab-proof.md', import.meta.url), text);
console.log(`pooled: ${percent(covered, ok)} of ${ok}; ok without support: ${wrong}`);
