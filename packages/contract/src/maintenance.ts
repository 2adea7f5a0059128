import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { Int } from './core/schemas.ts';

export const Cleaned = Type.Object(
  {
    cleaned: Type.Object(
      {
        expiredVariantAssignments: Int(
          0,
          Number.MAX_SAFE_INTEGER,
          'Assignments to variants of experiments that ran out.',
        ),
        oldAuditLogs: Int(0, Number.MAX_SAFE_INTEGER, 'Audit rows that were older than class `audit` is kept.'),
      },
      { description: 'Rows that were deleted.' },
    ),
  },
  { description: 'What was deleted.' },
);
export type Cleaned = Static<typeof Cleaned>;

/** What an administrator has deleted by hand (part 1, 4.13). */
export const maintenanceOperations = {
  cleanup: operation({
    id: 'maintenance.cleanup',
    method: 'POST',
    path: '/api/v1/cleanup',
    tag: 'Administration',
    auth: 'credential',
    role: 'admin',
    loadClass: 'heavy',
    summary: 'Cut old audit rows and delete assignments that ran out',
    description:
      'Audit rows that are older than class `audit` is kept (docs: retention) go from the old end of the chain, at most 100,000 by one call; none while the class is under legal hold. Each call leaves an audit row with action `checkpoint`, which says up to where rows were cut, with their last hash and a signature; checks of the chain begin there.',
    rateLimits: [{ limit: 5, windowSeconds: 60, per: 'tenant' }],
    responses: { 200: { description: 'What was deleted.', schema: Cleaned } },
    errors: ['not_configured'],
    audit: [{ action: 'checkpoint', entityType: 'auditLog' }],
    transaction: 'tenant',
  }),
} as const;
