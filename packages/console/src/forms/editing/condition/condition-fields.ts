import { type DataSchema, schemaRecordOperations } from '@arbiter/contract/catalogue/schemas';
import { behavioralMetricOperations } from '@arbiter/contract/data/behavioral-metrics';
import { useMemo } from 'react';
import { useList } from '../../../data/use-operation.ts';
import { type ValueType, valueTypeOf } from './operators.ts';

/** A field that a condition can test. */
export interface ConditionField {
  /** As conditions name it: `tier`, `visits.amount`. */
  readonly name: string;
  /** Where it comes from: the schema's name. */
  readonly from: string;
  readonly type: ValueType;
  /** The column whose statistics suggest values. */
  readonly column?: { readonly schemaId: string; readonly name: string };
}

/** Returns the columns of a schema as fields. `prefix`: `visits.` for the columns of a join. */
export const columnsOf = (
  { id, displayName, fields }: Pick<DataSchema, 'id' | 'displayName' | 'fields'>,
  prefix = '',
): readonly ConditionField[] =>
  fields.map(({ name, dataType }) => ({
    name: `${prefix}${name}`,
    from: displayName,
    type: valueTypeOf(dataType),
    column: { schemaId: id, name },
  }));

/** Fields that enrichment adds to a customer from a linked schema (docs/design/api-catalogue.md 2.3). */
function linkedFields(schema: DataSchema): readonly ConditionField[] {
  if (schema.schemaType === 'customer') {
    const chosen = new Set(schema.summaryColumns ?? []);
    return columnsOf(schema).filter(({ name }) => chosen.size === 0 || chosen.has(name));
  }
  return [{ name: `${schema.name}_count`, from: schema.displayName, type: 'number' }];
}

/** Returns the customer values that decisions read, by schema. */
export function customerFields(schemas: readonly DataSchema[]): readonly ConditionField[] {
  const enriching = schemas.filter(({ autoEnrich }) => autoEnrich);
  const own = enriching.filter(
    ({ schemaType, linkedSchemaId }) => schemaType === 'customer' && linkedSchemaId === null,
  );
  const linked = enriching.filter(({ linkedSchemaId }) => linkedSchemaId !== null);
  const all = [...own.flatMap((schema) => columnsOf(schema)), ...linked.flatMap(linkedFields)];
  return [...new Map(all.reverse().map((field) => [field.name, field])).values()].reverse();
}

/** Loads the customer values that decisions read, with the behavioral metrics. */
export function useCustomerFields(): readonly ConditionField[] {
  const schemas = useList(schemaRecordOperations.list, { query: { limit: 200 } });
  const metrics = useList(behavioralMetricOperations.list, { query: { limit: 50 } });
  return useMemo(
    () => [
      ...customerFields(schemas.rows),
      ...metrics.rows
        .filter(({ groupByDimensions }) => groupByDimensions.length === 0)
        .map(({ key, name }): ConditionField => ({ name: `customer.metrics.${key}`, from: name, type: 'number' })),
    ],
    [schemas.rows, metrics.rows],
  );
}
