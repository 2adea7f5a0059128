import type { AutoSource, DecisionRequest, EnrichSource, Json } from '@arbiter/engine';
import type { HotRow, HotStatement, HotTransaction } from '../../../../db/index.ts';
import { rowsByKeyStatement } from '../../../catalogue/schemas/index.ts';
import type { LiveFlow, TenantCatalogue } from '../../plans/index.ts';
import {
  type AutoRead,
  beginJoin,
  type FlowJoins,
  type JoinedRow,
  type JoinOfRequest,
  type LateReads,
  nextStep,
  planJoins,
  profileOf,
  type RowsOf,
  readLate,
  statementOf,
  type TableOf,
  type TableRead,
} from './joined-reads.ts';
import { planMetricReads } from './metric-reads.ts';

/** What a decision reads of its customer's profile. */
export interface Profile {
  /** A customer-type schema or an enrich source had a row. */
  readonly known: boolean;
  readonly values: Readonly<Record<string, Json>>;
  readonly enriched: Readonly<Record<string, readonly (Readonly<Record<string, Json>> | null)[]>>;
  /** A joined schema has more rows of the customer than its aggregates cover. */
  readonly isTruncated: boolean;
}

/** The profile reads of a batch: one statement per table for all its customers, sent with the lock statement. */
export interface ProfileReads {
  readonly statements: readonly HotStatement[];
  /**
   * Turns the results into one profile per request, in order. Reads again for each row on the way to a joined schema,
   * for look-ups that start from a profile value, and again for each enrich node that looks up what another one
   * read.
   */
  resolve(answers: readonly (readonly HotRow[])[], tx: HotTransaction): Promise<Profile[]>;
}

export interface ProfileRequest {
  readonly flow: LiveFlow;
  readonly request: DecisionRequest;
}

const nothing: Profile = { known: false, values: {}, enriched: {}, isTruncated: false };

const readsNothing = ({ plan, joined }: LiveFlow): boolean =>
  plan.autoSources.length === 0 && plan.enrichSources.length === 0 && joined.length === 0;

/** `near`: about now, in epoch ms. */
export function planProfileReads(
  catalogue: TenantCatalogue,
  requests: readonly ProfileRequest[],
  near: number,
): ProfileReads {
  const rows = planRowReads(catalogue, requests);
  const metrics = planMetricReads(catalogue, requests, near);
  if (metrics.statements.length === 0) return rows;
  return {
    statements: [...rows.statements, ...metrics.statements],
    async resolve(answers, tx) {
      const own = rows.statements.length;
      return metrics.addTo(await rows.resolve(answers.slice(0, own), tx), answers.slice(own));
    },
  };
}

function planRowReads(catalogue: TenantCatalogue, requests: readonly ProfileRequest[]): ProfileReads {
  const flows = [...new Set(requests.map((r) => r.flow))];
  if (flows.every(readsNothing)) {
    return { statements: [], resolve: async () => requests.map(() => nothing) };
  }
  const tables = new Map<string, TableRead>();
  const reads = planReads(catalogue, flows, requests, tables);
  const first = [...tables.values()].filter((table) => table.keys.size > 0);
  return {
    statements: first.map(statementOf),
    async resolve(answers, tx) {
      first.forEach((table, i) => {
        table.found = table.rows.parse(answers[i]!);
      });
      await followJoins(tx, reads);
      const profiles = reads.map(({ auto, joined, request }) => profileOf(auto, joined, request.customerId));
      await followLookUps(tx, reads, profiles);
      return reads.map(({ enrich }, i) => withEnriched(profiles[i]!, enrich));
    },
  };
}

/** What one request reads. */
interface RequestReads {
  readonly auto: readonly AutoRead[];
  readonly joined: readonly JoinOfRequest[];
  readonly enrich: readonly EnrichRead[];
  readonly request: DecisionRequest;
}

/** Adds the tables to read to `tables`, with the keys that are known before anything is read. */
function planReads(
  catalogue: TenantCatalogue,
  flows: readonly LiveFlow[],
  requests: readonly ProfileRequest[],
  tables: Map<string, TableRead>,
): readonly RequestReads[] {
  /** Requests of one flow share the read; two flows of one batch may read different columns of one table. */
  const tableOf: TableOf = (schemaId, column, what, statement) => {
    const id = `${schemaId} ${column} ${what}`;
    let table = tables.get(id);
    if (!table) {
      const schema = catalogue.schemaTables.get(schemaId);
      if (!schema) throw new Error(`the catalogue has no schema ${schemaId}`);
      table = { rows: statement(schema), keys: new Set(), found: new Map() };
      tables.set(id, table);
    }
    return table;
  };
  // A row has everything that the record stores of it. The engine uses what its plan reads.
  const rowsOf = (schemaId: string, column: string, columns: readonly string[]): TableRead =>
    tableOf(schemaId, column, columns.join(' '), (schema) => rowsByKeyStatement(schema, column, columns));
  const readsOf = new Map(flows.map((flow) => [flow, readsOfFlow(flow, rowsOf, tableOf)]));
  return requests.map(({ flow, request }) => {
    const { auto, joins, enrichTables } = readsOf.get(flow)!;
    for (let i = 0; i < auto.length; i++) auto[i]!.table.keys.add(request.customerId);
    const joined = joins.length === 0 ? noJoins : joins.map((source) => beginJoin(source, request.customerId));
    const { enrichSources } = flow.plan;
    if (enrichSources.length === 0) return { auto, joined, enrich: noEnrich, request };
    const enrich = enrichSources.map((source, i): EnrichRead => {
      const table = enrichTables[i]!;
      const key = source.trip > 0 ? null : lookupKey(source, request, {});
      if (key !== null) table.keys.add(key);
      return { source, table, key };
    });
    return { auto, joined, enrich, request };
  });
}

