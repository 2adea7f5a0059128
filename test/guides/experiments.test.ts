// Runs in one of 3 turns: what the guides call has tests of its own.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { u } from '@arbiter/engine';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { newId } from '../../packages/server/src/platform/ids.ts';
import { follow } from './guide.ts';

/** Guides of which a test plays what happens between two parts. */
const partsOf = async (name: string, heading: string): Promise<readonly [string, string]> => {
  const text = await readFile(new URL(`../../docs/guides/${name}.md`, import.meta.url), 'utf8');
  const [before, after] = text.split(`\n${heading}\n`);
  assert.ok(before !== undefined && after !== undefined, `${name} has the heading ${heading}`);
  return [before, after];
};

const customers = 1_000;
const atOnce = 25;

/** Customers of whom those with the challenger convert more often. */
async function play(server: TestServer): Promise<void> {
  const call = async <Body>(path: string, body: object): Promise<Body> => {
    const done = await server.call<Body>('POST', `/api/v1/${path}`, { body });
    assert.equal(done.status, 200, done.text);
    return done.body;
  };
  const visit = async (customerId: string): Promise<void> => {
    const question = { customerId, channel: 'in_app', decisionFlowKey: 'app' };
    const { recommendationId, experiment } = await call<RecommendAnswer>('recommend', question);
    const rate = experiment?.variant === 'travelers-first' ? 0.3 : 0.1;
    if (u(`converts:${customerId}`) < rate) await call('respond', { recommendationId, rank: 1, outcome: 'accept' });
  };
  for (let first = 0; first < customers; first += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, (_, at) => visit(`visitor ${first + at}`)));
  }
}

test('test-models-with-an-experiment: each call responds as the guide says, up to the verdict', async () => {
  const [before, after] = await partsOf('test-models-with-an-experiment', '## 5. The verdict');
  let now = Date.parse('2026-11-03T09:00:00Z');
  const server = await startTestServer({ clock: { now: () => now } });
  try {
    const names = new Map<string, unknown>();
    assert.ok((await follow(server, before, undefined, names)) >= 15);
    await play(server);
    now += 14 * 86_400_000;
    const judge = server.jobs.get('experiments.judge');
    assert.ok(judge !== undefined);
    const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
    await judge.run({}, facts, server.tenants[0].id);
    assert.ok((await follow(server, after, undefined, names)) >= 5);
  } finally {
    await server.close();
  }
});

test('exploration-probabilities: each call responds as the guide says', async () => {
  const [before, after] = await partsOf('exploration-probabilities', '## What comes out');
  const server = await startTestServer();
  try {
    const names = new Map<string, unknown>();
    await follow(server, before, undefined, names);
    for (;;) {
      const requestId = `00000000-0000-4000-8000-${newId().slice(-12)}`;
      const body = { customerId: 'C-1', decisionFlowKey: 'explored', requestId, dryRun: true };
      const tried = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body });
      assert.equal(tried.status, 200, tried.text);
      const [item] = tried.body.decisions;
      if (item?.offerName === 'Index fund') names.set('lucky', requestId);
      else if (item?.selection?.explored === false) names.set('usual', requestId);
      if (names.has('lucky') && names.has('usual')) break;
    }
    assert.ok((await follow(server, after, undefined, names)) >= 4);
  } finally {
    await server.close();
  }
});
