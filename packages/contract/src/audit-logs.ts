import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { cursorPage, cursorQuery, type PageLimits } from './core/pages.ts';
import { Id, IdFilter, Int, Nullable, StringEnum, Timestamp } from './core/schemas.ts';
import { rangeQuery } from './core/time-range.ts';

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
] as const;
export type AuditAction = (typeof auditActions)[number];

const Json = (description: string) => Type.Unknown({ description });

/** One changed leaf: the value before and after, null where there was none. Secrets appear as bullets. */
export const AuditChange = Type.Object(
  {
    before: Json('Value before the change, null where there was none.'),
    after: Json('Value after the change, null where there is none.'),
  },
  { description: 'One changed leaf.' },
);

/** One row of the audit log (docs/design/api-access.md 7). */
export const AuditLog = Type.Object(
  {
    id: Id('Id of the row.'),
    sequence: Type.Integer({ minimum: 1, description: "Place in the tenant's chain, from 1 without gap." }),
    tenantId: Id('Tenant of the row.'),
    timestamp: Timestamp('When the change was made.'),
    userId: Type.String({
      description: 'Who acted: a user id, `apikey:<id>`, `oauth:<id>`, `scim` or `system:<job>`.',
    }),
    userName: Type.String({ description: 'Name of who acted, as it was then.' }),
    requestId: Type.String({ description: 'Id of the request that caused the change.' }),
    action: StringEnum(auditActions, { description: 'What was done.' }),
    entityType: Type.String({ description: 'Kind of the changed record, camelCase: `offer`, `apiKey`.' }),
    entityId: Type.String({ description: 'Id of the changed record.' }),
    entityName: Nullable(Type.String(), { description: 'Name of the changed record, as it was then.' }),
    entityVersion: Nullable(Type.Integer(), { description: 'Version of the record after the change, if it has one.' }),
    changes: Type.Record(Type.String(), AuditChange, {
      description: 'Changed leaves by dotted path (`config.limit`, `tags.0`).',
    }),
    before: Json('The record before the change, null for a creation. Secrets appear as bullets.'),
    after: Json('The record after the change, null for a deletion. Secrets appear as bullets.'),
    prevHash: Type.String({ description: 'integrityHash of the row before; 64 zeros for the first row.' }),
    integrityHash: Type.String({
      description: 'Hex SHA-256 of the RFC 8785 form of this row without integrityHash.',
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
    intact: Type.Boolean({ description: 'True when no break was found.' }),
    verified: Type.Integer({ description: 'Rows found right, counted from fromSequence up to the first break.' }),
    total: Type.Integer({ description: "Rows of the tenant's chain." }),
    scanned: Type.Integer({ description: 'Rows that were read.' }),
    fromSequence: Type.Integer({ description: 'Sequence at which the check began.' }),
    nextSequence: Nullable(Type.Integer(), {
      description: 'Pass it as `fromSequence` to continue the check; null at the end of the log or at a break.',
    }),
    checkpoint: Nullable(
      Type.Object({
        sequence: Type.Integer({ description: 'Sequence of the last row that was cut.' }),
        hash: Type.String({ description: 'Its integrityHash, which the first row that is left names as prevHash.' }),
      }),
      { description: 'Up to where old rows were cut, as the newest checkpoint row states it; null when none were.' },
    ),
    brokenAtId: Type.Optional(Type.String({ description: 'Id of the row at which the first break shows.' })),
    brokenReason: Type.Optional(
      StringEnum(auditBreakReasons, {
        description:
          'hash_mismatch: content and hash differ; chain_link_mismatch: prevHash is not the hash before; ' +
          'sequence_gap: a row is missing or doubled; head_mismatch: the last row is not the noted head; ' +
          'anchor_mismatch: the chain is not the one whose end was noted outside the database. Without brokenAtId the row ' +
          'is missing. A checkpoint row whose signature is wrong is a hash_mismatch.',
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
      entityType: Type.Optional(Type.String({ maxLength: 100, description: 'Only this kind of record.' })),
      entityId: Type.Optional(IdFilter('Only this record.')),
      action: Type.Optional(StringEnum(auditActions, { description: 'Only this action.' })),
      userId: Type.Optional(Type.String({ maxLength: 255, description: 'Only this actor.' })),
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
    summary: "Check the tenant's hash chain",
    description:
      'Recomputes every hash and link of the newest `limit` rows, by default of all rows since the last checkpoint ' +
      '(at most 100,000), and compares the end with the noted head and with the daily anchors. Longer chains are checked page by page: begin with ' +
      '`fromSequence=1` and go on with `nextSequence` until it is null. A busy server ends a page early rather than late.',
    auth: 'credential',
    role: 'admin',
    loadClass: 'heavy',
    rateLimits: [{ limit: 10, windowSeconds: 60, per: 'tenant' }],
    query: Type.Object({
      limit: Type.Optional(Int(1, 100_000, 'Rows to check; default: all since the last checkpoint.')),
      fromSequence: Type.Optional(
        Int(1, Number.MAX_SAFE_INTEGER, 'Check from this row on; default: so that the newest rows are checked.'),
      ),
    }),
    responses: { 200: { description: 'What the check found.', schema: AuditVerification } },
    errors: [],
    audit: [],
    transaction: 'tenant',
  }),
  get: operation({
    id: 'auditLogs.get',
    method: 'GET',
    path: '/api/v1/audit-logs/{id}',
    tag: 'Audit',
    summary: 'Read one audit row',
    auth: 'credential',
    role: 'admin',
    loadClass: 'crud',
    params: Type.Object({ id: Type.String({ description: 'Id of the row.' }) }),
    responses: { 200: { description: 'The row.', schema: AuditLog } },
    errors: ['not_found'],
    audit: [],
    transaction: 'tenant',
  }),
} as const;
