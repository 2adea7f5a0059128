import { answerWithinMs, overdue } from '../../platform/deadline.ts';
import { isCanonicalUuid } from '../../platform/ids.ts';
import { channelsOf } from '../cluster/announcements.ts';
import type { Home, Homes } from '../cluster/homes.ts';
import { atHome, isOutbox, isWrite, onOneWorker, onShards } from '../cluster/one-worker.ts';
import { movedCode, translateCommitError, translateError } from '../errors.ts';
import { plannerSettings } from '../planner-settings.ts';
import { enterTenant, presenceOf } from '../transaction.ts';
import { createHotConnections, type HotConnections } from './hot-connections.ts';
import type { HotWire, WireResult, WireStatement } from './wire/hot-wire.ts';

/** A hot-path statement, prepared once per connection under its name. */
export interface HotStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

export type HotRow = Readonly<Record<string, unknown>>;

/**
 * SQL for the database's instant, as `instant`. A statement after the locking one reads it after the wait for the lock.
 */
export const instantColumn = 'clock_timestamp() as instant';

/** Reads the database's clock. */
export const readClock: HotStatement = { name: 'hot.clock', text: `select ${instantColumn}`, values: [] };

/** An open hot-path transaction. Statements sent together make one round trip (docs/design/stack.md, "driver"). */
export interface HotTransaction {
  /** Runs the statements in order and returns the rows of each. */
  send(statements: readonly HotStatement[]): Promise<(readonly HotRow[])[]>;
  /** Runs the statements and commits in one round trip. Resolves only when the commit is durable. */
  commit(statements: readonly HotStatement[]): Promise<void>;
}

/** Pipelined connections for the batcher, separate from the pool. */
export interface HotPath {
  /**
   * Runs `fn` in a transaction bound to the tenant, and rolls back a transaction that `fn` didn't commit. Throws
   * AppError `unavailable` when the database is away, no connection is free within two seconds, or the whole, rollback
   * included, takes longer than `patienceMs` (default and maximum `answerWithinMs`).
   */
  run<T>(tenantId: string, fn: (tx: HotTransaction) => Promise<T>, patienceMs?: number): Promise<T>;
  /** Connections in use now. */
  inUse(): number;
  /** Round trips to the database so far. Statements sent together count as one; a rollback counts too. */
  trips(): number;
  close(): Promise<void>;
}

export interface HotPathOptions {
  readonly url: string;
  /**
   * True when the URL goes through a pooler that gives each transaction another session (docs/guides/scaling.md).
   * Nothing may then outlive a transaction: settings are made in each one, and statements have no names. Default false.
   */
  readonly pooled?: boolean;
  /** True on a Citus cluster. Default false. */
  readonly isCluster?: boolean;
  /** Finds the node to decide on. Null: the node of `url`. */
  readonly homes?: Homes | null;
  /** Maximum connections, to each node. Each carries one batch at a time. */
  readonly connections: number;
  readonly onError?: (error: unknown) => void;
}

const settings = [
  ['search_path', 'arbiter,pg_temp'],
  ...plannerSettings,
  // Shorter than any caller's wait: if the database can still answer, it gives up first and we keep the connection.
  ['statement_timeout', '3750'],
  ['idle_in_transaction_session_timeout', '60000'],
] as const;
const sessionOptions = settings.map(([name, value]) => `-c ${name}=${value}`).join(' ');
/** Citus finds the worker when it knows the values, so a plan without them doesn't help. */
const clusterOptions = sessionOptions.replace('force_generic_plan', 'auto');
/** Milliseconds a rollback may take, even past the deadline: saving a connection beats opening a new one. */
const rollbackMs = 100;

