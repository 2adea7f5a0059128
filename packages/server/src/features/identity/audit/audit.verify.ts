import type { KeyObject } from 'node:crypto';
import type { AuditBreakReason, AuditLog, AuditVerification } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { invalid } from '../../../platform/app-error.ts';
import type { PrivateFolder } from '../../../platform/private-folder.ts';
import { takeTurns } from '../../../platform/turns.ts';
import { readAnchors } from './audit.anchors.ts';
import { hashOfRow } from './audit.canonical.ts';
import { type ChainCheckpoint, readCheckpoint } from './audit.checkpoint.ts';
import { selectChain, selectChainEnds, selectLink } from './audit.store.ts';

/** Rows that one check reads at most; longer chains are checked page by page (docs/design/api-access.md 7). */
const verifyMaximum = 100_000;
/** Rows per slice: few enough to have two slices in memory (one being checked, the next being read). */
const sliceRows = 1_000;
const sliceBytes = 1_000_000;
/** No slice is begun when less than this is left until the answer must be there, in ms: a page ends early instead. */
const reserveMs = 1_000;

interface Link {
  readonly sequence: number;
  /** Null if the row doesn't exist. */
  readonly hash: string | null;
  readonly id?: string;
}

function breakAt(row: AuditLog, before: Link): AuditBreakReason | null {
  if (before.hash === null || row.sequence !== before.sequence + 1) return 'sequence_gap';
  if (hashOfRow(row) !== row.integrityHash) return 'hash_mismatch';
  return row.prevHash === before.hash ? null : 'chain_link_mismatch';
}

/** The row before the first one of a check: its hash as stored, which the first row must name. */
async function linkBefore(tx: Tx, fromSequence: number, checkpoint: ChainCheckpoint): Promise<Link> {
  const sequence = fromSequence - 1;
  if (sequence === checkpoint.sequence) return checkpoint;
  return { sequence, hash: null, ...(await selectLink(tx, sequence)) };
}

/** The part of the chain to check. */
export interface VerifyRange {
  /** First row; default: so that the newest `limit` rows are checked. */
  readonly fromSequence?: number;
  /** Rows at most; default `verifyMaximum`. */
  readonly limit?: number;
  /** `performance.now()` by which the answer must be there: shortly before it the check ends with a `nextSequence`. */
  readonly until?: number;
}

/** What a chain is compared with besides itself. Nobody who changes only the database can make it match. */
export interface ChainProof {
  /** Keys that sign checkpoints, the newest first. */
  readonly checkpointKeys: readonly KeyObject[];
  /** Where heads are anchored (EXPORT_DIR). */
  readonly exportFolder: PrivateFolder;
}

const start: ChainCheckpoint = { sequence: 0, hash: '0'.repeat(64) };

/**
 * Checks rows of the tenant's chain in slices, reading the next while one is checked: gapless sequence, each hash, link
 * and anchor and, at the end, the recorded head. Starts at the earliest after the last checkpoint, whose signature must
 * be valid. `nextSequence` says where to continue if it stops early. A chain that grows in the meantime is
 * checked up to the end it had at the start. Throws 400 if `fromSequence` is past the end. Without `proof`, skips signatures and anchors.
 */
export async function verifyChain(
  tx: Tx,
  range: VerifyRange = {},
  proof: ChainProof | null = null,
): Promise<AuditVerification> {
  const { limit = verifyMaximum, until = Infinity } = range;
  const ends = await selectChainEnds(tx);
  const last = Math.max(ends.sequence, ends.lastSequence);
  const stated = await readCheckpoint(tx, proof?.checkpointKeys ?? []);
  const checkpoint: ChainCheckpoint = stated === null ? start : { sequence: stated.sequence, hash: stated.hash };
  const firstSequence = range.fromSequence ?? last - limit + 1;
  const fromSequence = Math.max(checkpoint.sequence + 1, firstSequence);
  if (fromSequence > last + 1) throw invalid('query.fromSequence', `must not be past the end of the chain, ${last}`);
  const base = { total: ends.total, fromSequence, checkpoint: checkpoint.sequence === 0 ? null : checkpoint };
  let before = await linkBefore(tx, fromSequence, checkpoint);
  let verified = 0;
  let scanned = 0;
  const broken = (brokenReason: AuditBreakReason, brokenAtId: string | undefined): AuditVerification => ({
    ...base,
    intact: false,
    verified,
    scanned,
    nextSequence: null,
    ...(brokenAtId === undefined ? {} : { brokenAtId }),
    brokenReason,
  });

  if (proof !== null && stated !== null && !stated.isSigned) return broken('hash_mismatch', stated.id);

  // Bounded by the end of the chain, not of the page: if a page's last row is missing, the row after it is read and
  // shows the gap.
  const readSlice = (from: number): Promise<readonly AuditLog[]> => {
    const slice = selectChain(tx, from, last, Math.min(sliceRows, limit - scanned), sliceBytes);
    // After a break, nothing waits for the result. A failure here fails the transaction as well.
    slice.catch(() => undefined);
    return slice;
  };
  const turns = takeTurns();
  let mayGoOn = true;
  let slice = await readSlice(fromSequence);
  const anchors = await anchorsFrom(tx, proof, slice[0]);
  if ([...anchors.keys()].some((sequence) => sequence > last)) return broken('anchor_mismatch', undefined);
  while (slice.length > 0) {
    scanned += slice.length;
    mayGoOn = scanned < limit && performance.now() < until - reserveMs;
    const next = mayGoOn ? readSlice(slice.at(-1)!.sequence + 1) : [];
    for (const row of slice) {
      const reason = breakAt(row, before);
      if (reason !== null) return broken(reason, row.id);
      if ((anchors.get(row.sequence) ?? row.integrityHash) !== row.integrityHash)
        return broken('anchor_mismatch', row.id);
      before = { sequence: row.sequence, hash: row.integrityHash, id: row.id };
      verified += 1;
      const pause = turns();
      if (pause !== undefined) await pause;
    }
    slice = await next;
  }
  // A short page does not mean the end, because rows may be missing: the walk ends at `last` only.
  if (!mayGoOn && before.sequence < last) {
    return { ...base, intact: true, verified, scanned, nextSequence: before.sequence + 1 };
  }
  if (before.sequence !== ends.sequence || before.hash !== ends.hash) return broken('head_mismatch', before.id);
  return { ...base, intact: true, verified, scanned, nextSequence: null };
}

/**
 * Anchored hashes by sequence. A row is anchored on its own day at the earliest; a day is left for clocks. The page before
 * the first row that is read has had the others.
 */
async function anchorsFrom(
  tx: Tx,
  proof: ChainProof | null,
  first: AuditLog | undefined,
): Promise<ReadonlyMap<number, string>> {
  if (proof === null) return new Map();
  const fromDay =
    first === undefined
      ? ''
      : new Date(Date.parse(first.timestamp) - dayMs).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const anchors = await readAnchors(proof.exportFolder, tx.tenantId, fromDay);
  // Of two that differ, the older one was first.
  return new Map(anchors.reverse().map(({ sequence, hash }) => [sequence, hash]));
}

const dayMs = 86_400_000;
