import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { decide } from '../src/decide.ts';
import { isObject } from '../src/json-object.ts';
import type { DecisionTrace } from '../src/plan/decision.ts';
import { readCorpus, unpackInput } from './corpus/record.ts';

/** A survey asks every gate, and lets in exactly whom a decision lets in, with the same scores. */

const folder = new URL('../corpus/', import.meta.url);

const scoresOf = ({ scoringResults }: DecisionTrace, dropped: DecisionTrace['dropped']) => {
  const gone = new Set(dropped.filter(({ stage }) => stage === 'score').map(({ offerId }) => offerId));
  return scoringResults.filter((row) => !gone.has(String(isObject(row) ? row.offerId : null)));
};

test('a survey of the frozen decisions scores the same offers, and reports at least the same blocks', () => {
  let surveyed = 0;
  let further = 0;
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.br'))) {
    const text = brotliDecompressSync(readFileSync(new URL(file, folder))).toString('utf8');
    readCorpus(text, (plan, record, line) => {
      if (record.input.request.placements !== null) return;
      const input = unpackInput(record.input);
      const { trace: decided, emptyReason } = decide(plan, input, { trace: true });
      const { trace: asked, items } = decide(plan, input, { survey: true });
      assert.ok(decided && asked, `${file}:${line}`);
      assert.deepEqual(items, []);
      // A survey forgets the refusal of an offer that a called flow brings back (survey-branches.test.ts).
      const refused = plan.program.hasCalls ? [...asked.dropped, ...decided.dropped] : asked.dropped;
      assert.deepEqual(scoresOf(asked, refused), scoresOf(decided, decided.dropped), `${file}:${line} ${emptyReason}`);
      // A decision tells the first refusal only, at most of 500 offers.
      const told = new Set(
        asked.dropped.map(({ offerId, stage, nodeId, reason }) => `${offerId} ${stage} ${nodeId} ${reason}`),
      );
      const gates = new Set([
        'inventory',
        'match_creatives',
        'qualify',
        'suppression',
        'contact_policy',
        'filter',
        'enrich',
        'score',
      ]);
      for (const { offerId, stage, nodeId, reason } of decided.dropped) {
        if (gates.has(stage) && !plan.program.hasCalls)
          assert.ok(told.has(`${offerId} ${stage} ${nodeId} ${reason}`), `${file}:${line} ${offerId} ${stage}`);
      }
      surveyed += 1;
      if (asked.dropped.length > decided.dropped.filter(({ stage }) => gates.has(stage)).length) further += 1;
    });
  }
  assert.ok(surveyed > 1_000, `${surveyed} decisions were surveyed`);
  assert.ok(further > 100, `${further} told more than the decision`);
});
