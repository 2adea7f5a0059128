import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { Timestamp } from '../core/schemas.ts';

const TableName = Type.String({ description: 'Name of a table.' });

/** Row-level security of every table that concerns the tenant. */
export const RlsReport = Type.Object(
  {
    summary: Type.Object(
      {
        totalTables: Type.Integer({ description: 'Tables with tenant data, including partitions and data tables.' }),
        rlsEnabled: Type.Integer({ description: 'Tables with row-level security enabled.' }),
        rlsForced: Type.Integer({ description: 'Tables where row-level security also applies to the owner.' }),
        withPolicy: Type.Integer({ description: 'Tables with the policy `tenant_isolation`.' }),
        missingRLS: Type.Array(TableName, {
          description: 'Tables with row-level security disabled or without that policy.',
        }),
      },
      { description: 'Totals over all tables.' },
    ),
    tables: Type.Array(
      Type.Object(
        {
          table: TableName,
          rlsEnabled: Type.Boolean({ description: 'Row-level security is enabled.' }),
          rlsForced: Type.Boolean({ description: 'Row-level security also applies to the owner.' }),
          policies: Type.Array(Type.String({ description: 'Name of a policy.' }), {
            description: 'Policies of the table.',
          }),
        },
        { description: 'Row-level security of one table.' },
      ),
      { description: 'Every table.' },
    ),
    timestamp: Timestamp('When the report was created.'),
  },
  { description: 'Row-level security report.' },
);
export type RlsReport = Static<typeof RlsReport>;

/** The result of a repair (docs/design/api-access.md 15). */
export const RlsRepair = Type.Object(
  {
    success: Type.Boolean({ description: 'True if no table failed.' }),
    enabled: Type.Array(TableName, { description: 'Tables that are now protected.' }),
    failed: Type.Array(
      Type.Object(
        { table: TableName, error: Type.String({ description: "Why the table couldn't be repaired." }) },
        { description: 'A table that could not be repaired.' },
      ),
      { description: 'Tables that could not be repaired.' },
    ),
    totalTables: Type.Integer({ description: 'Tables with tenant data.' }),
    timestamp: Timestamp('When the repair ran.'),
  },
  { description: 'Result of a repair.' },
);
export type RlsRepair = Static<typeof RlsRepair>;

const shared = {
  path: '/api/v1/admin/rls',
  tag: 'Administration',
  auth: 'credential',
  role: 'admin',
  loadClass: 'heavy',
  errors: [],
  transaction: 'tenant',
} as const;

export const adminRlsOperations = {
  report: operation({
    ...shared,
    id: 'adminRls.report',
    method: 'GET',
    summary: 'Report row-level security of every table',
    responses: { 200: { description: 'The report.', schema: RlsReport } },
    audit: [],
  }),
  repair: operation({
    ...shared,
    id: 'adminRls.repair',
    method: 'POST',
    summary: 'Enable and force row-level security on every table',
    description: 'Idempotent. Returns 200 even if some tables failed, and lists them.',
    responses: { 200: { description: 'Result of the repair.', schema: RlsRepair } },
    audit: [{ action: 'update', entityType: 'rls' }],
  }),
} as const;
