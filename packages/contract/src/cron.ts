import Type, { type Static } from 'typebox';
import { secret } from './core/auth.ts';
import { operation } from './core/operation.ts';
import { Id, Int, Nullable, StringEnum, Timestamp } from './core/schemas.ts';

/** Rows of one tenant that one call exports at most (part 1, section 8). */
export const mostExportedAtOnce = 10_000;

const Count = (description: string) => Int(0, Number.MAX_SAFE_INTEGER, description);

const TenantFailure = Type.Object(
  {
    tenantId: Id('Tenant.'),
    error: Type.String({ description: 'A code of the registry, or what kind of failure it was; the log says more.' }),
  },
  { description: 'A tenant whose part failed; the others were served.' },
);
export type TenantFailure = Static<typeof TenantFailure>;

/** What an export did for one tenant. */
const ExportedTenant = Type.Object(
  {
    tenantId: Id('Tenant.'),
    tenantName: Type.String({ description: 'Name of the tenant.' }),
    exported: Int(0, mostExportedAtOnce, 'Rows that are in the file.'),
    filePath: Nullable(Type.String(), {
      description:
        '`exports/<tenant>/interaction_history/year=YYYY/month=MM/day=DD/batch-<epoch ms>.json`, where `exports` is EXPORT_DIR; null when there was nothing to export.',
    }),
    error: Type.Optional(
      Type.String({ description: 'Why nothing was exported; the rows are tried again by the next call.' }),
    ),
  },
  { description: 'One tenant.' },
);
export type ExportedTenant = Static<typeof ExportedTenant>;

export const ExportAnswer = Type.Object(
  {
    ok: Type.Boolean({ description: 'True when no tenant has an `error`.' }),
    totalExported: Count('Rows of all tenants.'),
    tenants: Type.Array(ExportedTenant, { description: 'Every tenant.' }),
  },
  { description: 'What was exported.' },
);
export type ExportAnswer = Static<typeof ExportAnswer>;

/** Classes of data that the nightly cleanup deletes by age. */
export const cleanedClasses = ['interactions', 'summaries', 'decisions', 'traces', 'metrics'] as const;

export const CleanupAnswer = Type.Object(
  {
    status: StringEnum(['ok', 'partial'], { description: '`partial` when `perTenantErrors` is not empty.' }),
    cleaned: Type.Object(
      {
        expiredSuppressions: Count('Suppressions that had run out.'),
        tenantsProcessed: Count('Tenants whose data was looked through, those with an error included.'),
        totalHistoryPurged: Count(
          'Rows of interaction history, items of one decision that are stored as one row counted once.',
        ),
        totalSummariesPurged: Count('Sums of customers and days.'),
        totalDecisionsPurged: Count('Sealed records and decision traces.'),
        legalHoldSkips: Type.Unsafe<Record<string, string[]>>(
          Type.Object(
            {},
            {
              additionalProperties: Type.Array(StringEnum(cleanedClasses, { description: 'Name of a class.' })),
              description: 'By tenant: classes of data that are held and were left as they are.',
            },
          ),
        ),
        partitionsEnsured: Count(
          'Monthly partitions of this month and the next three that are there now; 0 when they could not be made.',
        ),
        perTenantErrors: Type.Array(TenantFailure, { description: 'Tenants whose part failed.' }),
      },
      { description: 'What was done.' },
    ),
    timestamp: Timestamp('When it was done.'),
  },
  { description: 'What was deleted. What a call has no time for is left to the next one, and to the nightly jobs.' },
);
export type CleanupAnswer = Static<typeof CleanupAnswer>;

