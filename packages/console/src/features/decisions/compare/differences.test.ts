import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainTrace } from '@arbiter/contract/explanation/explain';
import { blocked, ended, outranked, score, selected, stage, trace } from '@arbiter/contract/explanation/test-trace';
import { emptyText } from '@arbiter/contract/explanation/texts';
import { emptyReasons } from '@arbiter/engine';
import { compareFunnels, compareOffers, valueDifferences } from './differences.ts';

test('labels every reason for which the engine returns nothing', () => {
  for (const reason of emptyReasons) assert.notEqual(emptyText(reason).title, reason, reason);
});

test('compares two decisions offer by offer: gained, lost, moved, another reason, the rest', () => {
  const after = {
    ...trace,
    selectedOffers: [selected('b', 'Berry', 0.6)],
    scoringResults: [score('b', 0.6, 1), score('a', 0.5, 2), score('c', 0.3, 3)],
    dropped: [outranked('a', 'Apple'), outranked('c', 'Cherry'), ended('d', 'Date'), blocked('e', 'Elder')],
  };
  const rows = compareOffers(explainTrace(trace), explainTrace(after));
  assert.deepEqual(
    rows.map(({ name, change }) => [name, change]),
    [
      ['Berry', 'gained'],
      ['Apple', 'lost'],
      ['Date', 'reason'],
      ['Cherry', 'same'],
      ['Elder', 'same'],
    ],
  );
  const same = compareOffers(explainTrace(trace), explainTrace(trace));
  assert.ok(same.every(({ change }) => change === 'same'));
});

test('compares funnels step by step, including steps of only one side', () => {
  const after = {
    ...trace,
    pipeline: [...trace.pipeline.slice(0, 3), stage('filter', 3, 2, { filter: 1 }), ...trace.pipeline.slice(3)],
  };
  const steps = compareFunnels(explainTrace(trace), explainTrace(after));
  const filter = steps.findIndex(({ key }) => key === 'filter:filter');
  assert.deepEqual(steps[filter], { key: 'filter:filter', stage: 'filter', a: null, b: 2 });
  assert.equal(steps[filter - 1]?.stage, 'qualify');
});

test('reports differences between values at their deepest path', () => {
  assert.deepEqual(valueDifferences({ a: 1, b: { c: [1, 2] }, 'x/y': 1 }, { a: 1, b: { c: [1, 3, 4] }, 'x/y': 2 }), [
    { path: '/b/c/1', a: 2, b: 3 },
    { path: '/b/c/2', a: undefined, b: 4 },
    { path: '/x~1y', a: 1, b: 2 },
  ]);
  assert.deepEqual(valueDifferences({ a: [{}] }, { a: [{}] }), []);
});
