import type { DataType, ErrorEntry } from '@arbiter/contract';
import { didYouMean } from '@arbiter/engine';
import { activeJoin } from '../schemas/index.ts';
import { type ConditionSchema, columnOf } from './condition-schemas.ts';

/** A join as a body carries it. */
export interface JoinInput {
  readonly alias: string;
  readonly schemaId: string;
  readonly baseField?: string | undefined;
  readonly joinField?: string | undefined;
  readonly match?: 'any' | 'none' | undefined;
  readonly joinType?: 'left' | 'inner' | undefined;
}

/** A join with its schema and its fields filled in. */
export interface ConditionJoin {
  readonly alias: string;
  readonly schema: ConditionSchema;
  readonly baseField: string;
  readonly joinField: string;
  readonly match: 'any' | 'none';
  /** `inner`: rows of the base without a joined one are left out (docs/design/api-settled.md 32). */
  readonly joinType: 'left' | 'inner';
}

/**
 * Returns the link between two schemas, whichever is the parent; null: there is none, or one of its fields was deleted.
 */
function linkOf(base: ConditionSchema, joined: ConditionSchema) {
  if (joined.linkedSchemaId === base.id) {
    const link = activeJoin(joined.joinMapping, base.fields, joined.fields);
    return link && { baseField: link.parentField, joinField: link.childField, joinType: link.joinType };
  }
  if (base.linkedSchemaId === joined.id) {
    const link = activeJoin(base.joinMapping, joined.fields, base.fields);
    return link && { baseField: link.childField, joinField: link.parentField, joinType: link.joinType };
  }
  return null;
}

/**
 * Fills in what a join leaves out: the link between the schemas, otherwise the row keys (docs/design/api-catalogue.md
 * 11).
 */
export function fillJoin(base: ConditionSchema, schema: ConditionSchema, join: JoinInput): ConditionJoin {
  const link = linkOf(base, schema);
  const baseField = join.baseField ?? link?.baseField ?? base.rowKey;
  const joinField = join.joinField ?? link?.joinField ?? schema.rowKey;
  const isLink = link !== null && link.baseField === baseField && link.joinField === joinField;
  return {
    alias: join.alias,
    schema,
    baseField,
    joinField,
    match: join.match ?? 'any',
    joinType: join.joinType ?? (isLink ? link.joinType : 'left'),
  };
}

/** Returns the problems of a segment's joins. */
export function joinProblems(base: ConditionSchema, joins: readonly ConditionJoin[]): ErrorEntry[] {
  const problems: ErrorEntry[] = [];
  const seen = new Set<string>();
  for (const [at, join] of joins.entries()) {
    const refuse = (key: string, message: string) => problems.push({ path: `/joins/${at}/${key}`, message });
    if (join.alias === 'metric') refuse('alias', 'is reserved for metrics');
    if (join.alias === 'customer') refuse('alias', 'is reserved for the base schema');
    if (seen.has(join.alias)) refuse('alias', 'is already used by another join');
    seen.add(join.alias);
    const own = columnOf(base, join.baseField);
    const other = columnOf(join.schema, join.joinField);
    if (own === null) refuse('baseField', noColumn(base, join.baseField));
    if (other === null) refuse('joinField', noColumn(join.schema, join.joinField));
    if (own !== null && other !== null && joinedAs(own.dataType, other.dataType) === null) {
      refuse('joinField', `has the type ${other.dataType}, which can't equal ${join.baseField} (${own.dataType})`);
    }
  }
  return problems;
}

export const noColumn = (schema: ConditionSchema, name: string): string =>
  `must be a column of schema ${schema.name}${didYouMean(
    name,
    schema.columns.map((column) => column.name),
  )}`;

/** How to compare a value of the base with the joined column, so that the column's index is used. */
export type JoinedAs = 'same' | 'text' | 'integer';

const integers: ReadonlySet<DataType> = new Set(['smallint', 'integer', 'bigint']);
const decimals: ReadonlySet<DataType> = new Set(['decimal', 'numeric']);
const texts: ReadonlySet<DataType> = new Set(['varchar', 'text', 'char']);
/** Equal rows of these could be written in more than one way, or have no equality worth joining by. */
const notJoined: ReadonlySet<DataType> = new Set(['real', 'double', 'boolean', 'jsonb', 'time']);

/** Null: the two types have no values in common. */
export function joinedAs(base: DataType, joined: DataType): JoinedAs | null {
  if (notJoined.has(base) || notJoined.has(joined)) return null;
  if (texts.has(joined)) return texts.has(base) || integers.has(base) || base === 'uuid' ? 'text' : null;
  if (integers.has(joined)) return integers.has(base) ? 'same' : texts.has(base) ? 'integer' : null;
  if (decimals.has(joined)) return decimals.has(base) || integers.has(base) ? 'same' : null;
  return base === joined ? 'same' : null;
}
