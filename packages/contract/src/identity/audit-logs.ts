import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { cursorPage, cursorQuery, type PageLimits } from '../core/pages.ts';
import { Id, IdFilter, Int, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { rangeQuery } from '../core/time-range.ts';

/** The closed list of audit actions (docs/design/api-access.md 7). */
export const auditActions = [
  'create',
  'update',
  'delete',
  'soft_delete',
  'restore',
  'publish',
  'submit',
  'approve',
  'reject',
  'apply',
  'revert',
  'promote',
  'train',
  'compute',
  'revoke',
  'login',
  'login_failed',
  'logout',
  'password_reset',
  'mandatory_override',
  'generate_narrative',
  'compute_shap',
  'trigger_fired',
  'alert_fired',
  'run_started',
  'redrive',
  'purge',
  'load_pack',
  'unload_pack',
  'upload',
  'erase',
  'export',
  'import',
  'reset',
  'bootstrap',
  'checkpoint',
  'read',
  'read_decision_inputs',
  'replay',
  'download_proof',
  'verify',
] as const;
export type AuditAction = (typeof auditActions)[number];

const Json = (description: string) => Type.Unknown({ description });

/** One changed leaf: the value before and after, null where there was none. Secrets appear as bullets. */
export const AuditChange = Type.Object(
  {
    before: Json('Value before the change; null if there was none.'),
    after: Json('Value after the change; null if it was removed.'),
  },
  { description: 'One changed value.' },
);

/** One row of the audit log (docs/design/api-access.md 7). */
export const AuditLog = Type.Object(
  {
    id: Id('ID of the row.'),
    sequence: Type.Integer({ minimum: 1, description: "Position in the tenant's chain, from 1 without gaps." }),
    tenantId: Id('Tenant of the row.'),
    timestamp: Timestamp('When the change was made.'),
    userId: Type.String({
      description: 'Actor: a user id, `apikey:<id>`, `oauth:<id>`, `scim` or `system:<job>`.',
    }),
    userName: Type.String({ description: 'Name of the actor at that time.' }),
    requestId: Type.String({ description: 'ID of the request that caused the change.' }),
    action: StringEnum(auditActions, { description: 'Action that was performed.' }),
    entityType: Type.String({ description: 'Kind of the changed record in camel case, such as `offer` or `apiKey`.' }),
    entityId: Type.String({ description: 'ID of the changed record.' }),
    entityName: Nullable(Type.String(), { description: 'Name of the changed record at that time.' }),
    entityVersion: Nullable(Type.Integer(), {
      description: 'Version of the record after the change, if it has versions.',
    }),
    changes: Type.Record(Type.String(), AuditChange, {
      description: 'Changed values by dotted path (`config.limit`, `tags.0`).',
    }),
    before: Json('The record before the change; null for a creation. Secrets are masked.'),
    after: Json('The record after the change; null for a deletion. Secrets are masked.'),
    prevHash: Type.String({ description: '`integrityHash` of the previous row; 64 zeros for the first row.' }),
    integrityHash: Type.String({
      description: 'SHA-256, in hex, of the RFC 8785 form of this row without `integrityHash`.',
    }),
  },
  { description: 'One row of the audit log.' },
);
export type AuditLog = Static<typeof AuditLog>;

/** What a check of the chain can find (docs/design/api-access.md 7). */
export const auditBreakReasons = [
  'hash_mismatch',
  'chain_link_mismatch',
  'sequence_gap',
  'head_mismatch',
  'anchor_mismatch',
] as const;
export type AuditBreakReason = (typeof auditBreakReasons)[number];

/** Result of a check of the tenant's chain. */
export const AuditVerification = Type.Object(
  {
    intact: Type.Boolean({ description: 'True if no break was found.' }),
    verified: Type.Integer({ description: 'Valid rows, counted from `fromSequence` to the first break.' }),
    total: Type.Integer({ description: "Rows in the tenant's chain." }),
    scanned: Type.Integer({ description: 'Rows checked.' }),
    fromSequence: Type.Integer({ description: 'Sequence of the first row checked.' }),
    nextSequence: Nullable(Type.Integer(), {
      description: 'Pass it as `fromSequence` to continue the check; null at the end of the log or at a break.',
    }),
    checkpoint: Nullable(
      Type.Object({
        sequence: Type.Integer({ description: 'Sequence of the last deleted row.' }),
        hash: Type.String({ description: 'Its `integrityHash`, which is the `prevHash` of the first remaining row.' }),
      }),
      { description: 'How far old rows were deleted, according to the newest checkpoint row; null if none were.' },
    ),
    brokenAtId: Type.Optional(Type.String({ description: 'ID of the row at which the first break was found.' })),
    brokenReason: Type.Optional(
      StringEnum(auditBreakReasons, {
        description:
          'hash_mismatch: content and hash differ, or the signature of a checkpoint row is invalid. ' +
          'chain_link_mismatch: prevHash is not the previous hash. sequence_gap: a row is missing or ' +
          'duplicated. head_mismatch: the last row is not the recorded head. anchor_mismatch: the chain does ' +
          'not match the head recorded outside the database. Without brokenAtId, the row is missing.',
      }),
    ),
  },
  { description: "Result of a check of the tenant's chain." },
);
export type AuditVerification = Static<typeof AuditVerification>;

/** Page size of the list. */
export const auditLogPage: PageLimits = { usual: 50, maximum: 200 };

/** Reading and checking the audit log; rows are written by the changes themselves, never by request. */
export const auditLogOperations = {
  list: operation({
    id: 'auditLogs.list',
    method: 'GET',
    path: '/api/v1/audit-logs',
    tag: 'Audit',
    summary: 'List audit rows, newest first',
    auth: 'credential',
    role: 'admin',
    loadClass: 'crud',
    query: Type.Object({
      ...cursorQuery(auditLogPage),
      entityType: Type.Optional(Type.String({ maxLength: 100, description: 'Kind of record to filter by.' })),
      entityId: Type.Optional(IdFilter('Record to filter by.')),
      action: Type.Optional(StringEnum(auditActions, { description: 'Action to filter by.' })),
      userId: Type.Optional(Type.String({ maxLength: 255, description: 'Actor to filter by.' })),
      ...rangeQuery,
    }),
    responses: { 200: { description: 'A page of audit rows.', schema: cursorPage(AuditLog) } },
    errors: ['invalid_cursor'],
    audit: [],
    transaction: 'tenant',
  }),
  verify: operation({
    id: 'auditLogs.verify',
    method: 'GET',
    path: '/api/v1/audit-logs/verify',
    tag: 'Audit',
    summary: "Verify the tenant's hash chain",
    description:
      'Recomputes every hash and link of the newest `limit` rows, by default of all rows since the last ' +
      'checkpoint (at most 100,000), and compares the end with the recorded head and the daily anchors. To ' +
      'check longer chains page by page, start with `fromSequence=1` and continue with `nextSequence` ' +
      'until it is null. A busy server may end a page early.',
    auth: 'credential',
    role: 'admin',
    loadClass: 'heavy',
    rateLimits: [{ limit: 10, windowSeconds: 60, per: 'tenant' }],
    query: Type.Object({
      limit: Type.Optional(Int(1, 100_000, 'Number of rows to check. Default: all since the last checkpoint.')),
      fromSequence: Type.Optional(
        Int(
          1,
          Number.MAX_SAFE_INTEGER,
          'First row to check. Default: the row from which `limit` rows reach the newest one.',
        ),
      ),
    }),
    responses: { 200: { description: 'Result of the check.', schema: AuditVerification } },
    errors: [],
    audit: [],
    transaction: 'tenant',
  }),
  get: operation({
    id: 'auditLogs.get',
    method: 'GET',
    path: '/api/v1/audit-logs/{id}',
    tag: 'Audit',
    summary: 'Get an audit row',
    auth: 'credential',
    role: 'admin',
    loadClass: 'crud',
    params: Type.Object({ id: Type.String({ description: 'ID of the row.' }) }),
    responses: { 200: { description: 'The row.', schema: AuditLog } },
    errors: ['not_found'],
    audit: [],
    transaction: 'tenant',
  }),
} as const;