export const ApprovalsExpireAnswer = Type.Object(
  {
    status: StringEnum(['ok', 'partial'], { description: '`partial` when a tenant failed; the log says which.' }),
    maxAgeHours: Int(
      1,
      876_000,
      'APPROVAL_MAX_AGE_HOURS; 168 when that is unset or no whole number from 1 to 876,000.',
    ),
    cutoff: Timestamp('What was asked for before this instant has expired.'),
    expired: Count('Approvals that expired by this call.'),
    durationMs: Count('Time that it took.'),
    timestamp: Timestamp('When it was done.'),
  },
  { description: 'What expired.' },
);
export type ApprovalsExpireAnswer = Static<typeof ApprovalsExpireAnswer>;

/** What the further maintenance routes answer (docs/design/api-access.md 14). */
export const MaintenanceAnswer = Type.Object(
  {
    ok: Type.Boolean({ description: 'True when no tenant failed.' }),
    processed: Count('What was done, in the unit that the route names.'),
    errors: Type.Array(TenantFailure, { description: 'Tenants whose part failed.' }),
    durationMs: Count('Time that it took.'),
    timestamp: Timestamp('When it was done.'),
  },
  { description: 'What was done.' },
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
    description: 'The scheduler does the same by itself; this route is for schedulers outside.',
    responses: { 200: { description: done, schema: MaintenanceAnswer } },
    audit: [],
  });

/**
 * Maintenance that a scheduler outside calls (part 1, 4.12; docs/design/api-access.md 14). All tenants at once. Opened by
 * `CRON_SECRET`, as bearer or in `X-Cron-Secret`; while that variable is unset every call is 401.
 */
export const cronExportOperations = {
  exportInteractions: operation({
    ...shared,
    id: 'cron.exportInteractions',
    path: '/api/v1/cron/export-interactions',
    summary: 'Export new interaction history into files',
    description:
      'For every tenant the rows that were not exported yet, at most 10,000 of each by one call, as newline-delimited JSON. Every row is exported once: a call that is killed is finished by the next one, and a row whose transaction ends late is exported by the first call after that.',
    responses: { 200: { description: 'What was exported.', schema: ExportAnswer } },
    // Each file leaves a row `export` of entityType `interaction` in its tenant's chain; a call without new rows leaves none.
    audit: [],
  }),
} as const;

/** As `cronExportOperations`. */
export const cronOperations = {
  cleanup: operation({
    ...shared,
    id: 'cron.cleanup',
    path: '/api/v1/cron/cleanup',
    summary: 'Delete what tenants keep no longer, and make partitions ahead',
    description:
      'Suppressions that have run out; history, summaries, sealed records and traces by the retention of each tenant. A class under legal hold is left as it is and named.',
    responses: { 200: { description: 'What was deleted.', schema: CleanupAnswer } },
    audit: [],
  }),
  approvalsExpire: operation({
    ...shared,
    id: 'cron.approvalsExpire',
    path: '/api/v1/cron/approvals-expire',
    summary: 'Expire approvals that nobody has decided',
    responses: { 200: { description: 'What expired.', schema: ApprovalsExpireAnswer } },
    audit: [],
  }),
  auditAnchor: maintenance(
    'cron.auditAnchor',
    '/api/v1/cron/audit-anchor',
    'Write the heads of all audit chains into the anchor file of the day',
    'Chains that are anchored.',
  ),
  outboxReaper: maintenance(
    'cron.outboxReaper',
    '/api/v1/cron/outbox-reaper',
    'Publish events that got stuck, and raise the alarm for jobs that nothing takes',
    'Rows of the outbox that had waited for half a minute and were published. `ok` is false, and `errors` names the tenants with `queue_without_consumer`, when jobs have waited for two minutes and no process of the installation takes jobs.',
  ),
  reservationsExpire: maintenance(
    'cron.reservationsExpire',
    '/api/v1/cron/reservations-expire',
    'Have reservations that ran out freed',
    'Tenants whose run was put into the queue; one that waits there already does for this call too.',
  ),
  segmentsRefresh: maintenance(
    'cron.segmentsRefresh',
    '/api/v1/cron/segments-refresh',
    'Have the members of segments counted anew',
    'Tenants whose run was put into the queue; one that waits there already does for this call too.',
  ),
} as const;
