import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { playRecords } from './play-records.ts';
import type { Kind } from './record-world.ts';

/** Random sequences of calls over families of catalogue records, compared with an oracle in memory. */

let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 4 });
});
after(async () => {
  for (const { keys } of server.tenants) {
    const { body } = await server.call('GET', '/api/v1/audit-logs/verify?fromSequence=1', { key: keys.admin });
    assert.equal(body.intact, true);
  }
  await server?.close();
});

const plain = { parents: [], uniqueIn: null, constant: {}, removal: 'empty' } as const;
const lifecycle = ['draft', 'active', 'paused', 'archived'] as const;

const categories: Kind = {
  ...plain,
  kind: 'categories',
  statuses: ['active', 'inactive'],
  ordinal: true,
  order: 'ordinal',
};
const subCategories: Kind = {
  ...categories,
  kind: 'sub-categories',
  uniqueIn: 'categoryId',
  parents: [{ property: 'categoryId', kind: 'categories', required: true, moves: false, onDelete: 'refuse' }],
};
const channels: Kind = {
  ...plain,
  kind: 'channels',
  statuses: lifecycle,
  ordinal: false,
  order: 'newest',
  constant: { channelType: 'web' },
};
const placements: Kind = {
  ...plain,
  kind: 'placements',
  statuses: ['active', 'inactive'],
  ordinal: false,
  order: 'name',
  uniqueIn: 'channelId',
  parents: [{ property: 'channelId', kind: 'channels', required: true, moves: false, onDelete: 'cascade' }],
};
const offers: Kind = {
  ...plain,
  kind: 'offers',
  statuses: lifecycle,
  ordinal: false,
  order: 'newest',
  parents: [
    { property: 'categoryId', kind: 'categories', required: false, moves: true, onDelete: 'refuse' },
    { property: 'subCategoryId', kind: 'sub-categories', required: false, moves: true, onDelete: 'refuse' },
  ],
  rule(of, { categoryId, subCategoryId }) {
    if ((subCategoryId ?? null) === null) return null;
    const sub = of('sub-categories').find(({ id }) => id === subCategoryId);
    return sub?.fields.categoryId === categoryId ? null : 'validation_failed';
  },
  removal: 'cascaded',
};
const creatives: Kind = {
  ...plain,
  kind: 'creatives',
  statuses: lifecycle,
  ordinal: false,
  order: 'newest',
  parents: [
    { property: 'offerId', kind: 'offers', required: true, moves: true, onDelete: 'cascade' },
    { property: 'channelId', kind: 'channels', required: true, moves: true, onDelete: 'refuse' },
    { property: 'placementId', kind: 'placements', required: false, moves: true, onDelete: 'refuse' },
  ],
  rule(of, { channelId, placementId }) {
    if ((placementId ?? null) === null) return null;
    const placement = of('placements').find(({ id }) => id === placementId);
    return placement?.fields.channelId === channelId ? null : 'validation_failed';
  },
  removal: 'success',
};

test('categories with sub-categories', () => playRecords(server, [categories, subCategories], { runs: 25, steps: 40 }));

test('channels with placements', () => playRecords(server, [channels, placements], { runs: 25, steps: 40 }));

test('categories with sub-categories and offers', () =>
  playRecords(server, [categories, subCategories, offers], { runs: 20, steps: 50 }));

test('offers with creatives, on channels with placements', () =>
  playRecords(server, [channels, placements, { ...offers, parents: [] }, creatives], { runs: 20, steps: 60 }));
