import type { ReportFormat, ReportTemplate } from '@arbiter/contract';
import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import { type Tx, textArray, uuidArray } from '../../../db/index.ts';
import { isUuid } from '../../../platform/ids.ts';

const templateColumns = columns(
  table<
    'report_templates',
    {
      dataSources: ReportTemplate['dataSources'];
      sections: ReportTemplate['sections'];
      narrative: ReportTemplate['narrative'];
      formats: ReportFormat[];
    }
  >('report_templates'),
  [
    'id',
    'name',
    'description',
    'dataSources',
    'sections',
    'formats',
    'narrative',
    'destinations',
    'enabled',
    'createdAt',
    'updatedAt',
  ],
);

export type TemplateRow = RowOf<typeof templateColumns>;

/** All of the tenant, newest first. */
export async function selectTemplates(tx: Tx): Promise<TemplateRow[]> {
  return select(tx, templateColumns, 'from arbiter.report_templates where tenant_id = $1 order by id desc', [
    tx.tenantId,
  ]);
}

export async function countTemplates(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    'select count(*)::int as count from arbiter.report_templates where tenant_id = $1',
    [tx.tenantId],
  );
  return row?.count ?? 0;
}

/** Undefined for an ID that isn't a template of the tenant. `lock`: until the transaction ends. */
export async function selectTemplate(
  tx: Tx,
  id: string,
  lock: '' | 'for update' | 'for key share' = '',
): Promise<TemplateRow | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await select(
    tx,
    templateColumns,
    `from arbiter.report_templates where tenant_id = $1 and id = $2 ${lock}`,
    [tx.tenantId, id],
  );
  return row;
}

const valuesOf = (tx: Tx, row: TemplateRow): unknown[] => [
  tx.tenantId,
  row.id,
  row.name,
  row.description,
  JSON.stringify(row.dataSources),
  JSON.stringify(row.sections),
  textArray(row.formats),
  JSON.stringify(row.narrative),
  uuidArray(row.destinations),
  row.enabled,
  row.updatedAt,
];

export async function insertTemplate(tx: Tx, row: TemplateRow): Promise<void> {
  await tx.query(
    `insert into arbiter.report_templates (tenant_id, id, name, description, data_sources, sections, formats, narrative,
       destinations, enabled, created_at, updated_at)
     values ($1, $2, $3, $4, $5::jsonb, $6::jsonb, $7, $8::jsonb, $9, $10, $11, $11)`,
    valuesOf(tx, row),
  );
}

export async function updateTemplate(tx: Tx, row: TemplateRow): Promise<void> {
  await tx.query(
    `update arbiter.report_templates set name = $3, description = $4, data_sources = $5::jsonb, sections = $6::jsonb,
       formats = $7, narrative = $8::jsonb, destinations = $9, enabled = $10, updated_at = $11
      where tenant_id = $1 and id = $2`,
    valuesOf(tx, row),
  );
}

export async function deleteTemplate(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from arbiter.report_templates where tenant_id = $1 and id = $2', [tx.tenantId, id]);
}
