import { hash } from 'node:crypto';
import {
  canonicalJson,
  columnsRead,
  type JoinedSource,
  joinedSources,
  type Plan,
  type Reads,
  type SnapshotJoin,
  type SnapshotSchema,
} from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import { findReadSet, storeReadSet } from './read-sets.store.ts';

/**
 * What a flow's decisions read of their customers and store: what its plan reads, and what anything else of the tenant
 * would read that may be judged by these records one day (docs/design/recording.md S3). A name missing here wasn't
 * read; a name listed here without a value in the record had none.
 */
export interface ReadSetNames {
  /** Columns by schema id, of the schemas whose rows the flow's decisions read. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  /** Names under `customer.` from joined schemas; left out when there are none, so that read sets keep their hashes. */
  readonly joined?: readonly string[];
  /** Keys of behavioral metrics; left out when there are none, so that read sets keep their hashes. */
  readonly metrics?: readonly string[];
  /** Top-level names under `attributes.`, stored when there are more attributes than a record holds. */
  readonly attributes: readonly string[];
  /** The same under `request.context.`; null: the whole context. */
  readonly context: readonly string[] | null;
  /** IDs and names of segments whose membership is stored. */
  readonly segments: readonly string[];
}

export interface ReadSet extends ReadSetNames {
  /** Identifies it in records; 0: it belongs to nobody and isn't stored. */
  readonly id: number;
}

/** What the tenant reads in addition to a flow's own plan. */
export interface TenantReads {
  readonly reads: Reads;
  /** Setting `recordReads`. */
  readonly recordReads: { readonly customer: readonly string[]; readonly segments: readonly string[] };
  readonly schemas: readonly SnapshotSchema[];
  readonly joins: readonly SnapshotJoin[];
  /** Keys of the metrics that decisions may read. */
  readonly metrics: readonly string[];
  readonly neverStore: ReadonlySet<string>;
}

/** The names that decisions with this plan read and keep. What is never stored is read for the plan alone. */
export function readSetNames(
  plan: Plan,
  { reads, recordReads, schemas, joins, metrics, neverStore }: TenantReads,
): ReadSetNames {
  const customer = new Set([...plan.profileFields, ...reads.customer, ...recordReads.customer]);
  const own = new Map<string, Set<string>>();
  for (const { schemaId, columns } of [...plan.autoSources, ...plan.enrichSources]) {
    const names = own.get(schemaId) ?? new Set();
    for (const name of columns) names.add(name);
    own.set(schemaId, names);
  }
  const columns: Record<string, readonly string[]> = {};
  for (const schema of schemas) {
    const planned = own.get(schema.id);
    if (planned === undefined) continue;
    const wanted = new Set(columnsRead(schema, customer, reads.sources));
    columns[schema.id] = schema.columns
      .map(({ name }) => name)
      .filter((name) => planned.has(name) || (wanted.has(name) && !neverStore.has(name)));
  }
  const joined = joinedNames(plan, { recordReads, schemas, joins, neverStore }, customer);
  const whole = plan.reads.context === null || reads.context === null;
  return {
    columns,
    ...(joined.length === 0 ? {} : { joined }),
    ...(metrics.length === 0 || !customer.has('metrics') ? {} : { metrics }),
    attributes: union(plan.reads.attributes, reads.attributes),
    context: whole ? null : union(plan.reads.context ?? [], reads.context ?? []),
    segments: union(plan.reads.segments, reads.segments, recordReads.segments),
  };
}

/**
 * For joined schemas: everything that the plan reads and the setting names, and, of the tables read for these, what the
 * rest of the tenant would read.
 */
function joinedNames(
  plan: Plan,
  { recordReads, schemas, joins, neverStore }: Omit<TenantReads, 'reads' | 'metrics'>,
  customer: ReadonlySet<string>,
): string[] {
  if (joins.length === 0) return [];
  const storable = (names: Iterable<string>) => new Set([...names].filter((name) => !neverStore.has(name)));
  const named = joinedSources({ schemas, joins }, storable(recordReads.customer));
  const tableOf = ({ schemaId, lookupColumn }: JoinedSource) => `${schemaId} ${lookupColumn}`;
  const read = new Set([...plan.joinedSources, ...named].map(tableOf));
  const beside = joinedSources({ schemas, joins }, storable(customer)).filter((source) => read.has(tableOf(source)));
  return union(namesOf(plan.joinedSources), namesOf(named), namesOf(beside));
}

const namesOf = (sources: readonly JoinedSource[]): string[] =>
  sources.flatMap(({ values }) => values.map(({ name }) => name));

const union = (...lists: readonly Iterable<string>[]): string[] =>
  [...new Set(lists.flatMap((list) => [...list]))].sort();

/** Stores the names that a catalogue of this version decides with, under the number by which records name them, each list once. */
export async function storeNames(tx: Tx, names: ReadSetNames, version: number): Promise<ReadSet> {
  const text = canonicalJson({ ...names });
  return { ...names, id: await storeReadSet(tx, hash('sha256', text, 'buffer'), text, version) };
}

/** Returns the names of a read set; null when the record names none, or it was deleted. */
export async function readNames(tx: Tx, id: number): Promise<ReadSetNames | null> {
  // Nothing else writes them.
  return (await findReadSet(tx, id)) as ReadSetNames | null;
}

/** The read set of decisions that store nothing beyond their plan. */
export function ownReadSet(plan: Plan, metrics: readonly string[]): ReadSet {
  const nothing: Reads = {
    customer: new Set(),
    attributes: new Set(),
    context: new Set(),
    segments: new Set(),
    sources: [],
  };
  const names = readSetNames(plan, {
    reads: nothing,
    recordReads: { customer: [], segments: [] },
    schemas: [],
    joins: [],
    metrics,
    neverStore: new Set(),
  });
  return { ...names, id: 0 };
}
