// Runs in one of 3 turns: what the guides call has tests of its own.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Backtest } from '@arbiter/contract';
import { packs } from '@arbiter/packs';
import { systemActor } from '../../packages/server/src/db/index.ts';
import { runStudies } from '../../packages/server/src/features/deciding/studies/test-studies.ts';
import { loadPack } from '../../packages/server/src/features/operations/seed-packs/index.ts';
import { startTestServer, testLoadPorts } from '../../packages/server/src/main/test-server.ts';
import { follow } from './guide.ts';

const dayMs = 86_400_000;
const dayAt = (at: number): string => new Date(at).toISOString().slice(0, 10);

test('judge-a-draft: three calls lead from the demo tenant to the decisions that a draft changes', async () => {
  const text = await readFile(new URL('../../docs/guides/judge-a-draft.md', import.meta.url), 'utf8');
  const server = await startTestServer();
  try {
    const pack = packs.find(({ key }) => key === 'coffee_rewards');
    assert.ok(pack !== undefined);
    await server.database.withTenant(server.tenants[0].id, systemActor('test'), (tx) =>
      loadPack(tx, pack, testLoadPorts),
    );
    const now = Date.now();
    const names = new Map<string, unknown>([
      ['weekAgo', dayAt(now - 7 * dayMs)],
      ['tomorrow', dayAt(now + 2 * dayMs)],
    ]);
    assert.equal(await follow(server, text, () => runStudies(server), names), 6);
    const path = `/api/v1/decision-flows/coffee-next-best-offer/backtests/${names.get('study')}`;
    const { body } = await server.call<Backtest>('GET', path);
    assert.ok((body.changed ?? 0) >= 10, JSON.stringify(body.byKind));
    assert.ok((body.samples ?? []).length >= 10);
  } finally {
    await server.close();
  }
});
