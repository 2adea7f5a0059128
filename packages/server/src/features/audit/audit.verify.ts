import { createHash } from 'node:crypto';
import { scheduler } from 'node:timers/promises';
import type { AuditBreakReason, AuditLog, AuditVerification } from '@arbiter/contract';
import type { Tx } from '../../db/tx.ts';
import { selectChain, selectChainEnds } from './audit.store.ts';

/** Rows that one check reads at most; more is the command line's `audit verify --all` (api-access.md 7). */
export const verifyMaximum = 100_000;
const batchSize = 500;
/** Rows may be large: after this long, in milliseconds, other requests get their turn (quality.md law 2). */
const turnMs = 10;

/** RFC 8785 form, written for the check alone: it shares no code with the writer (quality.md R14). */
function canonical(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entry]) => `${JSON.stringify(key)}:${canonical(entry)}`);
  return `{${members.join(',')}}`;
}

function hashOf(row: AuditLog): string {
  const { integrityHash: _stored, ...content } = row;
  return createHash('sha256').update(canonical(content), 'utf8').digest('hex');
}

interface Link {
  readonly sequence: number;
  /** Null when the row before was not read: then its hash is not known. */
  readonly hash: string | null;
}

function breakAt(row: AuditLog, before: Link): AuditBreakReason | null {
  if (row.sequence !== before.sequence + 1) return 'sequence_gap';
  if (hashOf(row) !== row.integrityHash) return 'hash_mismatch';
  if (before.hash !== null && row.prevHash !== before.hash) return 'chain_link_mismatch';
  return null;
}

async function linkBefore(tx: Tx, fromSequence: number): Promise<Link> {
  if (fromSequence === 1) return { sequence: 0, hash: '0'.repeat(64) };
  const [row] = await selectChain(tx, fromSequence - 1, fromSequence - 1, 1);
  return { sequence: fromSequence - 1, hash: row?.integrityHash ?? null };
}

/**
 * Checks the newest `limit` rows of the tenant's chain: sequence without gap, each hash, each link, and the noted head.
 * A chain that grows meanwhile is checked up to the head that was noted at the start. No rows are cut before the
 * retention of audit rows is built, so there is no checkpoint to begin from yet.
 */
export async function verifyChain(tx: Tx, limit: number = verifyMaximum): Promise<AuditVerification> {
  const ends = await selectChainEnds(tx);
  const last = Math.max(ends.sequence, ends.lastSequence);
  const fromSequence = Math.max(1, last - limit + 1);
  const base = { total: ends.total, fromSequence, checkpoint: null };
  let before = await linkBefore(tx, fromSequence);
  let lastId: string | undefined;
  let verified = 0;
  let scanned = 0;
  const broken = (brokenReason: AuditBreakReason, brokenAtId: string | undefined): AuditVerification => ({
    ...base,
    intact: false,
    verified,
    scanned,
    ...(brokenAtId === undefined ? {} : { brokenAtId }),
    brokenReason,
  });

  for (let next = fromSequence; next <= last; ) {
    const rows = await selectChain(tx, next, last, batchSize);
    scanned += rows.length;
    let turnBegan = performance.now();
    for (const row of rows) {
      if (performance.now() - turnBegan > turnMs) {
        await scheduler.yield();
        turnBegan = performance.now();
      }
      const reason = breakAt(row, before);
      if (reason !== null) return broken(reason, row.id);
      before = { sequence: row.sequence, hash: row.integrityHash };
      lastId = row.id;
      verified += 1;
    }
    if (rows.length < batchSize) break;
    next = before.sequence + 1;
  }
  if (before.sequence !== ends.sequence || (before.hash !== null && before.hash !== ends.hash)) {
    return broken('head_mismatch', lastId);
  }
  return { ...base, intact: true, verified, scanned };
}
