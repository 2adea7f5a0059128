import type { DataClass, ErasureScope, ScopedErasureAnswer } from '@arbiter/contract';
import type { Tx } from './db/index.ts';
import type { AnyHandler } from './http/handler.ts';
import type { EventType, JobHandler, Removed } from './jobs/index.ts';

/** What a new tenant is given, in the transaction of its creation. */
export type OnTenantCreated = (tx: Tx) => Promise<void>;

/** A kind of record that comes back from its deletion (`POST /api/v1/restore`). */
export interface Restorable {
  /** Of its resource. */
  readonly entityType: string;
  /**
   * Brings the record back, with what went with it, in this transaction; answers with its new version. Throws 404 when it
   * is missing or foreign, 400 `not_deleted`, 409 when its name or key is taken or what it needs is deleted.
   */
  restore(tx: Tx, id: string): Promise<number>;
}

/** Who is being erased. */
export interface ErasedCustomer {
  readonly customerId: string;
  /** What the customer's sealed records name. */
  readonly ref: string;
  /** IANA zone in which the tenant counts days. */
  readonly zone: string;
  /** Keyed hash of the id, which may be stored. Throws 503 `not_configured` without DATA_ENCRYPTION_KEY. */
  readonly hash: () => Buffer;
}

/**
 * How a feature takes away what it holds of a customer, in the transaction of the erasure, which holds the customer's row
 * (docs/design/quality.md T25).
 */
export interface Eraser {
  /** Tables with a column that names customers, or something of theirs; a test finds those that no feature erases. */
  readonly tables: readonly string[];
  readonly scopes: readonly ErasureScope[];
  /** What must be done before anybody deletes anything. */
  readonly settle?: (tx: Tx, customer: ErasedCustomer) => Promise<void>;
  /** Answers with how many of what. */
  readonly erase: (tx: Tx, customer: ErasedCustomer) => Promise<Partial<ScopedErasureAnswer['counts']>>;
  /** What is left to a job because it does not lie in the database; the answer names it. */
  readonly later?: (tx: Tx, customer: ErasedCustomer) => Promise<ScopedErasureAnswer['pending']>;
}

/** How a feature deletes what has lived its time, in slices (docs/design/api-access.md 14). Its own nightly job does the same. */
export interface Retainer {
  /** Class whose retention it obeys, legal hold included; null: what it deletes says itself when it runs out. */
  readonly dataClass: DataClass | null;
  /** As what the answer of `GET /api/v1/cron/cleanup` counts it; it has no count of `metrics`. */
  readonly counted: 'suppressions' | 'history' | 'summaries' | 'decisions' | 'metrics';
  /** One slice, in a transaction of the tenant. */
  readonly remove: (tx: Tx) => Promise<Removed>;
}

/**
 * What a reset of a playground (docs/design/api-access.md 5.3) does with what a feature stores. Each of its tables stands in
 * one of the lists; a test finds those that do not.
 */
export interface Resets {
  /** Tables whose rows of the tenant are deleted. */
  readonly empties?: readonly string[];
  /** The same for tables from which the application may not delete otherwise. */
  readonly emptiesHistory?: readonly string[];
  /** Tables of which `begin`, `clear` or `end` delete some rows. */
  readonly clears?: readonly string[];
  /** Tables that stay as they are, and why. */
  readonly keeps?: Readonly<Record<string, string>>;
  /** Jobs of its own that stay in the queue. */
  readonly keepsJobs?: readonly string[];
  /** Runs before any table is emptied. */
  readonly begin?: (tx: Tx) => Promise<void>;
  /** Deletes what goes of tables that keep some rows. Runs once the other tables are empty, before any `end`. */
  readonly clear?: (tx: Tx) => Promise<void>;
  /** Runs last, when everything is deleted: nothing that it does deletes a record that has a history. */
  readonly end?: (tx: Tx) => Promise<void>;
}

/**
 * What a feature says of itself; its index.ts exports one such value and main/features.ts lists it. Parts that the feature
 * does not have are left out.
 *
 * `Ports` is what its operations need from outside: things of the process, and functions of features above it. `JobPorts`
 * is the same for its jobs. Both follow from the parameters of the functions below; main/ports.ts gives them, and a port
 * that is missing there does not compile. Which records refer to its records the resources of the contract say
 * (`references`); a referrer that stands inside JSON, where no column shows it, comes as a port.
 */
