import {
  type ErrorEntry,
  maxSectionRows,
  type ReportParams,
  type ReportRow,
  type ReportSourceFacts,
  type ReportSourceKey,
  reportParamNames,
  reportSourceKeys,
} from '@arbiter/contract';
import type { Tx } from '../../../../db/tx.ts';
import { refuseProblems } from '../../../../platform/app-error.ts';
import { isUuid } from '../../../../platform/ids.ts';
import { readSettings } from '../../../identity/settings/index.ts';
import type { ReportPeriod } from '../../report-rendering/index.ts';
import { describeFilters } from '../filters.service.ts';
import { type DayFrame, frameOf, periodOf } from '../frame.rules.ts';
import { experimentSources } from './experiments.sources.ts';
import { nowSources } from './now.sources.ts';
import type { Source, SourcePorts, SourceResult } from './source.ts';
import { totalsSources } from './totals.sources.ts';
import { traceSources } from './traces.sources.ts';

const sources = { ...totalsSources, ...traceSources, ...nowSources, ...experimentSources } satisfies Record<
  ReportSourceKey,
  Source
>;

/** Returns the source with this key. */
export const sourceOf = (key: ReportSourceKey): Source => sources[key];

/** The available sources, as data. */
export const listSources = (): ReportSourceFacts[] =>
  reportSourceKeys.map((key) => {
    const source = sourceOf(key);
    const { label, description, groupings, required = [], needsTraces = false } = source;
    const params = source.params.map((name) => ({
      name,
      required: required.includes(name),
      ...(name === 'groupBy' && groupings !== undefined ? { values: [...groupings] } : {}),
    }));
    return { sourceKey: key, label, description, columns: [...source.columns({})], params, needsTraces };
  });

/** Returns the problems of a source's parameters; `pathOf` says where each of them is. */
export function paramProblems(
  source: Source,
  params: ReportParams,
  pathOf: (name: string) => string,
): readonly ErrorEntry[] {
  const { key, groupings, required = [] } = source;
  const unknown = reportParamNames.filter((name) => params[name] !== undefined && !source.params.includes(name));
  const missing = required.filter((name) => params[name] === undefined);
  const { groupBy } = params;
  const badGroup = groupBy !== undefined && groupings !== undefined && !groupings.includes(groupBy);
  return [
    ...unknown.map((name) => ({ path: pathOf(name), message: `is not supported by ${key}; leave it out` })),
    ...missing.map((name) => ({ path: pathOf(name), message: `is required by ${key}` })),
    ...(badGroup ? [{ path: pathOf('groupBy'), message: `must be one of ${groupings.join(', ')}` }] : []),
  ];
}

const usual = { days: 7, limit: 20, baselineDays: 28 };

/** The parameters, with defaults for those left out; `days` is that of the report. */
export function paramsOf(source: Source, given: ReportParams, days: number = usual.days): ReportParams {
  const groupBy = source.groupings?.[0];
  return {
    ...(source.params.includes('days') ? { days } : {}),
    ...(source.params.includes('limit') ? { limit: usual.limit } : {}),
    ...(source.params.includes('baselineDays') ? { baselineDays: usual.baselineDays } : {}),
    ...(groupBy === 'channel' || groupBy === 'offer' ? { groupBy } : {}),
    ...given,
  };
}

/** Returns a source's result and the days that it covers; null for the present. */
export interface SourceReading extends SourceResult {
  readonly period: ReportPeriod | null;
}

/** Days that a report covers where a source doesn't set them: those of the first source that does, else a week. */
export const daysOfReport = (sources: readonly { readonly params?: ReportParams }[]): number =>
  sources.find(({ params }) => params?.days !== undefined)?.params?.days ?? usual.days;

/** Reads a source; `zone` is the tenant's. */
export async function readSource(
  tx: Tx,
  source: Source,
  given: ReportParams,
  zone: string,
  ports: SourcePorts,
): Promise<SourceReading> {
  const params = paramsOf(source, given);
  const frame: DayFrame = frameOf(zone, tx.now, params.days ?? usual.days);
  const reading = await source.read(tx, { params, frame, limit: params.limit ?? usual.limit }, ports);
  const period = source.params.includes('days') ? (source.period?.(frame) ?? periodOf(frame)) : null;
  return { ...reading, period };
}

/** Returns a section's stored rows. */
export const cut = (rows: readonly ReportRow[]): { readonly rows: ReportRow[]; readonly truncated: boolean } => ({
  rows: rows.slice(0, maxSectionRows),
  truncated: rows.length > maxSectionRows,
});

const idNames = ['offerId', 'channelId', 'categoryId', 'segmentId', 'modelId', 'experimentId'] as const;
/** The id of no record. */
const nobodysId = '00000000-0000-0000-0000-000000000000';

/** In a query, a malformed id gets the same answer as an unknown one. */
function malformed(name: (typeof idNames)[number], asked: ReportParams): [string, string][] {
  const id = asked[name];
  return id === undefined || isUuid(id) ? [] : [[name, nobodysId]];
}

/** Returns one source for a dashboard. Throws 400 for an unknown or a missing parameter. */
export async function dashboardData(
  tx: Tx,
  { type, ...query }: ReportParams & { readonly type: ReportSourceKey },
  ports: SourcePorts,
) {
  const source = sourceOf(type);
  const givenParams: ReportParams = Object.fromEntries(
    reportParamNames.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])),
  );
  const known: ReportParams = {
    ...givenParams,
    ...Object.fromEntries(idNames.flatMap((name) => malformed(name, givenParams))),
  };
  refuseProblems([...paramProblems(source, givenParams, (name) => `query.${name}`)]);
  const { timezone } = await readSettings(tx);
  const { rows, notes, period } = await readSource(tx, source, known, timezone, ports);
  const params = paramsOf(source, givenParams);
  const filters = await describeFilters(tx, params);
  const columns = [...source.columns(params)];
  return { type, params, period, filters, columns, rows: cut(rows).rows, notes: [...notes] };
}
