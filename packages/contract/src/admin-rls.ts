import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { Timestamp } from './core/schemas.ts';

const TableName = Type.String({ description: 'Name of a table.' });

/** Row-level security of every table that concerns the tenant (part 1, 4.13). */
export const RlsReport = Type.Object(
  {
    summary: Type.Object(
      {
        totalTables: Type.Integer({ description: 'Tables with tenant data, partitions and data tables included.' }),
        rlsEnabled: Type.Integer({ description: 'Tables with row-level security on.' }),
        rlsForced: Type.Integer({ description: 'Tables where it binds the owner too.' }),
        withPolicy: Type.Integer({ description: 'Tables with the policy `tenant_isolation`.' }),
        missingRLS: Type.Array(TableName, { description: 'Tables with security off or without that policy.' }),
      },
      { description: 'Counts over all tables.' },
    ),
    tables: Type.Array(
      Type.Object(
        {
          table: TableName,
          rlsEnabled: Type.Boolean({ description: 'Row-level security is on.' }),
          rlsForced: Type.Boolean({ description: 'It binds the owner too.' }),
          policies: Type.Array(Type.String({ description: 'Name of a policy.' }), { description: 'Its policies.' }),
        },
        { description: 'One table.' },
      ),
      { description: 'Every table.' },
    ),
    timestamp: Timestamp('When the report was made.'),
  },
  { description: 'Row-level security report.' },
);
export type RlsReport = Static<typeof RlsReport>;

/** What a repair did (part 1, 4.13; docs/design/api-access.md 15). */
export const RlsRepair = Type.Object(
  {
    success: Type.Boolean({ description: 'True only when no table failed.' }),
    enabled: Type.Array(TableName, { description: 'Tables that are protected now.' }),
    failed: Type.Array(
      Type.Object(
        { table: TableName, error: Type.String({ description: 'Why it could not be changed.' }) },
        { description: 'A table that could not be repaired.' },
      ),
      { description: 'Tables that could not be repaired.' },
    ),
    totalTables: Type.Integer({ description: 'Tables with tenant data.' }),
    timestamp: Timestamp('When the repair was made.'),
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
    summary: 'Report the row-level security of every table',
    responses: { 200: { description: 'The report.', schema: RlsReport } },
    audit: [],
  }),
  repair: operation({
    ...shared,
    id: 'adminRls.repair',
    method: 'POST',
    summary: 'Enable and force row-level security everywhere',
    description: 'Idempotent. Answers 200 also when some tables failed; they are named.',
    responses: { 200: { description: 'What was done.', schema: RlsRepair } },
    audit: [{ action: 'update', entityType: 'rls' }],
  }),
} as const;
