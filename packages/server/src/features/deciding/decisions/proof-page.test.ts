import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Proof } from '@arbiter/engine';
import { proofPage } from './proof-page.ts';

const template = '<html><script type="application/json" id="proof"></script><script>run()</script></html>';

const hostile = '</script><script>alert(1)</script><!-- \u2028 \u2029 & "';
const proof = {
  format: 1,
  decision: { recommendationId: 'r', customerId: hostile, flow: { key: 'home', version: 1 } },
  plan: { head: `{"name":${JSON.stringify(hostile)}}`, pieces: ['{"offers":[]}', JSON.stringify({ a: hostile })] },
  modelStates: { [hostile]: JSON.stringify({ text: hostile }), b: '{}' },
  withheld: [hostile],
} as unknown as Proof;

const contentOf = (page: string): string => {
  const [, content = ''] = /id="proof">(.*?)<\/script>/s.exec(page) ?? [];
  return content;
};

test("the file has the whole proof, whatever tenants' texts contain", async () => {
  const page = await proofPage(template, proof);
  assert.deepEqual(JSON.parse(contentOf(page)), proof);
  assert.equal(page.split('<script').length, 3);
  assert.doesNotMatch(contentOf(page), /[<>&\u2028\u2029]/);
});

test('a proof without model states and pieces is complete', async () => {
  const small = { ...proof, plan: { head: '{}', pieces: [] }, modelStates: {} };
  assert.deepEqual(JSON.parse(contentOf(await proofPage(template, small))), small);
});

test("a large plan doesn't block other requests", async () => {
  const piece = JSON.stringify({ offers: Array.from({ length: 40 }, () => ({ text: '<p>A & B</p>'.repeat(300) })) });
  const large = { ...proof, plan: { head: '{}', pieces: Array.from({ length: 40 }, () => piece) } };
  let turns = 0;
  const count = (): void => {
    turns += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  await proofPage(template, large);
  clearImmediate(timer);
  assert.ok(turns >= 10, `${turns} turns`);
});
