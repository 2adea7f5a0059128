import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flowDirectory } from './flow-directory.ts';
import type { PublishedFlowRow } from './flows.store.ts';

const flow = (key: string, extra: Partial<PublishedFlowRow> = {}): PublishedFlowRow => ({
  id: `0199aaaa-0000-7000-8000-0000000000${key.padStart(2, '0')}`,
  key,
  name: key,
  status: 'active',
  isDefault: false,
  couplingOverride: null,
  version: 1,
  config: { version: 2, nodes: [] },
  ...extra,
});

describe('which flow runs (docs/design/api-decisioning.md 5)', () => {
  it('finds by key, then by ID, and never a deleted flow', () => {
    const directory = flowDirectory([flow('a1'), flow('b2', { key: flow('a1').id })]);
    assert.equal(directory.find('a1')?.runnable?.key, 'a1');
    assert.equal(directory.find(flow('a1').id)?.runnable?.name, 'b2');
    assert.equal(directory.find(flow('b2').id)?.runnable?.name, 'b2');
    assert.equal(directory.find('c3'), null);
  });

  it('tells unpublished and paused flows from missing ones', () => {
    const directory = flowDirectory([flow('a1', { version: null, config: null }), flow('b2', { status: 'paused' })]);
    assert.deepEqual(directory.find('a1')?.runnable, null);
    assert.deepEqual(directory.find('b2')?.runnable, null);
    assert.equal(directory.fallback(), null);
  });

  it('falls back to the default, then to the first flow that can run', () => {
    const rows = [flow('a1', { status: 'draft' }), flow('b2'), flow('c3', { isDefault: true })];
    assert.equal(flowDirectory(rows).fallback()?.key, 'c3');
    assert.equal(flowDirectory(rows.slice(0, 2)).fallback()?.key, 'b2');
    assert.equal(flowDirectory([flow('a1'), flow('c3', { isDefault: true, status: 'paused' })]).fallback()?.key, 'a1');
    const keys = (directory: ReturnType<typeof flowDirectory>) => directory.runnable().map(({ key }) => key);
    assert.deepEqual(keys(flowDirectory(rows)), ['c3', 'b2']);
    assert.deepEqual(keys(flowDirectory([flow('a1', { status: 'draft' })])), []);
  });
});
