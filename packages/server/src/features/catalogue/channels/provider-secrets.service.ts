import type { ProviderConfig } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError, refuseProblems } from '../../../platform/app-error.ts';
import type { Envelope } from '../../../platform/crypto/crypto.ts';
import {
  goesToTheSame,
  providerProblems,
  providerRemarks,
  providerSecretPlace,
  type SplitConfig,
  splitConfig,
} from './provider-config.rules.ts';
import { replaceSecrets, selectSecretPaths } from './provider-secrets.store.ts';

export interface ProviderSecretPorts {
  /** Encrypts secrets; null without DATA_ENCRYPTION_KEY. */
  readonly envelope: Envelope | null;
}

/**
 * Reads a config from a body: what to show, and its secrets. Throws 400 for keys of another provider, 503 without
 * encryption.
 */
export function readProviderConfig(tx: Tx, { envelope }: ProviderSecretPorts, config: ProviderConfig): SplitConfig {
  refuseProblems(providerProblems(config));
  tx.remarks.push(...providerRemarks(config));
  const split = splitConfig(config);
  if (split.given.size > 0 && envelope === null) {
    throw new AppError('not_configured', { detail: "Secrets can't be stored: DATA_ENCRYPTION_KEY is not set." });
  }
  return split;
}

/**
 * Replaces the secrets of a channel's config, except those that masks keep. Throws 400 for a mask without a stored
 * secret, or whose secret belongs to another provider or address.
 */
export async function keepProviderSecrets(
  tx: Tx,
  { envelope }: ProviderSecretPorts,
  channelId: string,
  before: ProviderConfig,
  { shown, given, kept }: SplitConfig,
): Promise<void> {
  const stored = await selectSecretPaths(tx, channelId);
  const usable = goesToTheSame(before, shown) ? stored : new Set<string>();
  refuseProblems(
    [...kept]
      .filter(([path]) => !usable.has(path))
      .map(([path, place]) => ({
        path: place,
        message: stored.has(path)
          ? 'must be entered again, because the provider or the address has changed'
          : 'is masked, but no secret is stored; enter the secret',
      })),
  );
  if (given.size === 0 && stored.size === kept.size) return;
  const sealed = [...given].map(([path, value]) => {
    if (envelope === null) throw new Error('reading secrets needs the encryption key');
    return { path, sealed: envelope.seal(providerSecretPlace(tx.tenantId, channelId, path), value) };
  });
  await replaceSecrets(tx, channelId, [...kept.keys()], sealed);
}
