import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { Id, StringEnum, Timestamp } from '../core/schemas.ts';

/** Names of the caches that processes keep for a tenant. */
export const cacheScopes = ['offers', 'qualificationRule', 'contactPolicy'] as const;

const CacheFlush = Type.Object(
  {
    scope: Type.Optional(
      StringEnum(['all', ...cacheScopes], {
        description:
          'What to reload: everything (default), or records of one kind. `all` also recounts the totals that ranking objectives use and, in the background, the daily figures of the tenant in its time zone.',
      }),
    ),
  },
  { description: 'What to reload.', examples: [{ scope: 'all' }] },
);
export type CacheFlush = Static<typeof CacheFlush>;

export const CacheFlushed = Type.Object(
  {
    success: Type.Boolean({ description: 'Always true.' }),
    flushed: Type.Array(
      StringEnum([...cacheScopes, 'objectiveCounts', 'dailyTotals'], { description: 'Name of a cache.' }),
      {
        description:
          'What every process reloads before its next decision. `dailyTotals`: figures that a job recounts from history.',
      },
    ),
    tenantId: Id('Tenant.'),
    timestamp: Timestamp('When the caches were flushed.'),
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
    summary: 'Flush the caches of every process',
    description:
      'For recovery only: caches follow changes automatically. Raises the catalogue version, so that every process reloads the catalogue before its next decision.',
    rateLimits: [{ limit: 5, windowSeconds: 60, per: 'tenant' }],
    body: CacheFlush,
    responses: { 200: { description: 'What was flushed.', schema: CacheFlushed } },
    audit: [{ action: 'update', entityType: 'cache' }],
  }),
} as const;