export interface FeatureParts<Ports, JobPorts> {
  /** Name of its folder. */
  readonly name: string;
  /** Its tables: only SQL of this feature may name them. The walls read the list from `export const tables` of index.ts. */
  readonly tables?: readonly string[];
  /** Kinds of events that it puts into the tenant's stream. */
  readonly events?: readonly EventType[];
  readonly onTenantCreated?: readonly OnTenantCreated[];
  /** Its records that can be restored; a soft-deletable resource that is missing here needs a reason (restore.test.ts). */
  readonly restores?: readonly Restorable[];
  /** How it takes away what it holds of customers. */
  readonly erases?: readonly Eraser[];
  /** What a reset of a playground does with its tables. */
  readonly resets?: Resets;
  /** What it deletes by age. */
  readonly retains?: readonly Retainer[];
  /** The handler of each of its operations by operation id; see `handlerEntries`. */
  readonly operations?: (ports: Ports) => readonly (readonly [string, AnyHandler])[];
  /** Its jobs, with schedules and with what does them. */
  readonly jobs?: (ports: JobPorts) => readonly JobHandler[];
}

/** What the operations of these features need from outside, together. */
export type OperationPortsOf<Features extends readonly Pick<Feature, 'name'>[]> = Features[number] extends {
  readonly operations: (ports: infer Ports) => unknown;
}
  ? Ports
  : never;

/** What the jobs of these features need from outside, together. */
export type JobPortsOf<Features extends readonly Pick<Feature, 'name'>[]> = Features[number] extends {
  readonly jobs: (ports: infer Ports) => unknown;
}
  ? Ports
  : never;

/** A feature as `main` reads it. */
export type Feature<Ports = unknown, JobPorts = unknown> = Required<FeatureParts<Ports, JobPorts>>;

/** Describes a feature. */
export function feature<Ports = unknown, JobPorts = unknown>(
  parts: FeatureParts<Ports, JobPorts>,
): Feature<Ports, JobPorts> {
  return {
    tables: [],
    events: [],
    onTenantCreated: [],
    restores: [],
    erases: [],
    resets: {},
    retains: [],
    operations: () => [],
    jobs: () => [],
    ...parts,
  };
}

/**
 * The handlers of all features by operation id. Throws, so that the process does not start, when two features have one
 * name, table, kind of event or operation.
 */
export function operationsOf<Ports>(
  features: readonly Feature<Ports, never>[],
  ports: Ports,
): ReadonlyMap<string, AnyHandler> {
  assertOneOwner('name', features, ({ name }) => [name]);
  assertOneOwner('table', features, ({ tables }) => tables);
  assertOneOwner('restorable record', features, ({ restores }) => restores.map(({ entityType }) => entityType));
  assertOneOwner('event', features, ({ events }) => events.map(({ type }) => type));
  const entries = features.map(({ name, operations }) => ({ name, entries: operations(ports) }));
  assertOneOwner('operation', entries, (one) => one.entries.map(([id]) => id));
  return new Map(entries.flatMap((one) => one.entries));
}

/** The jobs of all features. Throws when two features have one job. */
export function jobsOf<JobPorts>(features: readonly Feature<never, JobPorts>[], ports: JobPorts): JobHandler[] {
  const owned = features.map(({ name, jobs }) => ({ name, jobs: jobs(ports) }));
  assertOneOwner('job', owned, ({ jobs }) => jobs.map(({ job }) => job.name));
  return owned.flatMap(({ jobs }) => jobs);
}

function assertOneOwner<F extends { readonly name: string }>(
  what: string,
  features: readonly F[],
  owned: (feature: F) => readonly string[],
): void {
  const owners = new Map<string, string>();
  for (const feature of features) {
    for (const thing of owned(feature)) {
      const other = owners.get(thing);
      if (other !== undefined) {
        throw new Error(
          `The ${what} ${thing} is declared more than once: by the features ${other} and ${feature.name}.`,
        );
      }
      owners.set(thing, feature.name);
    }
  }
}
