import type { EnrichSource, Plan } from '../compile/plan.ts';
import type { DecisionInput } from '../input.ts';
import type { Json } from '../snapshot.ts';
import type { Edit } from './edits.ts';

/** Where the value of a name under `customer.` stands: one column of the customer's own row in one schema. */
export interface ColumnPlace {
  readonly schemaId: string;
  readonly column: string;
}

/**
 * The names under `customer.` that one write of the customer's row changes, and nothing else with them: those of other
 * rows (joined, or looked up by something else), of several schemas, and those by which further rows are looked up are left out.
 */
export function editableColumns(plan: Plan): ReadonlyMap<string, ColumnPlace> {
  const places = new Map<string, ColumnPlace | null>();
  const add = (name: string, place: ColumnPlace | null): void => {
    const known = places.get(name);
    const isSame = known === undefined || (known?.schemaId === place?.schemaId && known?.column === place?.column);
    places.set(name, isSame ? place : null);
  };
  for (const { schemaId, columns } of plan.autoSources) for (const column of columns) add(column, { schemaId, column });
  for (const source of plan.enrichSources) {
    for (const column of source.columns) {
      add(source.prefix + column, isOwnRow(plan, source) ? { schemaId: source.schemaId, column } : null);
    }
  }
  for (const { values } of plan.joinedSources) for (const { name } of values) add(name, null);
  for (const field of plan.zoneFields) add(field, null);
  for (const { lookupFrom } of plan.enrichSources) {
    if (lookupFrom.startsWith('customer.')) add(lookupFrom.slice('customer.'.length), null);
  }
  for (const { rowKey, schemaId } of plan.autoSources) {
    for (const [name, place] of places) if (place?.schemaId === schemaId && place.column === rowKey) add(name, null);
  }
  return new Map([...places].flatMap(([name, place]) => (place === null ? [] : [[name, place] as const])));
}

function isOwnRow(plan: Plan, { schemaId, lookupFrom, lookupColumn, rowKey }: EnrichSource): boolean {
  if (lookupFrom !== 'request.customerId' || lookupColumn !== rowKey) return false;
  return plan.joinedSources.every((joined) => joined.schemaId !== schemaId);
}

/** The input as it would be after the edits. */
export function withEdits(
  plan: Plan,
  places: ReadonlyMap<string, ColumnPlace>,
  input: DecisionInput,
  edits: readonly Edit[],
): DecisionInput {
  if (edits.length === 0) return input;
  const profile: Record<string, Json> = { ...input.profile };
  const enriched: Record<string, ({ readonly [name: string]: Json } | null)[]> = {};
  for (const [nodeId, rows] of Object.entries(input.enriched)) enriched[nodeId] = [...rows];
  const attributes: Record<string, Json> = { ...input.request.attributes };
  const segments = [...input.request.segments];
  for (const { path, to } of edits) {
    if (path === 'segments') {
      if (typeof to === 'string') segments.push(to);
      continue;
    }
    const [namespace, name = ''] = splitOnce(path);
    if (namespace === 'attributes') {
      attributes[name] = to;
      continue;
    }
    const place = places.get(name);
    if (place === undefined) continue;
    for (const { schemaId, columns } of plan.autoSources) {
      if (schemaId === place.schemaId && columns.includes(place.column)) profile[place.column] = to;
    }
    for (const { schemaId, nodeId, position, columns } of plan.enrichSources) {
      if (schemaId !== place.schemaId || !columns.includes(place.column)) continue;
      enriched[nodeId] ??= [];
      const rows = enriched[nodeId];
      rows[position] = { ...rows[position], [place.column]: to };
    }
  }
  return { ...input, profile, enriched, request: { ...input.request, attributes, segments } };
}

function splitOnce(path: string): readonly [string, string] {
  const dot = path.indexOf('.');
  return [path.slice(0, dot), path.slice(dot + 1)];
}
