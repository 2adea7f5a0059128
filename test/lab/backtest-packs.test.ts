// Runs in a process of its own: it makes thousands of decisions. A plan that changes nothing must give an empty diff, in both
// modes; the chained one thereby proves the state that it builds from history (docs/design/lead.md 2). LAB_DECISIONS=100000
// for more.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { packs } from '@arbiter/packs';
import { backtest } from '../../packages/server/src/features/deciding/studies/test-studies.ts';
import type { TestServer } from '../../packages/server/src/main/test-server.ts';
import { shareOf, sized } from '../form.ts';
import { decideMany, startPackServer } from './pack-decisions.ts';

const decisions = Math.ceil(sized('LAB_DECISIONS', { short: 10_000, long: 30_000 }) / packs.length);

// One pack in each run.
for (const pack of shareOf(packs, 'backtests of packs', packs.length)) {
  describe(`backtests of pack ${pack.key}`, () => {
    let server: TestServer;
    const flow = pack.flows[0]!.key;
    before(async () => {
      server = await startPackServer(pack);
      await decideMany(server, pack, flow, decisions);
    });
    after(() => server?.close());

    for (const mode of ['independent', 'chained'] as const) {
      test(`${mode}: the live flow changes nothing`, async () => {
        const { result } = await backtest(server, flow, { mode });
        assert.deepEqual(
          [result.decisions, result.changed, result.otherScores, result.otherReason, result.notEvaluable],
          [decisions, 0, 0, 0, {}],
          JSON.stringify(result.samples.slice(0, 3)),
        );
        assert.equal(result.verdict, 'ok');
        assert.ok(result.items.before > decisions / 4, `${result.items.before} items`);
        assert.equal(result.drift.mismatches, 0);
      });
    }
  });
}
