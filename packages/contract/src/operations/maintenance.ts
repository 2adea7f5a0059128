import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { Int } from '../core/schemas.ts';

export const Cleaned = Type.Object(
  {
    cleaned: Type.Object(
      {
        expiredVariantAssignments: Int(0, Number.MAX_SAFE_INTEGER, 'Expired experiment assignments deleted.'),
        oldAuditLogs: Int(
          0,
          Number.MAX_SAFE_INTEGER,
          'Audit rows deleted because they were older than the retention of class `audit`.',
        ),
      },
      { description: 'Number of deleted rows.' },
    ),
  },
  { description: 'What was deleted.' },
);
export type Cleaned = Static<typeof Cleaned>;

/** What an administrator deleted manually. */
export const maintenanceOperations = {
  cleanup: operation({
    id: 'maintenance.cleanup',
    method: 'POST',
    path: '/api/v1/cleanup',
    tag: 'Administration',
    auth: 'credential',
    role: 'admin',
    loadClass: 'heavy',
    summary: 'Delete old audit rows and expired assignments',
    description:
      'Deletes audit rows past the retention of class `audit` from the start of the chain, at most 100,000 per call. While the class is under legal hold, none are deleted. Each call writes an audit row with action `checkpoint`, which records how far rows were deleted, their last hash and a signature. Chain checks start there.',
    rateLimits: [{ limit: 5, windowSeconds: 60, per: 'tenant' }],
    responses: { 200: { description: 'What was deleted.', schema: Cleaned } },
    errors: ['not_configured'],
    audit: [{ action: 'checkpoint', entityType: 'auditLog' }],
    transaction: 'tenant',
  }),
} as const;
