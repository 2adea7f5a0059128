import type { Decision, SnapshotFlow } from '@arbiter/engine';
import { type Database, systemActor, type Tx } from '../../../../db/index.ts';
import { AppError } from '../../../../platform/app-error.ts';
import type { Clock } from '../../../../platform/time/clock.ts';
import { addMinutes, type MinuteRow } from './decision-minutes.store.ts';

/**
 * Decision figures by minute, flow and arm (docs/design/recording.md S11). Failures leave no record, so an arm's
 * records alone would hide them. Collected in memory and added to the tenant's rows every few seconds, or at the end of
 * the minute when many tenants decide at once. A killed process loses what it hasn't added. Dry runs don't count.
 */
export interface DecisionMinutes {
  decided(tenantId: string, decisions: readonly TimedDecision[]): void;
  /** Counts a requested decision that wasn't made; `flow` null: it failed before a flow was found. */
  failed(tenantId: string, flow: Pick<SnapshotFlow, 'id' | 'version'> | null, error: unknown, startedAt: number): void;
  /**
   * Writes what's due: completed minutes, and the current one while few tenants decide; or `all`. Keeps what can't be
   * written for the next time.
   */
  flush(which: 'due' | 'all'): Promise<void>;
}

export interface TimedDecision {
  readonly flow: Pick<SnapshotFlow, 'id' | 'version'>;
  readonly figures: MinuteFigures;
  /** Monotonic ms at which the request came in. */
  readonly startedAt: number;
}

/** A decision's figures. The decision itself is released before the commit. */
export type MinuteFigures = Pick<
  MinuteRow,
  'decisions' | 'empty' | 'candidates' | 'policyBlocked' | 'degraded' | 'policyErrors' | 'computeErrors'
>;

export function figuresOf({ items, summary, policyBlocks, degradedScoring, policyErrors }: Decision): MinuteFigures {
  let policyBlocked = 0;
  if (policyBlocks !== null) for (const type in policyBlocks) policyBlocked += policyBlocks[type]!;
  return {
    decisions: 1,
    empty: items.length === 0 ? 1 : 0,
    candidates: summary.candidateCount,
    policyBlocked,
    degraded: degradedScoring ? 1 : 0,
    policyErrors,
    computeErrors: summary.computeErrors,
  };
}

type Cell = { -readonly [K in keyof MinuteRow]: MinuteRow[K] };

const minuteMs = 60_000;
const noFlow = { id: '00000000-0000-0000-0000-000000000000', version: 0 };
/** Maximum rows to keep while the database is away. The oldest minutes are dropped first. */
const maxRows = 20_000;
/** Write the current minute too while it has at most this many tenants, so that a first decision counts soon; each costs a transaction. */
const maxUpcoming = 20;

/** By minute (epoch ms), tenant, and flow with arm. */
type Minutes = Map<number, Map<string, Map<string, Cell>>>;

/** Writes one tenant's rows. Drops figures of flows that a reset removed. */
type WriteRows = (tenantId: string, rows: readonly Cell[]) => Promise<void>;

/** `knownFlows` returns which of these flows the tenant has. */
export function createDecisionMinutes(
  database: Pick<Database, 'withTenant'>,
  knownFlows: (tx: Tx, ids: readonly string[]) => Promise<ReadonlySet<string>>,
  clock: Clock,
  onError: (error: unknown) => void,
): DecisionMinutes {
  const minutes: Minutes = new Map();
  const write: WriteRows = (tenantId, rows) =>
    database.withTenant(tenantId, systemActor('decision-minutes'), async (tx) => {
      const known = await knownFlows(tx, [...new Set(rows.map(({ flowId }) => flowId))]);
      await addMinutes(
        tx,
        rows.filter(({ flowId }) => flowId === noFlow.id || known.has(flowId)),
      );
    });
  const minuteNow = (): number => Math.floor(clock.now() / minuteMs) * minuteMs;
  let flushing: Promise<void> = Promise.resolve();
  return {
    decided: (tenantId, decisions) => countDecisions(minutes, minuteNow(), tenantId, decisions),
    failed(tenantId, flow, error, startedAt) {
      const minute = minuteNow();
      const cell = cellOf(cellsOf(minutes, minute, tenantId), minute, flow ?? noFlow);
      const code = error instanceof AppError ? error.code : 'internal';
      cell.errors = { ...cell.errors, [code]: (cell.errors[code] ?? 0) + 1 };
      time(cell, performance.now() - startedAt);
    },
    flush(which) {
      flushing = flushing.then(() => writeDue(minutes, which === 'all' ? null : minuteNow(), write, onError));
      return flushing;
    },
  };
}

function countDecisions(minutes: Minutes, minute: number, tenantId: string, decisions: readonly TimedDecision[]): void {
  const cells = cellsOf(minutes, minute, tenantId);
  const endedAt = performance.now();
  let flow: TimedDecision['flow'] | null = null;
  let cell: Cell | null = null;
  for (const each of decisions) {
    // A batch usually has one flow.
    if (cell === null || each.flow !== flow) {
      flow = each.flow;
      cell = cellOf(cells, minute, flow);
    }
    count(cell, each.figures);
    time(cell, endedAt - each.startedAt);
  }
}

