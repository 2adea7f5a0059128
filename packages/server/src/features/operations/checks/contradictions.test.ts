import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '@arbiter/engine';
import type { CheckInput } from '@arbiter/lab';
import { Registry } from 'prom-client';
import { createCheckMetrics } from '../../../main/metrics/metrics.ts';
import { checkUntil, type GuardPorts } from './checks.service.ts';
import { folderSnapshot } from './folder/folder-catalogue.ts';
import { openFolder } from './folder/open-folder.ts';

/** A check that its guard contradicts: the finding is dropped, counted and reported. */

const files = {
  'decision-flows/main.yaml':
    'key: main\nname: Main\nstatus: active\ndraft: { version: 2, nodes: [{ id: all, type: inventory }, { id: score, type: score, config: { method: priority_weighted } }], flowConfig: {} }\n',
  'offers/gone.yaml': 'name: gone\nstatus: active\nschedule: { endDate: "2020-01-01" }\n',
  'offers/open.yaml': 'name: open\nstatus: active\n',
};

async function checked(guard: CheckInput['guard']) {
  const opened = await openFolder(Object.entries(files).map(([path, content]) => ({ path, content })));
  assert.ok('folder' in opened, JSON.stringify(opened));
  const snapshot = folderSnapshot(opened.catalogue, opened.directory, opened.toCheck[0]!.flow);
  const registry = new Registry();
  const errors: unknown[] = [];
  const ports: GuardPorts = {
    guard,
    onContradiction: createCheckMetrics(registry),
    onError: (error) => errors.push(error),
  };
  const input = { snapshot, plan: compile(snapshot), now: Date.UTC(2026, 11, 1) };
  const result = await checkUntil(ports, input, performance.now() + 60_000);
  const counted = /^svc_check_contradictions_total (\d+)$/m.exec(await registry.metrics())?.[1];
  return { codes: result?.findings.map(({ code }) => code), counted, errors };
}

test('counts and reports a contradiction, and drops the finding', async () => {
  assert.deepEqual(await checked(undefined), { codes: ['schedule_over'], counted: '0', errors: [] });
  const asked: string[] = [];
  const found = await checked(function* (_input, _solver, nevers) {
    yield;
    asked.push(...nevers.map(({ row }) => row.name));
    return new Set(nevers.map(({ id }) => id));
  });
  assert.deepEqual(asked, ['gone']);
  assert.deepEqual([found.codes, found.counted], [[], '1']);
  assert.match(String(found.errors[0]), /contradicted for 1 offers/);
});
