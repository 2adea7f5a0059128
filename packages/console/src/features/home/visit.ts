/** A visit, as stored in the user's preferences; instants in milliseconds. */
export interface Visit {
  /** Last time Home was open. */
  readonly seenAt: number;
  /** End of the previous visit; null at the first. */
  readonly since: number | null;
}

/** A visit continues within this time, in milliseconds: a reload must not empty the list. */
export const pauseMs = 30 * 60_000;

/** Returns the visit that opening Home belongs to. */
export function visitOf(before: Visit | null, now: number): Visit {
  if (before === null) return { seenAt: now, since: null };
  return { seenAt: now, since: now - before.seenAt > pauseMs ? before.seenAt : before.since };
}

/** Reads a visit from preferences, which may be invalid. */
export function readVisit(stored: unknown): Visit | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const seenAt: unknown = Reflect.get(stored, 'seenAt');
  const since: unknown = Reflect.get(stored, 'since');
  if (typeof seenAt !== 'number' || !Number.isFinite(seenAt)) return null;
  return { seenAt, since: typeof since === 'number' && Number.isFinite(since) ? since : null };
}

/** A row of the audit log. */
export interface ChangeRow {
  readonly userId: string;
  readonly userName: string;
  readonly action: string;
  readonly entityType: string;
  readonly entityId: string;
  readonly entityName: string | null;
  readonly timestamp: string;
}

export interface RecordChange extends ChangeRow {
  /** Number of changes. */
  readonly count: number;
}

/** Actions that don't affect decisions. */
const quiet: readonly string[] = [
  'login',
  'login_failed',
  'logout',
  'read',
  'read_decision_inputs',
  'replay',
  'checkpoint',
];

/** Returns changes by others, each record once, newest first. `own`: ID of the user. */
export function changesOf(rows: readonly ChangeRow[], own: string): readonly RecordChange[] {
  const found = new Map<string, RecordChange>();
  for (const row of rows) {
    if (row.userId === own || quiet.includes(row.action)) continue;
    const key = `${row.entityType} ${row.entityId}`;
    const known = found.get(key);
    found.set(key, known === undefined ? { ...row, count: 1 } : { ...known, count: known.count + 1 });
  }
  return [...found.values()];
}
