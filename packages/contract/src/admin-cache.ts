import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { Id, StringEnum, Timestamp } from './core/schemas.ts';

/** What processes hold in memory of a tenant, by the names of part 1, 4.13. */
export const cacheScopes = ['offers', 'qualificationRule', 'contactPolicy'] as const;

const CacheFlush = Type.Object(
  {
    scope: Type.Optional(
      StringEnum(['all', ...cacheScopes], {
        description:
          'What to read anew: everything (the default), or records of one kind. `all` also counts anew what ranking objectives count, and, in the background, the daily figures of the tenant, in the days of its zone.',
      }),
    ),
  },
  { description: 'What to flush.', examples: [{ scope: 'all' }] },
);
export type CacheFlush = Static<typeof CacheFlush>;

export const CacheFlushed = Type.Object(
  {
    success: Type.Boolean({ description: 'True.' }),
    flushed: Type.Array(
      StringEnum([...cacheScopes, 'objectiveCounts', 'dailyTotals'], { description: 'Name of a cache.' }),
      {
        description:
          'What every process reads anew before its next decision; `dailyTotals`: figures that a job counts anew from history.',
      },
    ),
    tenantId: Id('Tenant.'),
    timestamp: Timestamp('When it was flushed.'),
  },
  { description: 'What was flushed.' },
);
export type CacheFlushed = Static<typeof CacheFlushed>;

export const adminCacheOperations = {
  flush: operation({
    id: 'adminCache.flush',
    method: 'POST',
    path: '/api/v1/admin/cache',
    tag: 'Administration',
    auth: 'credential',
    role: 'admin',
    loadClass: 'heavy',
    errors: [],
    transaction: 'tenant',
    changesCatalogue: true,
    summary: 'Have every process read its caches anew',
    description:
      'A rescue: caches follow writes by themselves. Raises the version of the catalogue, so that each process reads it before its next decision.',
    rateLimits: [{ limit: 5, windowSeconds: 60, per: 'tenant' }],
    body: CacheFlush,
    responses: { 200: { description: 'What was flushed.', schema: CacheFlushed } },
    audit: [{ action: 'update', entityType: 'cache' }],
  }),
} as const;
