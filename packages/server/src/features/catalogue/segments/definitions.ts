import type { ErrorEntry, SegmentJoin } from '@arbiter/contract';
import { type Condition, conditionRemarks } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { asJson } from '../../../platform/json.ts';
import { readFieldMetrics, requireFieldMetrics } from '../../data/behavioral-metrics/index.ts';
import {
  type ConditionSchema,
  keepBaseSchema,
  lockConditionSchema,
  notOfCustomers,
  readConditionSchemas,
  refuseDefinition,
} from './condition-schemas.ts';
import { type FieldSources, metricsIn, namesMetric, readFilters } from './filters.rules.ts';
import { fillJoin, type JoinInput, joinProblems } from './joins.rules.ts';
import type { Definition } from './membership-sql.store.ts';
import type { StoredDefinition } from './segments.store.ts';

/** A segment's membership, as a body describes it. */
export interface DefinitionInput {
  readonly baseSchemaId?: string | undefined;
  readonly joins?: readonly JoinInput[] | undefined;
  readonly filters?: unknown;
}

/**
 * Reads a definition; the schemas that it names stay as they are until the transaction ends. Throws 400
 * `validation_failed` with everything that is wrong, or `reference_not_found` for a missing schema.
 */
export async function readDefinition(tx: Tx, input: DefinitionInput): Promise<Definition> {
  const base = await keepBaseSchema(tx, input.baseSchemaId?.toLowerCase());
  const joins = [];
  for (const [at, join] of (input.joins ?? []).entries()) {
    const schema = await lockConditionSchema(tx, join.schemaId.toLowerCase(), `/joins/${at}/schemaId`);
    joins.push(fillJoin(base, schema, join));
  }
  refuseDefinition(joinProblems(base, joins));
  const sources = { base, joins, metrics: await metricsFor(tx, input.filters) };
  const filters = readFilters(input.filters, sources);
  if ('problems' in filters) refuseDefinition(filters.problems);
  const stored: Condition = 'stored' in filters ? filters.stored : { logic: 'and', conditions: [] };
  tx.remarks.push(...conditionRemarks(asJson(input.filters), '/filters'));
  await requireFieldMetrics(tx, metricsIn(sources, stored), '/filters');
  return { ...sources, filters: stored };
}

/** Returns what's wrong with a definition whose schemas and metrics are known. */
export function definitionProblems(
  { baseSchemaId, joins = [], filters }: DefinitionInput & { readonly baseSchemaId: string },
  schemas: ReadonlyMap<string, ConditionSchema>,
  metrics: FieldSources['metrics'],
): readonly ErrorEntry[] {
  const base = schemas.get(baseSchemaId);
  const joined = joins.flatMap((join) => {
    const schema = schemas.get(join.schemaId);
    return base === undefined || schema === undefined ? [] : [fillJoin(base, schema, join)];
  });
  // Something that doesn't exist is reported as such.
  if (base === undefined || joined.length < joins.length) return [];
  if (base.schemaType !== 'customer') return [{ path: '/baseSchemaId', message: notOfCustomers }];
  const problems = joinProblems(base, joined);
  if (problems.length > 0) return problems;
  const read = readFilters(filters, { base, joins: joined, metrics });
  return 'problems' in read ? read.problems : [];
}

const noMetrics: FieldSources['metrics'] = new Map();

/** The metrics that a condition could name. */
export const metricsFor = async (tx: Tx, condition: unknown): Promise<FieldSources['metrics']> =>
  namesMetric(condition) ? readFieldMetrics(tx) : noMetrics;

/** The joins as they are stored. */
export const storedJoins = ({ joins }: Definition): SegmentJoin[] =>
  joins.map(({ schema, ...join }) => ({ ...join, schemaId: schema.id }));

/** IDs of the schemas that a segment asks. */
export const schemaIdsOf = ({ baseSchemaId, joins }: Pick<StoredDefinition, 'baseSchemaId' | 'joins'>): string[] => [
  baseSchemaId,
  ...joins.map(({ schemaId }) => schemaId),
];

/** The definition of a stored segment. `schemas` and `metrics`: at least those that it names. */
export function openDefinition(
  row: StoredDefinition,
  schemas: ReadonlyMap<string, ConditionSchema>,
  metrics: FieldSources['metrics'],
): Definition {
  const schemaOf = (id: string): ConditionSchema => {
    const schema = schemas.get(id);
    // In use, so it can't have been deleted.
    if (schema === undefined) throw new Error(`segment ${row.id} uses schema ${id}, which no longer exists`);
    return schema;
  };
  const base = schemaOf(row.baseSchemaId);
  const joins = row.joins.map((join) => fillJoin(base, schemaOf(join.schemaId), join));
  return { base, joins, metrics, filters: row.filters };
}

/** The definition of a stored segment, its schemas read. */
export async function loadDefinition(tx: Tx, row: StoredDefinition): Promise<Definition> {
  return openDefinition(row, await readConditionSchemas(tx, schemaIdsOf(row)), await metricsFor(tx, row.filters));
}
