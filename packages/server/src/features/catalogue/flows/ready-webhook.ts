import type { PlanWebhook } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { type Envelope, SealError, type SealPlace } from '../../../platform/crypto/crypto.ts';
import { secretMask } from '../../identity/audit/index.ts';
import { secretPlace } from './flow-secrets.service.ts';
import { draftVersion, selectSecrets } from './flow-secrets.store.ts';

/** A webhook as it is called: with the values that its flow hides. */
export interface ReadyWebhook {
  /** Without user and password, which go into the headers. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Null: it hides something that is not stored, or for which there is no key; it is then not called at all. */
export async function readyWebhook(
  tx: Tx,
  envelope: Envelope | null,
  { flowId, flowVersion, ownId, url: stored, headers: shown }: PlanWebhook,
): Promise<ReadyWebhook | null> {
  if (!URL.canParse(stored)) return null;
  const url = new URL(stored);
  const hidden = Object.keys(shown).filter((name) => shown[name] === secretMask);
  const headers: Record<string, string> = { ...shown };
  const hasUser = url.username !== '' || url.password !== '';
  if (hidden.length === 0 && !hasUser) return { url: stored, headers };
  if (envelope === null) return null;
  const rows = await selectSecrets(tx, flowId, flowVersion ?? draftVersion);
  const valueAt = (path: string): string | null => {
    const row = rows.find((each) => each.nodeId === ownId && each.path === path && each.origin === url.origin);
    return row === undefined ? null : opened(envelope, secretPlace(tx.tenantId, flowId, row), row.sealed);
  };
  for (const name of hidden) {
    const value = valueAt(`/headers/${name.toLowerCase()}`);
    if (value === null) return null;
    headers[name] = value;
  }
  if (!hasUser) return { url: stored, headers };
  const credentials = valueAt('/url');
  if (credentials === null) return null;
  url.username = '';
  url.password = '';
  if (!Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) {
    const [user = '', ...password] = credentials.split(':').map(decoded);
    headers.authorization = `Basic ${Buffer.from(`${user}:${password.join(':')}`).toString('base64')}`;
  }
  return { url: url.href, headers };
}

/** Null for a value sealed with a key that's no longer configured. */
function opened(envelope: Envelope, place: SealPlace, sealed: Uint8Array): string | null {
  try {
    return envelope.open(place, sealed).toString('utf8');
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/** Decodes part of a URL, where a stray percent sign stays as it is. */
function decoded(text: string): string {
  return decodeURIComponent(text.replace(/%(?![0-9a-fA-F]{2})/g, '%25'));
}
