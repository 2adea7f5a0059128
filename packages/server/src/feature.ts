import type { DataClass, ErasureScope, FoundRecord, ScopedErasureAnswer, SearchedKind } from '@arbiter/contract';
import type { Tx } from './db/index.ts';
import type { AnyHandler } from './http/handler.ts';
import type { EventType, JobHandler, Removed } from './jobs/index.ts';

/** Runs in the transaction that creates a tenant. */
export type OnTenantCreated = (tx: Tx) => Promise<void>;

/** A kind of record that can be restored (`POST /api/v1/restore`). */
export interface Restorable {
  /** The resource's entity type. */
  readonly entityType: string;
  /**
   * Restores the record and what was deleted with it. Returns its new version. Throws 404 if it doesn't exist in this
   * tenant, 400 `not_deleted`, 409 if its name or key is taken or a record it needs is deleted.
   */
  restore(tx: Tx, id: string): Promise<number>;
}

/** A kind of record that `GET /api/v1/search` finds. */
export interface Searchable {
  readonly entityType: SearchedKind;
  /** Returns live records whose name or key contains the text, or whose ID it is, best first. */
  find(tx: Tx, text: string): Promise<readonly FoundRecord[]>;
}

/** The customer to erase. */
export interface ErasedCustomer {
  readonly customerId: string;
  /** The reference that the customer's sealed records hold. */
  readonly ref: string;
  /** IANA zone of the tenant's days. */
  readonly zone: string;
  /** Keyed hash of the ID; safe to store. Throws 503 `not_configured` without DATA_ENCRYPTION_KEY. */
  readonly hash: () => Buffer;
}

/** Erases a feature's data of a customer, in a transaction that has locked the customer's row (docs/design/quality.md T25). */
export interface Eraser {
  /** Tables with a column that names customers or their records. A test finds tables that no feature erases. */
  readonly tables: readonly string[];
  readonly scopes: readonly ErasureScope[];
  /** Runs before any feature deletes anything. */
  readonly settle?: (tx: Tx, customer: ErasedCustomer) => Promise<void>;
  /** Returns the number of deleted records, by kind. */
  readonly erase: (tx: Tx, customer: ErasedCustomer) => Promise<Partial<ScopedErasureAnswer['counts']>>;
  /** Hands data outside the database to a job. The response names it as pending. */
  readonly later?: (tx: Tx, customer: ErasedCustomer) => Promise<ScopedErasureAnswer['pending']>;
}

/** Deletes expired data in slices (docs/design/api-access.md 14). The feature's nightly job does the same. */
export interface Retainer {
  /** Class whose retention and legal hold apply; null: the records have their own expiry. */
  readonly dataClass: DataClass | null;
  /** Count in the response of `GET /api/v1/cron/cleanup`, which leaves out `metrics`. */
  readonly counted: 'suppressions' | 'history' | 'summaries' | 'decisions' | 'metrics';
  /** Deletes one slice, in a transaction of the tenant. */
  readonly remove: (tx: Tx) => Promise<Removed>;
}

/**
 * What a playground reset does with a feature's tables (docs/design/api-access.md 5.3). Each table is in one of the lists; a test
 * finds those that aren't.
 */
export interface Resets {
  /** Tables whose rows of the tenant are deleted. */
  readonly empties?: readonly string[];
  /** Like `empties`, for tables that the application can't delete from otherwise. */
  readonly emptiesHistory?: readonly string[];
  /** Tables that `begin`, `clear` or `end` delete some rows from. */
  readonly clears?: readonly string[];
  /** Tables that don't change, with the reason. */
  readonly keeps?: Readonly<Record<string, string>>;
  /** The feature's jobs that stay in the queue. */
  readonly keepsJobs?: readonly string[];
  /** Runs before any table is emptied. */
  readonly begin?: (tx: Tx) => Promise<void>;
  /** Deletes rows of tables that keep others. Runs when the other tables are empty, before any `end`. */
  readonly clear?: (tx: Tx) => Promise<void>;
  /** Runs last. Must not delete records that have a history. */
  readonly end?: (tx: Tx) => Promise<void>;
}

/**
 * Describes a feature. Its index.ts exports one such value, and main/features.ts lists it. Leave out parts it doesn't have.
 *
 * `Ports` is what its operations need: parts of the process, and functions of features that it may not import. `JobPorts` is
 * the same for its jobs. Both are inferred from the functions below (docs/adr/0074); main/ports.ts and main/process-ports.ts
 * connect them. The contract's resources say which records refer to others (`references`). References inside JSON, where no
 * column shows them, need a port.
 */
export interface FeatureParts<Ports, JobPorts> {
  /** Name of its folder. */
  readonly name: string;
  /** Tables that only this feature's SQL may name. The walls read `export const tables` of index.ts. */
  readonly tables?: readonly string[];
  /** Event types that it appends to the tenant's stream. */
  readonly events?: readonly EventType[];
  readonly onTenantCreated?: readonly OnTenantCreated[];
  /** Its records that can be restored. A soft-deletable resource that isn't here needs a reason (restore.test.ts). */
  readonly restores?: readonly Restorable[];
  /** Its records that searches find. */
  readonly searches?: readonly Searchable[];
  /** Erases its data of customers. */
  readonly erases?: readonly Eraser[];
  /** What a playground reset does with its tables. */
  readonly resets?: Resets;
  /** Deletes its expired data. */
  readonly retains?: readonly Retainer[];
  /** Handlers by operation ID; see `handlerEntries`. */
  readonly operations?: (ports: Ports) => readonly (readonly [string, AnyHandler])[];
  /** Its jobs, with their schedules and handlers. */
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
    searches: [],
    erases: [],
    resets: {},
    retains: [],
    operations: () => [],
    jobs: () => [],
    ...parts,
  };
}

/**
 * Returns the handlers of all features by operation ID. Throws if two features declare the same name, table, event type or
 * operation, so that the process doesn't start.
 */
export function operationsOf<Ports>(
  features: readonly Feature<Ports, never>[],
  ports: Ports,
): ReadonlyMap<string, AnyHandler> {
  assertOneOwner('name', features, ({ name }) => [name]);
  assertOneOwner('table', features, ({ tables }) => tables);
  assertOneOwner('restorable record', features, ({ restores }) => restores.map(({ entityType }) => entityType));
  assertOneOwner('searched record', features, ({ searches }) => searches.map(({ entityType }) => entityType));
  assertOneOwner('event', features, ({ events }) => events.map(({ type }) => type));
  const entries = features.map(({ name, operations }) => ({ name, entries: operations(ports) }));
  assertOneOwner('operation', entries, (one) => one.entries.map(([id]) => id));
  return new Map(entries.flatMap((one) => one.entries));
}

/** Returns the jobs of all features. Throws if two features declare the same job. */
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