const noJoins: readonly JoinOfRequest[] = [];
const noEnrich: readonly EnrichRead[] = [];

/** What all requests of a flow have in common. */
interface ReadsOfFlow {
  readonly auto: readonly AutoRead[];
  readonly joins: FlowJoins['sources'];
  /** One per enrich source. */
  readonly enrichTables: readonly TableRead[];
}

function readsOfFlow(flow: LiveFlow, rowsOf: RowsOf, tableOf: TableOf): ReadsOfFlow {
  const { plan, readSet } = flow;
  const columnsOf = ({ schemaId, columns }: AutoSource) => readSet.columns[schemaId] ?? columns;
  const { sources, columnsBeside } = planJoins(flow, rowsOf, tableOf);
  const auto = plan.autoSources.map((source): AutoRead => {
    const own = columnsOf(source);
    const columns = columnsBeside(source.schemaId, source.rowKey, own);
    const table = rowsOf(source.schemaId, source.rowKey, columns);
    return { table, gives: columns.length === own.length ? null : own };
  });
  const enrichTables = plan.enrichSources.map((source) =>
    rowsOf(source.schemaId, source.lookupColumn, columnsOf(source)),
  );
  return { auto, joins: sources, enrichTables };
}

/** Reads the rows on the way to joined schemas, one round trip per step. */
async function followJoins(tx: HotTransaction, reads: readonly RequestReads[]): Promise<void> {
  const longest = Math.max(0, ...reads.flatMap(({ joined }) => joined.map(({ source }) => source.steps.length)));
  for (let step = 0; step < longest; step++) {
    const late: LateReads = new Map();
    for (const { joined } of reads) for (const join of joined) nextStep(join, step, late);
    if (late.size > 0) await readAgain(tx, late);
  }
}

/** Reads the rows of enrich nodes that look up what was read before, one round trip per link of the chain. */
async function followLookUps(
  tx: HotTransaction,
  reads: readonly RequestReads[],
  profiles: readonly Profile[],
): Promise<void> {
  const lastTrip = Math.max(0, ...reads.flatMap(({ enrich }) => enrich.map(({ source }) => source.trip)));
  for (let trip = 1; trip <= lastTrip; trip++) {
    const late: LateReads = new Map();
    reads.forEach(({ enrich, request }, i) => {
      for (const each of enrich) {
        if (each.source.trip !== trip) continue;
        each.key = lookupKey(each.source, request, seenBy(each.source, enrich, profiles[i]!.values));
        if (each.key !== null) readLate(late, each.table, each.key);
      }
    });
    if (late.size > 0) await readAgain(tx, late);
  }
}

function withEnriched(profile: Profile, enrich: readonly EnrichRead[]): Profile {
  if (enrich.length === 0) return profile;
  const enriched: Record<string, (JoinedRow | null)[]> = {};
  let { known } = profile;
  for (const { source, table, key } of enrich) {
    const row = key === null ? null : (table.found.get(key) ?? null);
    known ||= row !== null;
    enriched[source.nodeId] ??= [];
    enriched[source.nodeId]![source.position] = row;
  }
  return { ...profile, known, enriched };
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
  /** The value to look up; null: none yet. */
  key: string | null;
}

/**
 * Returns `customer.*` as a node's look-up reads it: auto-enriched values, overlaid with the rows of earlier enrich
 * nodes, later ones winning (docs/design/api-catalogue.md 20). The engine merges in the same order.
 */
function seenBy(source: EnrichSource, reads: readonly EnrichRead[], profile: JoinedRow): JoinedRow {
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

/** Returns the value that an enrich source looks up; null when the path has nothing that can be a key. */
function lookupKey(source: EnrichSource, request: DecisionRequest, profile: JoinedRow): string | null {
  const [root, ...path] = source.lookupFrom.split('.');
  let value: unknown =
    root === 'customer' ? profile : root === 'attributes' ? request.attributes : root === 'request' ? request : null;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
    value = Reflect.get(value, name);
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}
