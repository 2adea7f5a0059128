import type { ReachEstimate, ReachEstimateRequest } from '@arbiter/contract';
import {
  compareMetric,
  compileCondition,
  daysSince,
  emptyScope,
  type Json,
  listWords,
  type MetricOperator,
  metricOperators,
} from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { AppError, invalid, refuseProblems } from '../../../platform/app-error.ts';
import { asJson } from '../../../platform/json.ts';
import { zoneClock } from '../../../platform/time/zones.ts';
import { readSchemaTables, type SchemaTable, sampleRows } from '../../catalogue/schemas/index.ts';
import { readSampledValues } from '../../data/behavioral-metrics/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { distribution, percent, topSegments } from './figures.rules.ts';
import type { SegmentsAmong } from './impact-preview.service.ts';

/** Port: ids and names of the live segments that each of the customers is in. */
export type SegmentsOfCustomers = (
  tx: Tx,
  customerIds: readonly string[],
) => Promise<ReadonlyMap<string, ReadonlySet<string>>>;

export interface ReachPorts {
  readonly segmentsAmong: SegmentsAmong;
  readonly segmentsOfCustomers: SegmentsOfCustomers;
}

/** Whether a row of the sample passes. */
type Passes = (row: { readonly key: string; readonly value: Json }) => boolean;

const longestDays = 36_500;
const numbers = new Set(['smallint', 'integer', 'bigint', 'decimal', 'numeric', 'real', 'double', 'float']);

/** Whom a rule would let pass (docs/design/api-catalogue.md 9). Writes nothing. */
export async function estimateReach(tx: Tx, body: ReachEstimateRequest, ports: ReachPorts): Promise<ReachEstimate> {
  const { ruleType, sampleSize = 1000 } = body;
  const segments = ruleType === 'segment_required' ? readSegments(body.value) : null;
  const metric = ruleType === 'metric_condition' ? readMetricTest(body) : null;
  const table = await findTable(tx, body.schema);
  const column = segments === null && metric === null ? findColumn(table, body.field) : null;
  const passesColumn = column === null ? null : await columnTest(tx, body, column.name);
  const sampled = await sampleRows(tx, table, column?.name ?? null, sampleSize);
  const keys = sampled.map(({ key }) => key);
  const metricOf = metric === null ? null : await readSampledValues(tx, metric.metricId, keys, '/field');
  const rows = sampled.map(({ key, value }) => ({ key, value: metricOf === null ? asJson(value) : metricOf(key) }));
  const passes = passesColumn ?? metric?.passes ?? (await segmentTest(tx, segments ?? [], keys, ports));
  const excluded = new Set(rows.filter((row) => !passes(row)).map(({ key }) => key));
  const members = excluded.size === 0 ? [] : await ports.segmentsAmong(tx, keys);
  const isNumeric = metric !== null || (column !== null && numbers.has(column.dataType));
  return {
    totalSampled: rows.length,
    qualifying: rows.length - excluded.size,
    excluded: excluded.size,
    qualifyPercent: percent(rows.length - excluded.size, rows.length),
    excludedBySegment: topSegments(members, excluded).map(({ segment, affected, total }) => ({
      segment,
      excluded: affected,
      total,
    })),
    fieldDistribution: isNumeric ? distribution(rows.flatMap(({ value }) => asNumber(value))) : null,
  };
}

const asNumber = (value: Json): number[] => (value === null ? [] : [Number(value)]);

/** The schema by id or name, else the oldest of type customer. Throws 400 when there is none. */
async function findTable(tx: Tx, wanted: string | undefined): Promise<SchemaTable> {
  const tables = await readSchemaTables(tx);
  if (wanted === undefined) {
    const usual = tables.find(({ schemaType }) => schemaType === 'customer');
    if (usual === undefined) throw invalid('/schema', 'is required, because the tenant has no schema of type customer');
    return usual;
  }
  const found =
    tables.find(({ schemaId }) => schemaId === wanted.toLowerCase()) ?? tables.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  throw new AppError('reference_not_found', {
    detail: '/schema must be an existing schema in this tenant.',
    errors: [{ path: '/schema', message: 'must be an existing schema' }],
  });
}

/** A column by its name, with or without `customer.` in front. */
function findColumn(table: SchemaTable, field: string | undefined): SchemaTable['columns'][number] {
  if (field === undefined || field === '') throw invalid('/field', 'is required');
  const name = field.startsWith('customer.') ? field.slice('customer.'.length) : field;
  const column = table.columns.find((candidate) => candidate.name === name);
  if (column === undefined) throw invalid('/field', `must be a column of ${table.name}`);
  return column;
}

/** The test of a column as the engine does it in decisions. */
async function columnTest(tx: Tx, body: ReachEstimateRequest, column: string): Promise<Passes> {
  const passMissing = body.onMissing === 'pass';
  const now = tx.now.getTime();
  if (body.ruleType === 'recency_check') {
    const maxDays = body.value;
    if (typeof maxDays !== 'number' || !(maxDays >= 0 && maxDays <= longestDays)) {
      throw invalid('/value', `must be a number of days from 0 to ${longestDays}`);
    }
    const today = zoneClock((await readSettings(tx)).timezone, now).date;
    return ({ value }) => {
      if (value === null) return passMissing;
      const days = daysSince(value, now, today);
      return days !== null && days <= maxDays;
    };
  }
  if (body.operator === undefined || body.operator === '') throw invalid('/operator', 'is required');
  const leaf = { field: column, operator: body.operator };
  const compiled = compileCondition(body.value === undefined ? leaf : { ...leaf, value: asJson(body.value) });
  if (!compiled.ok) {
    refuseProblems(compiled.problems);
    throw new Error('a condition that does not compile has problems');
  }
  const { test, stored } = compiled.condition;
  const asks = 'operator' in stored ? stored.operator : '';
  const forgives = passMissing && asks !== 'exists' && asks !== 'not_exists';
  const scope = emptyScope();
  scope.now = now;
  return ({ value }) => {
    scope.customer = { [column]: value };
    return test(scope) || (forgives && value === null);
  };
}

/** The metric of `field`, and the test of its value as the engine does it. Throws 400. */
function readMetricTest({ field, operator = 'gte', value = 0, onMissing }: ReachEstimateRequest) {
  if (field === undefined || field === '') throw invalid('/field', 'is required');
  if (!isMetricOperator(operator)) throw invalid('/operator', `must be one of ${listWords(metricOperators)}`);
  if (typeof value !== 'number' || !Number.isFinite(value)) throw invalid('/value', 'must be a number');
  const passes: Passes = (row) =>
    typeof row.value === 'number' ? compareMetric(row.value, operator, value) : onMissing === 'pass';
  return { metricId: field.toLowerCase(), passes };
}

const isMetricOperator = (word: string): word is MetricOperator => metricOperators.some((each) => each === word);

/** Segments by id or name; an empty list lets everyone pass. */
function readSegments(value: unknown): readonly string[] {
  const given = typeof value === 'string' ? [value] : value;
  if (Array.isArray(given) && given.every((name): name is string => typeof name === 'string' && name !== '')) {
    return given;
  }
  throw invalid('/value', 'must be a list of segment IDs or names');
}

async function segmentTest(
  tx: Tx,
  wanted: readonly string[],
  keys: readonly string[],
  { segmentsOfCustomers }: ReachPorts,
): Promise<Passes> {
  if (wanted.length === 0) return () => true;
  const memberships = await segmentsOfCustomers(tx, keys);
  return ({ key }) => wanted.every((segment) => memberships.get(key)?.has(segment) ?? false);
}
