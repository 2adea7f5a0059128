import type { KeyObject } from 'node:crypto';
import { canonicalJson } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { deriveKey, hmac, sameSecret } from '../../../platform/crypto/crypto.ts';
import { genesisHash } from './audit.chain.ts';
import { recordAudit } from './audit.service.ts';
import { cutRows, selectLastOf } from './audit.store.ts';

/** Start of a tenant's chain: the last row that was cut; 0 and zeros if none was. */
export interface ChainCheckpoint {
  readonly sequence: number;
  readonly hash: string;
}

/** The checkpoint of a chain as its newest checkpoint row states it. */
export interface StatedCheckpoint extends ChainCheckpoint {
  /** ID of the row. */
  readonly id: string;
  /** False if the checkpoint wasn't written by a server with these keys. */
  readonly isSigned: boolean;
}

const entity = { entityType: 'auditLog', entityId: 'chain' } as const;
/** Rows that one call cuts at most. */
const maxCut = 100_000;
/** Rows per statement, which finishes well within the statement timeout, even on a slow machine. */
const rowsPerCut = 10_000;
/** No further statement is begun when less than this is left until the answer must be there, in ms. */
const reserveMs = 3_000;

const signatureOf = (key: KeyObject, tenantId: string, { sequence, hash }: ChainCheckpoint): string =>
  hmac(deriveKey(key, 'audit checkpoint'), canonicalJson({ tenantId, sequence, hash })).toString('hex');

/**
 * Cuts rows older than an instant from the start of the tenant's chain and leaves a checkpoint row, signed with the
 * first of `keys`, that says how far (docs/design/api-access.md 7). `before`: null cuts nothing. `until`
 * (`performance.now()`): stops shortly before; the next call continues. Returns the number of rows. Throws 503
 * `not_configured` without a key, because a cut couldn't be told from tampering.
 */
export async function cutChain(
  tx: Tx,
  keys: readonly KeyObject[],
  before: Date | null,
  until = Infinity,
): Promise<number> {
  const [key] = keys;
  if (key === undefined) throw new AppError('not_configured', { detail: 'DATA_ENCRYPTION_KEY is not set.' });
  const known = await readCheckpoint(tx, keys);
  let end: ChainCheckpoint = known ?? { sequence: 0, hash: genesisHash };
  let rows = 0;
  for (let more = before !== null; more && before !== null; ) {
    const cut = await cutRows(tx, before, rowsPerCut);
    if (cut !== null) end = cut;
    rows += cut?.rows ?? 0;
    more = cut?.rows === rowsPerCut && rows < maxCut && performance.now() < until - reserveMs;
  }
  const { sequence, hash } = end;
  await recordAudit(tx, {
    ...entity,
    action: 'checkpoint',
    entityName: null,
    after: { rows, sequence, hash, signature: signatureOf(key, tx.tenantId, { sequence, hash }) },
  });
  return rows;
}

/** The newest checkpoint row of the tenant's chain, or null. */
export async function readCheckpoint(tx: Tx, keys: readonly KeyObject[]): Promise<StatedCheckpoint | null> {
  const row = await selectLastOf(tx, entity.entityType, entity.entityId);
  if (row === undefined) return null;
  const checkpointData = Object(row.after);
  const [sequence, hash, signature] = [
    Number(checkpointData.sequence),
    String(checkpointData.hash),
    String(checkpointData.signature),
  ];
  const isSigned = keys.some((key) => sameSecret(signatureOf(key, tx.tenantId, { sequence, hash }), signature));
  return { id: row.id, sequence, hash, isSigned };
}
