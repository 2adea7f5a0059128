import type { DecisionInput } from '../plan/input.ts';
import type { AutoSource, EnrichSource, Plan } from '../plan/plan.ts';
import type { Json } from '../plan/snapshot.ts';
import type { Edit } from './edits.ts';

/** Where the value of a name under `customer.` is stored: one column of the customer's own row in one schema. */
export interface ColumnPlace {
  readonly schemaId: string;
  readonly column: string;
}

/**
 * Returns the names under `customer.` that a write to the customer's own row can change, each with the place of the
 * value that the decision reads. Where several sources provide a name, the decision's own order picks the place
 * (docs/design/api-catalogue.md 2.3): the last enrich row, then the oldest customer schema with a row, then joins.
 * Leaves out values of other rows, and columns that determine which further rows or zone the decision reads.
 */
export function editableColumns(plan: Plan, input: DecisionInput): ReadonlyMap<string, ColumnPlace> {
  const places = new Map<string, ColumnPlace | null>();
  const add = (name: string, place: ColumnPlace | null): void => {
    if (!places.has(name)) places.set(name, place);
  };
  const addEnriched = (hasRow: boolean): void => {
    for (const source of plan.enrichSources.toReversed()) {
      if ((rowOf(input, source) !== null) !== hasRow) continue;
      const isOwn = isOwnRow(plan, source);
      for (const column of source.columns) {
        add(source.prefix + column, isOwn ? { schemaId: source.schemaId, column } : null);
      }
    }
  };
  addEnriched(true);
  for (const { schemaId, columns } of ownSources(plan, input)) {
    for (const column of columns) add(column, { schemaId, column });
  }
  addEnriched(false);
  for (const { values } of plan.joinedSources) for (const { name } of values) add(name, null);
  const locked = lockedColumns(plan, places);
  return new Map(
    [...places].flatMap(([name, place]) => (place && !locked.has(placeKey(place)) ? [[name, place]] : [])),
  );
}

/** The auto-enriched schemas in the order in which they write names: those with a row of the customer come first. */
function ownSources(plan: Plan, { profile }: DecisionInput): readonly AutoSource[] {
  const hasRow = ({ columns }: AutoSource): boolean => columns.every((column) => Object.hasOwn(profile, column));
  return [...plan.autoSources.filter(hasRow), ...plan.autoSources.filter((source) => !hasRow(source))];
}

function rowOf({ enriched }: DecisionInput, { nodeId, position }: EnrichSource) {
  return (Object.hasOwn(enriched, nodeId) ? enriched[nodeId]?.[position] : null) ?? null;
}

/**
 * Returns columns whose values determine which rows or zone are read, because writing them changes more than one value.
 */
function lockedColumns(plan: Plan, places: ReadonlyMap<string, ColumnPlace | null>): ReadonlySet<string> {
  const names = [
    ...plan.zoneFields,
    ...plan.enrichSources.flatMap(({ lookupFrom: path }) => (path.startsWith('customer.') ? [path.slice(9)] : [])),
  ];
  return new Set(
    [
      ...names.flatMap((name) => places.get(name) ?? []),
      ...plan.autoSources.map(({ schemaId, rowKey: column }) => ({ schemaId, column })),
      ...plan.joinedSources.flatMap(({ path }) => path),
    ].map(placeKey),
  );
}

const placeKey = ({ schemaId, column }: ColumnPlace): string => `${schemaId} ${column}`;

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
  const sources = ownSources(plan, input);
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
    const own = sources.find(({ columns }) => columns.includes(place.column));
    if (own?.schemaId === place.schemaId) profile[place.column] = to;
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
