import Type, { type Static } from 'typebox';
import { secret } from '../core/auth.ts';
import { operation } from '../core/operation.ts';
import { Id, Int, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';

/** Maximum rows that one call exports per tenant. */
export const maxExportedAtOnce = 10_000;

const Count = (description: string) => Int(0, Number.MAX_SAFE_INTEGER, description);

const TenantFailure = Type.Object(
  {
    tenantId: Id('Tenant.'),
    error: Type.String({ description: 'Error code or kind of failure. The log has the details.' }),
  },
  { description: 'A tenant whose part failed. Other tenants are not affected.' },
);
export type TenantFailure = Static<typeof TenantFailure>;

/** The result of an export for one tenant. */
const ExportedTenant = Type.Object(
  {
    tenantId: Id('Tenant.'),
    tenantName: Type.String({ description: 'Name of the tenant.' }),
    exported: Int(0, maxExportedAtOnce, 'Rows in the file.'),
    filePath: Nullable(Type.String(), {
      description:
        '`exports/<tenant>/interaction_history/year=YYYY/month=MM/day=DD/batch-<epoch ms>.json`, where `exports` is EXPORT_DIR. Null if there was nothing to export.',
    }),
    archivedMonths: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'UTC months that were archived before the first export. Exports leave them out until you restore them.',
      }),
    ),
    error: Type.Optional(
      Type.String({ description: 'Why nothing was exported. The next call tries these rows again.' }),
    ),
  },
  { description: 'Result for one tenant.' },
);
export type ExportedTenant = Static<typeof ExportedTenant>;

export const ExportAnswer = Type.Object(
  {
    ok: Type.Boolean({ description: 'True if no tenant has an `error`.' }),
    totalExported: Count('Rows of all tenants.'),
    tenants: Type.Array(ExportedTenant, { description: 'One entry per tenant.' }),
  },
  { description: 'Result of the export.' },
);
export type ExportAnswer = Static<typeof ExportAnswer>;

/** Classes of data that the nightly cleanup deletes by age. */
export const cleanedClasses = ['interactions', 'summaries', 'decisions', 'traces', 'metrics'] as const;

export const CleanupAnswer = Type.Object(
  {
    status: StringEnum(['ok', 'partial'], { description: '`partial` if `perTenantErrors` is not empty.' }),
    cleaned: Type.Object(
      {
        expiredSuppressions: Count('Expired suppressions.'),
        tenantsProcessed: Count('Tenants processed, including those with an error.'),
        totalHistoryPurged: Count(
          'Rows of interaction history. Items of one decision that are stored as one row count once.',
        ),
        totalSummariesPurged: Count('Daily customer summaries.'),
        totalDecisionsPurged: Count('Sealed records and decision traces.'),
        legalHoldSkips: Type.Unsafe<Record<string, string[]>>(
          Type.Object(
            {},
            {
              additionalProperties: Type.Array(StringEnum(cleanedClasses, { description: 'Name of a data class.' })),
              description: 'By tenant: data classes under legal hold, which were not touched.',
            },
          ),
        ),
        partitionsEnsured: Count(
          'Monthly partitions that exist for this month and the next three; 0 if they could not be created.',
        ),
        perTenantErrors: Type.Array(TenantFailure, { description: 'Tenants whose part failed.' }),
      },
      { description: 'Result of the call.' },
    ),
    timestamp: Timestamp('When the call finished.'),
  },
  {
    description:
      'Number of deleted rows. Anything a call has no time for is left to the next call and to the nightly jobs.',
  },
);
export type CleanupAnswer = Static<typeof CleanupAnswer>;

export const ApprovalsExpireAnswer = Type.Object(
  {
    status: StringEnum(['ok', 'partial'], { description: '`partial` if a tenant failed. The log has the details.' }),
    maxAgeHours: Int(1, 876_000, 'APPROVAL_MAX_AGE_HOURS; 168 if it is unset or not a whole number from 1 to 876,000.'),
    cutoff: Timestamp('Requests created before this instant have expired.'),
    expired: Count('Approvals that expired in this call.'),
    durationMs: Count('Duration of the call.'),
    timestamp: Timestamp('When the call finished.'),
  },
  { description: 'Result of the call.' },
);
export type ApprovalsExpireAnswer = Static<typeof ApprovalsExpireAnswer>;

