// Backtests an unchanged plan on 100,000 decisions of the packs, in both modes, and writes docs/lab-backtests.md: `npm run
// lab:backtests`. With fewer decisions: `npm run lab:backtests -- 20000`.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { type Pack, packs } from '@arbiter/packs';
import { backtest } from '../../packages/server/src/features/deciding/studies/test-studies.ts';
import { decideMany, startPackServer } from './pack-decisions.ts';

const all = Number(process.argv[2] ?? 100_000);
const each = Math.ceil(all / packs.length);
const page = new URL('../../docs/lab-backtests.md', import.meta.url);

/** Returns the rows of a pack. */
async function judge(pack: Pack): Promise<string[]> {
  const server = await startPackServer(pack);
  try {
    const flow = pack.flows[0]!.key;
    await decideMany(server, pack, flow, each);
    const rows: string[] = [];
    for (const mode of ['independent', 'chained'] as const) {
      const { result } = await backtest(server, flow, { mode });
      // Empty answers would prove little.
      assert.ok(result.items.before > each / 10, `${result.items.before} items`);
      const { decisions, customers, items, changed, otherScores, otherReason, drift, notEvaluable } = result;
      const left = Object.entries(notEvaluable).map(([reason, count]) => `${reason} ${count}`);
      const cells = [pack.key, mode, decisions, customers, items.before, changed, otherScores, otherReason];
      rows.push(`| ${[...cells, `${drift.mismatches} of ${drift.checked}`, left.join(', ') || '-'].join(' | ')} |`);
      console.log(rows.at(-1));
    }
    return rows;
  } finally {
    await server.close();
  }
}

const rows: string[] = [];
for (const pack of packs) rows.push(...(await judge(pack)));
const cells = rows.map((row) => row.split(' | '));
writeFileSync(
  page,
  `# Backtests of an unchanged plan

Written by \`npm run lab:backtests\`: decisions for customers of each demo pack, then a backtest of the live flow in both modes. It must
change nothing. The chained mode thereby proves the state that it builds from history. *Drift* counts records that their own plan
doesn't reproduce.

| pack | mode | decisions | customers | items | changed | other scores | other reasons | drift | not evaluable |
|---|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}
`,
);
assert.deepEqual(
  cells.filter((row) => row.slice(5, 8).some((cell) => cell !== '0')),
  [],
);