function cellsOf(minutes: Minutes, minute: number, tenantId: string): Map<string, Cell> {
  let tenants = minutes.get(minute);
  if (tenants === undefined) {
    tenants = new Map();
    minutes.set(minute, tenants);
  }
  let cells = tenants.get(tenantId);
  if (cells === undefined) {
    cells = new Map();
    tenants.set(tenantId, cells);
  }
  return cells;
}

function cellOf(cells: Map<string, Cell>, minute: number, flow: Pick<SnapshotFlow, 'id' | 'version'>): Cell {
  // The only arm there is; releases will add the other.
  const arm = 0;
  const key = `${flow.id} ${flow.version} ${arm}`;
  let cell = cells.get(key);
  if (cell === undefined) {
    cell = emptyCell(minute, flow, arm);
    cells.set(key, cell);
  }
  return cell;
}

/** Writes the minutes before `now`, and those of few tenants; `now` null: all. Puts back what can't be written. */
async function writeDue(
  minutes: Minutes,
  now: number | null,
  write: WriteRows,
  onError: (error: unknown) => void,
): Promise<void> {
  const due = [...minutes].filter(([minute, tenants]) => now === null || minute < now || tenants.size <= maxUpcoming);
  const byTenant = new Map<string, Cell[]>();
  for (const [minute, tenants] of due) {
    minutes.delete(minute);
    for (const [tenantId, cells] of tenants) {
      byTenant.set(tenantId, [...(byTenant.get(tenantId) ?? []), ...cells.values()]);
    }
  }
  for (const [tenantId, rows] of byTenant) {
    try {
      await write(tenantId, rows);
    } catch (error) {
      onError(error);
      putBack(minutes, tenantId, rows);
    }
  }
  dropOldest(minutes, onError);
}

/** Puts back rows that couldn't be written. Others may have been counted since, when the clock stepped back. */
function putBack(minutes: Minutes, tenantId: string, rows: readonly Cell[]): void {
  for (const row of rows) {
    const minute = row.minute.getTime();
    add(cellOf(cellsOf(minutes, minute, tenantId), minute, { id: row.flowId, version: row.flowVersion }), row);
  }
}

/** Drops the oldest minutes beyond `maxRows`. */
function dropOldest(minutes: Minutes, onError: (error: unknown) => void): void {
  let rows = 0;
  let isFull = false;
  for (const [minute, tenants] of [...minutes].sort(([a], [b]) => b - a)) {
    for (const cells of tenants.values()) rows += cells.size;
    isFull ||= rows > maxRows;
    if (isFull) minutes.delete(minute);
  }
  if (isFull) onError(new Error('decision counts dropped: they could not be written for too long'));
}

function emptyCell(minute: number, flow: Pick<SnapshotFlow, 'id' | 'version'>, arm: number): Cell {
  return {
    minute: new Date(minute),
    flowId: flow.id,
    flowVersion: flow.version ?? 0,
    arm,
    decisions: 0,
    empty: 0,
    errors: {},
    candidates: 0,
    policyBlocked: 0,
    degraded: 0,
    policyErrors: 0,
    computeErrors: 0,
    durations: [],
  };
}

function count(cell: Cell, figures: MinuteFigures): void {
  cell.decisions += figures.decisions;
  cell.empty += figures.empty;
  cell.candidates += figures.candidates;
  cell.policyBlocked += figures.policyBlocked;
  cell.degraded += figures.degraded;
  cell.policyErrors += figures.policyErrors;
  cell.computeErrors += figures.computeErrors;
}

function add(cell: Cell, other: MinuteRow): void {
  count(cell, other);
  for (const code in other.errors) {
    cell.errors = { ...cell.errors, [code]: (cell.errors[code] ?? 0) + other.errors[code]! };
  }
  for (const [bucket, n] of other.durations.entries()) raise(cell, bucket, n);
}

/** From here on, each duration bucket is a quarter of an octave wide, so quantiles are at most 19 % too high. */
const firstUs = 16;
const bucketsPerOctave = 4;
/** Up to two minutes. */
const lastBucket = 91;

/**
 * Returns the position in the histogram (`arbiter.duration_quantile`): bucket b has durations below 16 us * 2^(b/4).
 */
export function bucketOf(us: number): number {
  if (!(us >= firstUs)) return 0;
  return Math.min(lastBucket, Math.floor(bucketsPerOctave * Math.log2(us / firstUs)) + 1);
}

function time(cell: Cell, ms: number): void {
  raise(cell, bucketOf(ms * 1000), 1);
}

function raise({ durations }: Cell, bucket: number, by: number): void {
  while (durations.length <= bucket) durations.push(0);
  durations[bucket]! += by;
}
