import {
  type ErrorEntry,
  maxReportTemplates,
  type ReportTemplate,
  type ReportTemplateChange,
  type ReportTemplateCreate,
} from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError, refuseProblems } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import { requireLive } from '../../catalogue/catalogue-records/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { requireDestinations } from './destinations.service.ts';
import { removeSchedulesOf } from './schedules.service.ts';
import { paramProblems, sourceOf } from './sources/sources.service.ts';
import {
  countTemplates,
  deleteTemplate,
  insertTemplate,
  selectTemplate,
  selectTemplates,
  type TemplateRow,
  updateTemplate,
} from './templates.store.ts';

/** A template as answers carry it. */
export const showTemplate = ({ destinations, createdAt, updatedAt, ...row }: TemplateRow): ReportTemplate => ({
  ...row,
  filters: { destinations: [...destinations] },
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

export const listTemplates = async (tx: Tx): Promise<ReportTemplate[]> => (await selectTemplates(tx)).map(showTemplate);

/** Returns one template. Throws 404. */
export async function getTemplate(tx: Tx, id: string, lock: '' | 'for update' = ''): Promise<TemplateRow> {
  const row = await selectTemplate(tx, id, lock);
  if (row === undefined) throw new AppError('not_found', { detail: 'This template does not exist.' });
  return row;
}

type Sources = ReportTemplate['dataSources'];
type Sections = ReportTemplate['sections'];

/** One section for each source, under its name. */
const sectionsOf = (sources: Sources): Sections =>
  sources.map(({ sourceKey }, at) => ({ id: `s${at + 1}`, title: sourceOf(sourceKey).label, dataSourceIndex: at }));

const named = {
  offerId: 'offer',
  channelId: 'channel',
  categoryId: 'category',
  segmentId: 'segment',
  modelId: 'algorithmModel',
  experimentId: 'experiment',
} as const;

/** IDs that are each section's own, and sources that are there. */
function checkSections(sections: Sections, sources: number): void {
  const ids = sections.map(({ id }) => id);
  refuseProblems(
    sections.flatMap(({ id, dataSourceIndex }, at): ErrorEntry[] => [
      ...(dataSourceIndex < sources
        ? []
        : [{ path: `/sections/${at}/dataSourceIndex`, message: `must be below ${sources}, the number of sources` }]),
      ...(ids.indexOf(id) === at
        ? []
        : [{ path: `/sections/${at}/id`, message: 'is already the ID of another section' }]),
    ]),
  );
}

/** Parameters that their sources know, and records that are there. */
async function checkSources(tx: Tx, sources: Sources): Promise<void> {
  refuseProblems(
    sources.flatMap(({ sourceKey, params = {} }, at) =>
      paramProblems(sourceOf(sourceKey), params, (name) => `/dataSources/${at}/params/${name}`),
    ),
  );
  for (const [at, { params = {} }] of sources.entries()) {
    for (const [name, entityType] of Object.entries(named)) {
      const id: unknown = Reflect.get(params, name);
      if (typeof id === 'string') await requireLive(tx, entityType, id, `/dataSources/${at}/params/${name}`);
    }
  }
}

/** Throws 400, 404 for an unknown destination, 409 `limit_reached`. */
export async function createTemplate(tx: Tx, body: ReportTemplateCreate): Promise<TemplateRow> {
  if ((await countTemplates(tx)) >= maxReportTemplates) {
    throw new AppError('limit_reached', { detail: `A tenant can have at most ${maxReportTemplates} templates.` });
  }
  const { name, description = null, dataSources, narrative = { enabled: false }, formats, filters, enabled } = body;
  const sections = body.sections ?? sectionsOf(dataSources);
  checkSections(sections, dataSources.length);
  await checkSources(tx, dataSources);
  const row: TemplateRow = {
    id: newId(),
    name,
    description,
    dataSources,
    sections,
    formats: [...(formats ?? ['html'])],
    narrative,
    destinations: await requireDestinations(tx, filters?.destinations ?? [], '/filters/destinations'),
    enabled: enabled ?? true,
    createdAt: tx.now,
    updatedAt: tx.now,
  };
  await insertTemplate(tx, row);
  await audit(tx, 'create', row, { after: showTemplate(row) });
  return row;
}

/** Changes the given fields, and checks the result as a whole. */
export async function changeTemplate(tx: Tx, id: string, change: ReportTemplateChange): Promise<TemplateRow> {
  const before = await getTemplate(tx, id, 'for update');
  const { filters, formats, sections: given, ...fields } = change;
  const dataSources = change.dataSources ?? before.dataSources;
  const sections = given ?? (change.dataSources === undefined ? before.sections : sectionsOf(change.dataSources));
  checkSections(sections, dataSources.length);
  // What sources name may have been deleted since, so sources that aren't sent stay as they are.
  if (change.dataSources !== undefined) await checkSources(tx, change.dataSources);
  const row: TemplateRow = {
    ...before,
    ...fields,
    dataSources,
    sections,
    formats: formats === undefined ? before.formats : [...formats],
    destinations:
      filters === undefined
        ? before.destinations
        : await requireDestinations(tx, filters.destinations, '/filters/destinations', before.destinations),
    updatedAt: tx.now,
  };
  await updateTemplate(tx, row);
  await audit(tx, 'update', row, { before: showTemplate(before), after: showTemplate(row) });
  return row;
}

/** Also deletes its schedules, each with its own audit row. Its runs stay. */
export async function removeTemplate(tx: Tx, id: string): Promise<void> {
  const row = await getTemplate(tx, id, 'for update');
  await removeSchedulesOf(tx, row.id);
  await deleteTemplate(tx, row.id);
  await audit(tx, 'delete', row, { before: showTemplate(row) });
}

async function audit(
  tx: Tx,
  action: 'create' | 'update' | 'delete',
  { id, name }: TemplateRow,
  change: { readonly before?: object; readonly after?: object },
): Promise<void> {
  await recordAudit(tx, { action, entityType: 'reportTemplate', entityId: id, entityName: name, ...change });
}
