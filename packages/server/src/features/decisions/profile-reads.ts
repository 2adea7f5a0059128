import type { AutoSource, DecisionRequest, EnrichSource, Json } from '@arbiter/engine';
import type { HotRow, HotStatement, HotTransaction } from '../../db/index.ts';
import type { LiveFlow, TenantCatalogue } from '../plans/index.ts';
import { type RowsByKey, rowsByKeyStatement } from '../schemas/index.ts';

/** What a decision reads of its customer's profile. */
export interface Profile {
  /** A customer-type schema or an enrich source had a row. */
  readonly known: boolean;
  readonly values: Readonly<Record<string, Json>>;
  readonly enriched: Readonly<Record<string, readonly (Readonly<Record<string, Json>> | null)[]>>;
}

/** The profile reads of a batch: one statement per table for all its customers, sent with the lock statement. */
export interface ProfileReads {
  readonly statements: readonly HotStatement[];
  /**
   * Turns the answers into one profile per request, in order. Reads again for look-ups that start from a profile value, and
   * once more for each enrich node that looks up what another one read.
   */
  resolve(answers: readonly (readonly HotRow[])[], tx: HotTransaction): Promise<Profile[]>;
}

export interface ProfileRequest {
  readonly flow: LiveFlow;
  readonly request: DecisionRequest;
}

type Row = Readonly<Record<string, Json>>;

/** One table read by one column, for the keys of all requests that need it. */
interface TableRead {
  readonly rows: RowsByKey;
  readonly keys: Set<string>;
  found: ReadonlyMap<string, Row>;
}

const nothing: Profile = { known: false, values: {}, enriched: {} };

export function planProfileReads(catalogue: TenantCatalogue, requests: readonly ProfileRequest[]): ProfileReads {
  const flows = [...new Set(requests.map((r) => r.flow))];
  if (flows.every(({ plan }) => plan.autoSources.length === 0 && plan.enrichSources.length === 0)) {
    return { statements: [], resolve: async () => requests.map(() => nothing) };
  }
  const tables = new Map<string, TableRead>();
  /**
   * Requests of one flow share the read; two flows of one batch may read different columns of one table. A row brings all
   * that the record keeps of it; the engine takes what its plan reads.
   */
  const tableOf = (schemaId: string, column: string, columns: readonly string[]): TableRead => {
    const id = `${schemaId} ${column} ${columns.join(' ')}`;
    let table = tables.get(id);
    if (!table) {
      const schema = catalogue.schemaTables.get(schemaId);
      if (!schema) throw new Error(`the catalogue has no schema ${schemaId}`);
      table = { rows: rowsByKeyStatement(schema, column, columns), keys: new Set(), found: new Map() };
      tables.set(id, table);
    }
    return table;
  };

  const plans = requests.map(({ flow, request }) => {
    const columnsOf = ({ schemaId, columns }: AutoSource) => flow.readSet.columns[schemaId] ?? columns;
    const auto = flow.plan.autoSources.map((source) => {
      const table = tableOf(source.schemaId, source.rowKey, columnsOf(source));
      table.keys.add(request.customerId);
      return table;
    });
    const enrich = flow.plan.enrichSources.map((source): EnrichRead => {
      const table = tableOf(source.schemaId, source.lookupColumn, columnsOf(source));
      const key = source.trip > 0 ? null : lookupKey(source, request, {});
      if (key !== null) table.keys.add(key);
      return { source, table, key };
    });
    return { auto, enrich, request };
  });
  const first = [...tables.values()].filter((table) => table.keys.size > 0);

  return {
    statements: first.map(statementOf),
    async resolve(answers, tx) {
      first.forEach((table, i) => {
        table.found = table.rows.parse(answers[i]!);
      });
      const profiles = plans.map(({ auto, request }) => profileOf(auto, request.customerId));
      const lastTrip = Math.max(0, ...plans.flatMap(({ enrich }) => enrich.map(({ source }) => source.trip)));
      for (let trip = 1; trip <= lastTrip; trip++) {
        const late = new Map<TableRead, Set<string>>();
        plans.forEach(({ enrich, request }, i) => {
          for (const each of enrich) {
            if (each.source.trip !== trip) continue;
            each.key = lookupKey(each.source, request, seenBy(each.source, enrich, profiles[i]!.values));
            if (each.key === null || each.table.keys.has(each.key)) continue;
            each.table.keys.add(each.key);
            late.set(each.table, (late.get(each.table) ?? new Set()).add(each.key));
          }
        });
        if (late.size > 0) await readAgain(tx, late);
      }
      return plans.map(({ enrich }, i) => {
        const { known, values } = profiles[i]!;
        if (enrich.length === 0) return { known, values, enriched: {} };
        const enriched: Record<string, (Row | null)[]> = {};
        let found = known;
        for (const { source, table, key } of enrich) {
          const row = key === null ? null : (table.found.get(key) ?? null);
          found ||= row !== null;
          enriched[source.nodeId] ??= [];
          enriched[source.nodeId]![source.position] = row;
        }
        return { known: found, values, enriched };
      });
    },
  };
}

