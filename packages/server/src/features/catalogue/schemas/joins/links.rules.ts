import type { ErrorEntry, SchemaField } from '@arbiter/contract';
import { unknownKeys } from '@arbiter/engine';
import { asJson } from '../../../../platform/json.ts';
import type { Remark } from '../../../../platform/remark.ts';
import { rowKeyOf } from '../fields/fields.rules.ts';

/**
 * How a schema's rows find their parent (docs/design/api-catalogue.md 2.3). Other spellings of the keys are read, but
 * not written.
 */
const parentKeys = ['parentField', 'parentKey', 'foreignField', 'targetField'];
const childKeys = ['childField', 'childKey', 'localField', 'sourceField'];

export interface Join {
  readonly parentField: string;
  readonly childField: string;
  readonly joinType: 'left' | 'inner';
}

const first = (mapping: Readonly<Record<string, unknown>>, keys: readonly string[]): string | null => {
  for (const key of keys) {
    const value = mapping[key];
    if (typeof value === 'string') return value;
  }
  return null;
};

/** Returns the problems of a joinMapping. Unknown keys are stored without effect. */
export function joinMappingProblems(mapping: Readonly<Record<string, unknown>>): ErrorEntry[] {
  const problems: ErrorEntry[] = [];
  for (const key of [...parentKeys, ...childKeys]) {
    const value = mapping[key];
    if (value !== undefined && value !== null && (typeof value !== 'string' || value.length > 63)) {
      problems.push({ path: `/joinMapping/${key}`, message: 'must be the name of a field' });
    }
  }
  const joinType = mapping.joinType;
  if (joinType !== undefined && joinType !== 'left' && joinType !== 'inner') {
    problems.push({ path: '/joinMapping/joinType', message: 'must be left or inner' });
  }
  if (JSON.stringify(mapping).length > 10_000) problems.push({ path: '/joinMapping', message: 'is too large' });
  return problems;
}

/** Keys of a joinMapping that mean nothing. The first spellings are suggested. */
export function joinMappingRemarks(mapping: Readonly<Record<string, unknown>>): Remark[] {
  const known = ['parentField', 'childField', 'joinType', ...parentKeys, ...childKeys];
  return unknownKeys(asJson(mapping), known, '/joinMapping');
}

type NamedField = Pick<SchemaField, 'name' | 'isPrimaryKey'>;

/** The join of a child with its parent; null while one of the two fields does not exist: the link enriches nothing. */
export function activeJoin(
  mapping: Readonly<Record<string, unknown>> | null,
  parent: readonly NamedField[],
  child: readonly NamedField[],
): Join | null {
  const has = (fields: readonly NamedField[], name: string) =>
    fields.some((field) => field.name === name) || (name === 'id' && rowKeyOf(fields) === 'id');
  const parentField = first(mapping ?? {}, parentKeys) ?? rowKeyOf(parent);
  const childField = first(mapping ?? {}, childKeys) ?? parentField;
  if (!has(parent, parentField) || !child.some((field) => field.name === childField)) return null;
  return { parentField, childField, joinType: mapping?.joinType === 'inner' ? 'inner' : 'left' };
}
