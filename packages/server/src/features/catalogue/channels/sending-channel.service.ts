import type { ProviderConfig } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { type Envelope, SealError } from '../../../platform/crypto/crypto.ts';
import { findRecord } from '../catalogue-records/index.ts';
import { type ChannelRow, channelSpec } from './channels.store.ts';
import { providerSecretPlace } from './provider-config.rules.ts';
import { selectSecrets } from './provider-secrets.store.ts';

/** A channel as the sender of messages knows it. */
export interface SendingChannel
  extends Pick<ChannelRow, 'id' | 'channelType' | 'status' | 'deliveryMode' | 'addressAttribute' | 'deletedAt'> {
  /** Its provider with its secrets, which must not leave the process but to the provider. Null: they don't open. */
  readonly config: ProviderConfig | null;
}

/** Reads a channel and opens its secrets. Null if the tenant has no such channel; deleted ones are returned. */
export async function readSendingChannel(
  tx: Tx,
  envelope: Envelope | null,
  id: string,
): Promise<SendingChannel | null> {
  const row = await findRecord(tx, channelSpec, id);
  if (row === undefined || row === null) return null;
  const { channelType, status, deliveryMode, addressAttribute, deletedAt, providerConfig } = row;
  const config = openConfig(tx.tenantId, id, envelope, providerConfig, await selectSecrets(tx, id));
  return { id, channelType, status, deliveryMode, addressAttribute, deletedAt, config };
}

function openConfig(
  tenantId: string,
  channelId: string,
  envelope: Envelope | null,
  shown: ProviderConfig,
  sealed: ReadonlyMap<string, Uint8Array>,
): ProviderConfig | null {
  if (sealed.size === 0) return shown;
  if (envelope === null) return null;
  const open = (path: string, value: string): string => {
    const secret = sealed.get(path);
    if (secret === undefined) return value;
    return envelope.open(providerSecretPlace(tenantId, channelId, path), secret).toString('utf8');
  };
  try {
    const headers = Object.entries(shown.headers ?? {}).map(([name, value]) => [
      name,
      open(`/headers/${name.toLowerCase()}`, value),
    ]);
    const opened = Object.entries(shown).map(([key, value]) => [
      key,
      typeof value === 'string' ? open(`/${key}`, value) : value,
    ]);
    return { ...Object.fromEntries(opened), ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }) };
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}