async function readAgain(tx: HotTransaction, late: ReadonlyMap<TableRead, ReadonlySet<string>>): Promise<void> {
  const tables = [...late];
  const rows = await tx.send(tables.map(([table, keys]) => statementOf({ ...table, keys })));
  for (const [i, [table]] of tables.entries()) {
    table.found = new Map([...table.found, ...table.rows.parse(rows[i]!)]);
  }
}

/** One source of an enrich node for one request. */
interface EnrichRead {
  readonly source: EnrichSource;
  readonly table: TableRead;
  /** What is looked up; null: nothing, or not known yet. */
  key: string | null;
}

/**
 * `customer.*` as far as a node's look-up reads it: what auto-enrichment gave, and over it the rows of the enrich nodes
 * before, the later one first (docs/design/api-catalogue.md 20). The engine merges the rows in the same order.
 */
function seenBy(source: EnrichSource, reads: readonly EnrichRead[], profile: Row): Row {
  const [, name = ''] = source.lookupFrom.split('.');
  let seen = profile;
  for (const { source: before, table, key } of reads) {
    if (before.nodeId === source.nodeId) break;
    if (key === null || !name.startsWith(before.prefix)) continue;
    const column = name.slice(before.prefix.length);
    const value = before.columns.includes(column) ? table.found.get(key)?.[column] : undefined;
    if (value !== undefined) seen = { [name]: value };
  }
  return seen;
}

const statementOf = (table: { readonly rows: RowsByKey; readonly keys: ReadonlySet<string> }): HotStatement => ({
  name: table.rows.name,
  text: table.rows.text,
  values: [table.rows.keys([...table.keys])],
});

/** `customer.*` of the auto-enriched schemas: the first one that has the column gives the value (docs/design/api-catalogue.md 2.3). */
function profileOf(sources: readonly TableRead[], customerId: string): Pick<Profile, 'known' | 'values'> {
  if (sources.length === 1) {
    const row = sources[0]!.found.get(customerId);
    return row === undefined ? nothing : { known: true, values: row };
  }
  let known = false;
  const values: Record<string, Json> = {};
  for (const { found } of sources) {
    const row = found.get(customerId);
    if (!row) continue;
    known = true;
    for (const [name, value] of Object.entries(row)) if (!Object.hasOwn(values, name)) values[name] = value;
  }
  return { known, values };
}

/** Value that an enrich source looks up; null when the path holds nothing that can be a key. */
function lookupKey(source: EnrichSource, request: DecisionRequest, profile: Row): string | null {
  const [root, ...path] = source.lookupFrom.split('.');
  let value: unknown =
    root === 'customer' ? profile : root === 'attributes' ? request.attributes : root === 'request' ? request : null;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
    value = Reflect.get(value, name);
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}
