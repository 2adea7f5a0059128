import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { type Envelope, SealError, type SealPlace } from '../../../platform/crypto/crypto.ts';
import { deleteSealed, replaceSealed, selectSealed } from './connectors.store.ts';
import type { ConnectorValues } from './secrets.rules.ts';

const placeOf = (tenantId: string, recordId: string): SealPlace => ({ tenantId, recordId, field: 'connector' });

/** Stores the credentials of a connector. Throws 503 `not_configured` without a key. */
export async function storeAuth(tx: Tx, envelope: Envelope | null, id: string, auth: ConnectorValues): Promise<void> {
  const names = Object.keys(auth).sort();
  if (names.length === 0) return deleteSealed(tx, id);
  if (envelope === null) {
    throw new AppError('not_configured', { detail: "Secrets can't be stored: DATA_ENCRYPTION_KEY is not set." });
  }
  await replaceSealed(tx, id, envelope.seal(placeOf(tx.tenantId, id), JSON.stringify(auth)), names);
}

/** Returns the credentials of a connector. Throws 503 `not_configured` if they can't be opened. */
export async function openAuth(tx: Tx, envelope: Envelope | null, id: string): Promise<ConnectorValues> {
  const sealed = await selectSealed(tx, id);
  if (sealed === undefined) return {};
  try {
    if (envelope === null) throw new SealError('no key');
    return JSON.parse(envelope.open(placeOf(tx.tenantId, id), sealed).toString('utf8'));
  } catch (cause) {
    if (!(cause instanceof SealError)) throw cause;
    throw new AppError('not_configured', {
      detail: "The credentials of the connector can't be decrypted. Enter them again.",
      cause,
    });
  }
}
