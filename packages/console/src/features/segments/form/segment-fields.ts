import { type DataSchema, schemaRecordOperations } from '@arbiter/contract/catalogue/schemas';
import { behavioralMetricOperations } from '@arbiter/contract/data/behavioral-metrics';
import { useMemo } from 'react';
import { useList } from '../../../data/use-operation.ts';
import { type ConditionField, columnsOf } from '../../../forms/editing/condition/condition-fields.ts';

/** A join in the form, possibly incomplete. */
interface TypedJoin {
  readonly alias?: unknown;
  readonly schemaId?: unknown;
}

/** Returns what a segment's condition can test: columns of its customers, of its joins by their alias, and metrics. */
export function segmentFields(
  schemas: readonly DataSchema[],
  baseId: string | undefined,
  joins: readonly TypedJoin[],
): readonly ConditionField[] {
  const base = schemas.find(({ id }) => id === baseId);
  return [
    ...(base === undefined ? [] : columnsOf(base)),
    ...joins.flatMap(({ alias, schemaId }) => {
      const joined = schemas.find(({ id }) => id === schemaId);
      return joined === undefined || typeof alias !== 'string' || alias === '' ? [] : columnsOf(joined, `${alias}.`);
    }),
  ];
}

/** Returns the schema that a segment selects from: the chosen one, or the oldest of customers. The list is newest first. */
export const baseOf = (schemas: readonly DataSchema[], chosen: string | undefined): DataSchema | undefined =>
  chosen === undefined
    ? schemas.filter(({ schemaType }) => schemaType === 'customer').at(-1)
    : schemas.find(({ id }) => id === chosen);

/** Loads the schemas of a segment and the fields that its conditions can test. */
export function useSegmentFields(chosen: string | undefined, joins: readonly TypedJoin[]) {
  const { rows } = useList(schemaRecordOperations.list, { query: { limit: 200 } });
  const metrics = useList(behavioralMetricOperations.list, { query: { limit: 50 } });
  const base = baseOf(rows, chosen);
  const fields = useMemo(
    () => [
      ...segmentFields(rows, base?.id, joins),
      ...metrics.rows
        .filter(({ groupByDimensions }) => groupByDimensions.length === 0)
        .map(({ key, name }): ConditionField => ({ name: `metric.${key}`, from: name, type: 'number' })),
    ],
    [rows, base, joins, metrics.rows],
  );
  return { schemas: rows, base, fields };
}