const present = `pg_advisory_xact_lock_shared(${presenceOf('$1')})`;
const setTenant = { name: 'hot.tenant', text: `select set_config('app.tenant', $1, true), ${present}` };
const begin: WireStatement = { name: 'hot.begin', text: 'begin', values: [] };
const commit: WireStatement = { name: 'hot.commit', text: 'commit', values: [] };
const rollback: WireStatement = { name: 'hot.rollback', text: 'rollback', values: [] };
/** For a connection without its own session: everything that applies to a transaction, in one statement. */
const setEverything = [
  `select set_config('app.tenant', $1, true)`,
  ...settings.map(([name, value]) => `set_config('${name}', '${value}', true)`),
  present,
].join(', ');
/** On a cluster the tenant is already set, and the lock is where the rows are. */
const presentAtHome = (tenantId: string): WireStatement => ({
  name: 'hot.present',
  text: `select pg_advisory_xact_lock_shared(${presenceOf('home.id::text')}) from arbiter.tenants home where home.id = $1`,
  values: [tenantId],
});
const presentHere = { name: 'hot.present.here', text: `select ${present}` };
const assertHome = { name: 'hot.home', text: 'select arbiter.assert_home($1, $2)' };
const leftover: WireStatement = {
  name: 'hot.leftover',
  text: `select current_setting('app.tenant', true) as tenant`,
  values: [],
};

