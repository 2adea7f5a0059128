import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { type Envelope, SealError, type SealPlace } from '../../../platform/crypto/crypto.ts';
import { isObject } from '../../../platform/json.ts';
import { secretMask } from '../../identity/audit/index.ts';
import { joinConfig } from '../../operations/notifications/index.ts';
import type { ActionConfig } from './actions.service.ts';
import { replaceSealed, selectSealed } from './triggers.store.ts';

const placeOf = (tenantId: string, recordId: string): SealPlace => ({ tenantId, recordId, field: 'trigger' });

/** Stores the secrets of a trigger, by their paths in the config. Throws 503 `not_configured` without a key. */
export async function keepSecrets(
  tx: Tx,
  envelope: Envelope | null,
  id: string,
  secrets: Readonly<Record<string, string>>,
): Promise<void> {
  if (Object.keys(secrets).length === 0) return replaceSealed(tx, id, null);
  if (envelope === null) {
    throw new AppError('not_configured', { detail: "Secrets can't be stored: DATA_ENCRYPTION_KEY is not set." });
  }
  await replaceSealed(tx, id, envelope.seal(placeOf(tx.tenantId, id), JSON.stringify(secrets)));
}

/** Returns the config with its secrets. Throws 503 `not_configured` if they can't be opened. */
export async function openConfig(
  tx: Tx,
  envelope: Envelope | null,
  { id, actionConfig }: { readonly id: string; readonly actionConfig: ActionConfig },
): Promise<ActionConfig> {
  const sealed = await selectSealed(tx, id);
  if (sealed === undefined) return actionConfig;
  try {
    if (envelope === null) throw new SealError('no key');
    const secrets: Record<string, string> = JSON.parse(
      envelope.open(placeOf(tx.tenantId, id), sealed).toString('utf8'),
    );
    return joinConfig(actionConfig, secrets);
  } catch (cause) {
    if (!(cause instanceof SealError)) throw cause;
    throw new AppError('not_configured', {
      detail: "The secrets of the trigger can't be decrypted. Enter them again.",
      cause,
    });
  }
}

const originOf = (url: unknown): string => (typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : '');

/**
 * Replaces bullets by the stored secrets, if the webhook still goes to the same host: who never saw a secret must not
 * have it sent elsewhere. Bullets without a secret stay.
 */
export function unmask(config: ActionConfig, stored: ActionConfig): ActionConfig {
  if (originOf(config.url) !== originOf(stored.url)) return config;
  const replaced = (value: unknown, before: unknown) => (value === secretMask && before !== undefined ? before : value);
  const headers = isObject(stored.headers) ? stored.headers : {};
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => {
      if (key === 'secret') return [key, replaced(value, stored.secret)];
      if (key !== 'headers' || !isObject(value)) return [key, value];
      return [
        key,
        Object.fromEntries(Object.entries(value).map(([name, text]) => [name, replaced(text, headers[name])])),
      ];
    }),
  );
}