/** The answers of the other maintenance routes (docs/design/api-access.md 14). */
export const MaintenanceAnswer = Type.Object(
  {
    ok: Type.Boolean({ description: 'True when no tenant failed.' }),
    processed: Count('Amount of work done, in the unit described by the route.'),
    errors: Type.Array(TenantFailure, { description: 'Tenants whose part failed.' }),
    durationMs: Count('Duration of the call.'),
    timestamp: Timestamp('When the call finished.'),
  },
  { description: 'Result of the call.' },
);
export type MaintenanceAnswer = Static<typeof MaintenanceAnswer>;

const shared = {
  method: 'GET',
  tag: 'Maintenance',
  auth: secret(['CRON_SECRET'], ['x-cron-secret']),
  role: null,
  head: false,
  errorFormat: 'cron',
  loadClass: 'heavy',
  errors: [],
  transaction: 'own',
} as const;

const maintenance = <const I extends string, const P extends string>(id: I, path: P, summary: string, done: string) =>
  operation({
    ...shared,
    id,
    path,
    summary,
    description: 'The built-in scheduler does the same. This route is for external schedulers.',
    responses: { 200: { description: done, schema: MaintenanceAnswer } },
    audit: [],
  });

/**
 * Maintenance that a scheduler outside calls (docs/design/api-access.md 14). All tenants at once. Opened by
 * `CRON_SECRET`, as bearer or in `X-Cron-Secret`; while that variable is unset every call is 401.
 */
export const cronExportOperations = {
  exportInteractions: operation({
    ...shared,
    id: 'cron.exportInteractions',
    path: '/api/v1/cron/export-interactions',
    summary: 'Export new interaction history to files',
    description:
      'Exports up to 10,000 new rows per tenant and call as newline-delimited JSON. Every row is exported once: the next call completes a call that was interrupted, and a row whose transaction commits late is exported by the first call after that.',
    responses: { 200: { description: 'Result of the export.', schema: ExportAnswer } },
    // Each file leaves a row `export` of entityType `interaction` in its tenant's chain. A call without new rows leaves
    // none.
    audit: [],
  }),
} as const;

/** Like `cronExportOperations`. */
export const cronOperations = {
  cleanup: operation({
    ...shared,
    id: 'cron.cleanup',
    path: '/api/v1/cron/cleanup',
    summary: 'Delete data past its retention and create partitions',
    description:
      "Deletes expired suppressions, and history, summaries, sealed records and traces according to each tenant's retention. Data classes under legal hold are not touched and are listed.",
    responses: { 200: { description: 'What was deleted.', schema: CleanupAnswer } },
    audit: [],
  }),
  approvalsExpire: operation({
    ...shared,
    id: 'cron.approvalsExpire',
    path: '/api/v1/cron/approvals-expire',
    summary: 'Expire pending approvals',
    responses: { 200: { description: 'Result of the call.', schema: ApprovalsExpireAnswer } },
    audit: [],
  }),
  auditAnchor: maintenance(
    'cron.auditAnchor',
    '/api/v1/cron/audit-anchor',
    'Write the heads of all audit chains to the daily anchor file',
    'Chains written.',
  ),
  outboxReaper: maintenance(
    'cron.outboxReaper',
    '/api/v1/cron/outbox-reaper',
    'Publish stuck events and report jobs that no process takes',
    'Outbox rows that had waited for 30 seconds and were published. If jobs have waited for two minutes and no process of the installation takes jobs, `ok` is false and `errors` lists the tenants with `queue_without_consumer`.',
  ),
  reservationsExpire: maintenance(
    'cron.reservationsExpire',
    '/api/v1/cron/reservations-expire',
    'Queue the release of expired reservations',
    'Tenants whose run was queued. A run that was already queued counts too.',
  ),
  segmentsRefresh: maintenance(
    'cron.segmentsRefresh',
    '/api/v1/cron/segments-refresh',
    'Queue a recount of segment members',
    'Tenants whose run was queued. A run that was already queued counts too.',
  ),
} as const;