/** Opens connections lazily, up to the given number. */
export function createHotPath({
  url,
  connections,
  pooled = false,
  isCluster = false,
  homes = null,
  onError = () => undefined,
}: HotPathOptions): HotPath {
  const options = isCluster ? clusterOptions : sessionOptions;
  const pools = new Map<string, HotConnections>();
  const poolOf = (node: string): HotConnections => {
    const known = pools.get(node);
    if (known !== undefined) return known;
    const pool = createHotConnections({ url: node, connections, onError, ...(pooled ? {} : { options }) });
    pools.set(node, pool);
    return pool;
  };
  const counts: HotCounts = { used: 0, trips: 0 };
  const atCoordinator: Home = { url, shards: new Map() };
  return {
    async run(tenantId, fn, patienceMs = answerWithinMs) {
      if (!isCanonicalUuid(tenantId)) throw new Error('a hot transaction needs a tenant id');
      const until = performance.now() + Math.min(patienceMs, answerWithinMs);
      const home = homes === null ? atCoordinator : await homes.homeOf(tenantId);
      const pool = poolOf(home.url);
      const wire = await pool.acquire(until);
      counts.used++;
      const tx = createHotTransaction(wire, {
        ...{ tenantId, until, pooled, isCluster, counts },
        home: home.url === url ? null : home,
        onMoved: () => homes?.forget(tenantId),
      });
      try {
        return await fn(tx);
      } catch (error) {
        tx.noteError(error);
        throw translateError(error);
      } finally {
        const clean = await tx.end();
        counts.used--;
        pool.release(wire, clean);
      }
    },
    inUse: () => counts.used,
    trips: () => counts.trips,
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}

interface HotCounts {
  /** Connections in use. */
  used: number;
  /** Round trips so far. */
  trips: number;
}

interface HotTransactionFacts {
  readonly tenantId: string;
  /** Monotonic ms by which every statement has its answer. */
  readonly until: number;
  readonly pooled: boolean;
  readonly isCluster: boolean;
  /** The worker that has the rows, which the session's own settings apply to; null on the coordinator. */
  readonly home: Home | null;
  /** Called when the rows aren't where they were. */
  readonly onMoved: () => void;
  readonly counts: HotCounts;
}

/** A transaction that `createHotPath` can end. */
interface OpenHotTransaction extends HotTransaction {
  /** Notes that the connection takes no more statements, if that's what the error means. */
  noteError(error: unknown): void;
  /** Rolls back what wasn't committed. Returns true when the connection is clean. */
  end(): Promise<boolean>;
}

/** Where the statements of a transaction run on a cluster. */
interface Placing {
  /** Opens the transaction. */
  opening(): WireStatement[];
  place(statements: readonly HotStatement[]): readonly WireStatement[];
  /** Places the statements before the commit, whose rows nobody reads, and adds notifications. */
  placeLast(statements: readonly HotStatement[]): readonly WireStatement[];
}

/**
 * On the worker that has the rows, statements run on its shards, without Citus. The first write goes through Citus, which keeps
 * the shards in place from then on; the transaction then checks that they were still there (docs/adr/0105).
 */
function createPlacing({ tenantId, home }: HotTransactionFacts): Placing {
  const channels = new Set<string>();
  const shards = home?.shards ?? null;
  const shard = shards?.get('decisions') ?? '';
  let isKept = false;
  let isChecked = false;
  const throughCitus = ({ name, text, values }: HotStatement): WireStatement => {
    isKept ||= isWrite(text);
    return { name, text: onOneWorker(atHome(text, '$1::text')), values };
  };
  const place = (statement: HotStatement): WireStatement => {
    for (const channel of channelsOf(statement.text)) channels.add(channel);
    const isAllowed = shards !== null && (isChecked || !isWrite(statement.text));
    return (isAllowed ? onShards(statement, shards) : null) ?? throughCitus(statement);
  };
  const check = (): WireStatement[] => {
    if (shards === null || !isKept || isChecked) return [];
    isChecked = true;
    return [{ ...assertHome, values: [tenantId, shard] }];
  };
  return {
    opening() {
      const enter = enterTenant(tenantId, home === null);
      if (home === null) return [begin, { name: null, text: enter, values: [] }, presentAtHome(tenantId)];
      const text = `${enter}, arbiter.assert_home('${tenantId}', ${shard})`;
      return [begin, { name: null, text, values: [] }, { ...presentHere, values: [tenantId] }];
    },
    place: (statements) => statements.map(place),
    placeLast(statements) {
      const [outbox, others] = [
        statements.filter(({ text }) => isOutbox(text)),
        statements.filter(({ text }) => !isOutbox(text)),
      ];
      const placed: WireStatement[] = [];
      for (const statement of shards === null ? statements : [...outbox, ...others]) {
        placed.push(...check(), place(statement));
      }
      placed.push(...check());
      for (const channel of channels) {
        placed.push({ name: null, text: 'select pg_notify($1, $2)', values: [channel, tenantId] });
      }
      return placed;
    },
  };
}

function createHotTransaction(wire: HotWire, facts: HotTransactionFacts): OpenHotTransaction {
  const { tenantId, until, pooled, isCluster, counts } = facts;
  let clean = false;
  // A connection that didn't answer in time gets no more statements.
  let stuck = false;
  let state: 'new' | 'open' | 'over' = 'new';
  const placing = createPlacing(facts);

  const run = (statements: readonly WireStatement[], withinMs: number): Promise<readonly WireResult[]> => {
    counts.trips++;
    const trip = wire.trip(pooled ? statements.map(unnamed) : statements, Math.max(1, withinMs));
    if (facts.home === null) return trip;
    return trip.catch((error: unknown) => {
      if (Reflect.get(Object(error), 'code') === movedCode) facts.onMoved();
      throw error;
    });
  };
  const opening = (): WireStatement[] => {
    if (state !== 'new') return [];
    state = 'open';
    if (isCluster) return placing.opening();
    const setting = pooled ? { name: null, text: setEverything } : setTenant;
    return [begin, { ...setting, values: [tenantId] }];
  };
  const placed = (statements: readonly HotStatement[]): readonly WireStatement[] =>
    isCluster ? placing.place(statements) : statements;

  return {
    async send(statements) {
      const sent = [...opening(), ...placed(statements)];
      const results = await run(sent, until - performance.now());
      return results.slice(sent.length - statements.length).map(({ rows }) => rows);
    },
    async commit(statements) {
      // Don't send a commit that nobody waits for.
      if (performance.now() >= until) throw overdue();
      const sent = [...opening(), ...(isCluster ? placing.placeLast(statements) : statements), commit];
      // Behind a pooler, any session could answer. The setting ends with the transaction there.
      if (!pooled) sent.push(leftover);
      state = 'over';
      const results = await run(sent, until - performance.now()).catch((error: unknown) => {
        stuck = isReadTimeout(error);
        throw translateCommitError(error);
      });
      if (results.at(pooled ? -1 : -2)?.tag !== 'COMMIT') throw new Error('nothing was committed');
      clean = pooled || isClean(results.at(-1));
    },
    noteError(error) {
      stuck ||= isReadTimeout(error);
    },
    async end() {
      if (state === 'new' || clean || stuck) return state === 'new' || clean;
      try {
        const statements = pooled ? [rollback] : [rollback, leftover];
        const results = await run(statements, Math.max(rollbackMs, until - performance.now()));
        return pooled || isClean(results.at(-1));
      } catch {
        // The connection is lost; the database rolls back on its own.
        return false;
      }
    },
  };
}

const unnamed = ({ text, values }: WireStatement): WireStatement => ({ name: null, text, values });

const isReadTimeout = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout';

function isClean(result: WireResult | undefined): boolean {
  const tenant = result?.rows[0]?.tenant;
  return tenant === '' || tenant === null;
}
