import type { ReportParams, ReportSectionData, ReportTemplateSection } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { getTenant } from '../../identity/tenants/index.ts';
import type { ReportChart, ReportDocument, ReportSection } from '../report-rendering/index.ts';
import { describeFilters } from './filters.service.ts';
import { frameOf, periodOf } from './frame.rules.ts';
import type { Source, SourcePorts } from './sources/source.ts';
import { cut, daysOfReport, paramsOf, readSource, type SourceReading, sourceOf } from './sources/sources.service.ts';
import type { TemplateRow } from './templates.store.ts';

/** Returns a section's chart: the requested one, or the one that suits its source. */
function chartOf(source: Source, params: ReportParams, view: ReportTemplateSection['view']): ReportChart | null {
  const wish = view?.chart ?? 'auto';
  const usual = source.chart(params);
  if (wish === 'auto') return usual;
  if (wish === 'none') return null;
  const columns = source.columns(params);
  const [first] = columns;
  const numbers = columns.filter(({ type }) => type !== 'text' && type !== 'date' && type !== 'instant');
  if (first === undefined || numbers.length === 0) return null;
  return { x: usual?.x ?? first.key, y: usual?.y ?? numbers.map(({ key }) => key), kind: wish };
}

/** The report as it is now, without words. Each source is read once, however many sections show it. */
export async function composeDocument(
  tx: Tx,
  template: Pick<TemplateRow, 'name' | 'description' | 'dataSources' | 'sections'>,
  runId: string | null,
  ports: SourcePorts,
): Promise<ReportDocument> {
  const { timezone } = await readSettings(tx);
  const { name: tenantName } = await getTenant(tx);
  const days = daysOfReport(template.dataSources);
  const read = new Map<number, SourceReading>();
  const sections: ReportSection[] = [];
  for (const { id, title, dataSourceIndex, view } of template.sections) {
    const dataSource = template.dataSources[dataSourceIndex];
    if (dataSource === undefined) throw new Error(`section ${id} uses a source that does not exist`);
    const source = sourceOf(dataSource.sourceKey);
    const params = paramsOf(source, dataSource.params ?? {}, days);
    const known = read.get(dataSourceIndex) ?? (await readSource(tx, source, params, timezone, ports));
    read.set(dataSourceIndex, known);
    const chart = chartOf(source, params, view);
    const { rows, truncated } = cut(known.rows);
    const columns = source.columns(params);
    const { period, notes } = known;
    const filters = await describeFilters(tx, params);
    const table = { columns, rows, truncated, notes, ...(chart === null ? {} : { chart }) };
    sections.push({ id, title, period, filters, ...table });
  }
  const { name, description } = template;
  const period = sections.some((section) => section.period !== null) ? periodOf(frameOf(timezone, tx.now, days)) : null;
  return { name, description, tenantName, timezone, generatedAt: tx.now, period, sections, narrative: null, runId };
}

/** Sections as answers carry them. */
export const showSections = (sections: readonly ReportSection[]): ReportSectionData[] =>
  sections.map(({ id, title, period, filters, columns, rows, truncated, notes }) => ({
    id,
    title,
    period,
    filters: [...filters],
    columns: [...columns],
    rows: [...rows],
    truncated,
    notes: [...notes],
  }));
