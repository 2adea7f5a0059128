import type { KeyObject } from 'node:crypto';
import type { AuditBreakReason, AuditLog, AuditVerification } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { invalid } from '../../../platform/app-error.ts';
import type { PrivateFolder } from '../../../platform/private-folder.ts';
import { takeTurns } from '../../../platform/turns.ts';
import { readAnchors } from './audit.anchors.ts';
import { hashOfRow } from './audit.canonical.ts';
import { type Checkpoint, readCheckpoint } from './audit.checkpoint.ts';
import { selectChain, selectChainEnds, selectLink } from './audit.store.ts';

/** Rows that one check reads at most; longer chains are checked page by page (docs/design/api-access.md 7). */
const verifyMaximum = 100_000;
/** One slice: few enough rows to be in memory twice (one is checked, the next is on its way) whatever they hold. */
const sliceRows = 1_000;
const sliceBytes = 1_000_000;
/** No slice is begun when less than this is left until the answer must be there, in ms: a page ends early instead. */
const reserveMs = 1_000;

interface Link {
  readonly sequence: number;
  /** Null when there is no such row. */
  readonly hash: string | null;
  readonly id?: string;
}

function breakAt(row: AuditLog, before: Link): AuditBreakReason | null {
  if (before.hash === null || row.sequence !== before.sequence + 1) return 'sequence_gap';
  if (hashOfRow(row) !== row.integrityHash) return 'hash_mismatch';
  return row.prevHash === before.hash ? null : 'chain_link_mismatch';
}

/** The row before the first one of a check: its hash as stored, which the first row must name. */
async function linkBefore(tx: Tx, fromSequence: number, checkpoint: Checkpoint): Promise<Link> {
  const sequence = fromSequence - 1;
  if (sequence === checkpoint.sequence) return checkpoint;
  return { sequence, hash: null, ...(await selectLink(tx, sequence)) };
}

/** Which part of the chain is to be checked. */
export interface VerifyRange {
  /** First row; default: so that the newest `limit` rows are checked. */
  readonly fromSequence?: number;
  /** Rows at most; default `verifyMaximum`. */
  readonly limit?: number;
  /** `performance.now()` by which the answer must be there: shortly before it the check ends with a `nextSequence`. */
  readonly until?: number;
}

/** What a chain is held against besides itself: nobody who changes the database only can make it fit. */
export interface ChainProof {
  /** Keys that sign checkpoints, the newest first. */
  readonly checkpointKeys: readonly KeyObject[];
  /** Where heads are anchored (EXPORT_DIR). */
  readonly exportFolder: PrivateFolder;
}

const start: Checkpoint = { sequence: 0, hash: '0'.repeat(64) };

/**
 * Checks rows of the tenant's chain in slices, the next being read while one is checked: sequence without gap, each
 * hash, each link, each anchor, and, when it comes to the end, the noted head. It begins at the earliest with the row behind
 * the last checkpoint, whose signature must hold. `nextSequence` says where to go on when it does not.
 * A chain that grows meanwhile is checked up to the end that it had at the start. Throws 400 when `fromSequence` lies
 * behind the end. Without `proof` neither signatures nor anchors are looked at.
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
  const checkpoint: Checkpoint = stated === null ? start : { sequence: stated.sequence, hash: stated.hash };
  const asked = range.fromSequence ?? last - limit + 1;
  const fromSequence = Math.max(checkpoint.sequence + 1, asked);
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

  // Bounded by the end of the chain, never by the end of the page: of a page whose last row is missing, the row after
  // it is read, and shows the gap.
  const readSlice = (from: number): Promise<readonly AuditLog[]> => {
    const slice = selectChain(tx, from, last, Math.min(sliceRows, limit - scanned), sliceBytes);
    // When a break is found meanwhile, the result is not awaited any more. A failure here fails the transaction as well.
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
  // Of two that differ the older one was there first.
  return new Map(anchors.reverse().map(({ sequence, hash }) => [sequence, hash]));
}

const dayMs = 86_400_000;
