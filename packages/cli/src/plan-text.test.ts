import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PolicyPlan } from '@arbiter/contract';
import { driftLines, planLines } from './plan-text.ts';

const summary = { create: 1, update: 1, delete: 1, replace: 1, await: 1, unchanged: 3 };

const plan: PolicyPlan = {
  changes: [
    {
      action: 'create',
      type: 'offers',
      ref: 'Gold card',
      path: 'offers/gold-card-f1f2a3b4.yaml',
      fields: [
        { path: 'name', after: 'Gold card' },
        { path: 'tags.0', after: 'card' },
      ],
    },
    {
      action: 'update',
      type: 'placements',
      ref: ['web', 'top'],
      path: 'placements/web-top-a1b2c3d4.yaml',
      fields: [
        { path: 'maxSlots', before: 2 },
        { path: 'name', before: 'Top', after: 'x'.repeat(200) },
        { path: 'targeting', before: null, after: {} },
      ],
    },
    {
      action: 'replace',
      type: 'schemas',
      ref: 'people',
      path: 'schemas/people.yaml',
      fields: [{ path: 'fields.3.dataType', before: 'integer', after: 'text' }],
    },
    { action: 'await', type: 'content-items', ref: 'Hello', path: 'content-items/hello-00000000.yaml', fields: [] },
    {
      action: 'delete',
      type: 'decision-flows',
      ref: 'main',
      path: 'decision-flows/main.yaml',
      fields: [{ path: 'isProtected', before: true, after: false }],
    },
  ],
  notInFiles: [{ type: 'offers', ref: 'extra', path: 'offers/extra.yaml' }],
  warnings: [{ path: 'contact-policies/cap.yaml#/scopes/0/scopeId', message: '"x" names nothing' }],
  summary,
  configVersion: 7,
  hash: '0'.repeat(64),
};

test('prints a plan', () => {
  assert.equal(
    planLines(plan).join('\n'),
    `+ create offers "Gold card" (offers/gold-card-f1f2a3b4.yaml)
    name: (none) -> "Gold card"
    tags.0: (none) -> "card"
~ update placements ["web","top"] (placements/web-top-a1b2c3d4.yaml)
    maxSlots: 2 -> (none)
    name: "Top" -> "${'x'.repeat(119)}... (202 characters)
    targeting: null -> {}
-/+ replace schemas "people" (schemas/people.yaml)
    fields.3.dataType: "integer" -> "text"
~ awaiting approval content-items "Hello" (content-items/hello-00000000.yaml)
- delete decision-flows "main" (decision-flows/main.yaml)
    isProtected: true -> false
! not in files offers "extra" (offers/extra.yaml)
warning: contact-policies/cap.yaml#/scopes/0/scopeId "x" names nothing
Plan: 1 to create, 1 to update, 1 to delete, 1 to replace, 1 awaiting approval.`,
  );
});

test('prints only the last line for a plan without changes', () => {
  const none = { ...summary, create: 0, update: 0, delete: 0, replace: 0, await: 0 };
  assert.deepEqual(planLines({ ...plan, changes: [], notInFiles: [], warnings: [], summary: none }), [
    'Plan: 0 to create, 0 to update, 0 to delete.',
  ]);
});

test('names people in a drift', () => {
  assert.deepEqual(driftLines({ applied: null, changes: [], configVersion: 1 }), [
    'No files have been applied yet. Run "arbiter apply <folder>" first.',
  ]);
  const applied = {
    at: '2026-11-20T09:00:00.000Z',
    userId: 'apikey:1',
    userName: 'deploy',
    configVersion: 6,
    hash: '0'.repeat(64),
  };
  const by = [{ userId: 'u1', userName: 'Ada', action: 'update', timestamp: '2026-11-21T09:00:00.000Z' }];
  assert.deepEqual(driftLines({ applied, changes: [{ ...plan.changes[2]!, by }], configVersion: 7 }), [
    '-/+ replace schemas "people" (schemas/people.yaml)',
    '    fields.3.dataType: "integer" -> "text"',
    '    by Ada (u1): update at 2026-11-21T09:00:00.000Z',
    'Drift: 1 object has changed since deploy applied the files at 2026-11-20T09:00:00.000Z.',
  ]);
});
