import type { FlowIssue } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import type { Envelope, SealPlace } from '../../../platform/crypto/crypto.ts';
import { type HiddenValue, hideSecrets } from './flow-secrets.rules.ts';
import { draftVersion, replaceDraftSecrets, type SecretRow, selectSecrets } from './flow-secrets.store.ts';
import type { StoredConfig } from './flows.store.ts';

/** Where a hidden value can be opened: in its flow, node and place, and for its original address. */
export function secretPlace(
  tenantId: string,
  flowId: string,
  { nodeId, path, origin }: Pick<HiddenValue, 'nodeId' | 'path' | 'origin'>,
): SealPlace {
  return { tenantId, recordId: flowId, field: `${nodeId} ${path} ${origin}` };
}

/**
 * Seals a draft's new values and keeps stored ones where it has bullets; drops those that the draft no longer has. A
 * stored value is bound to the node, place and address it was given for: otherwise anyone who can edit a flow could
 * send it to their own server. Throws 503 `not_configured` when there's something to seal but no key.
 */
export async function keepSecrets(
  tx: Tx,
  envelope: Envelope | null,
  flowId: string,
  values: readonly HiddenValue[],
): Promise<void> {
  const stored = values.some(({ value }) => value === null) ? await selectSecrets(tx, flowId, draftVersion) : [];
  const rows = values.flatMap((hidden): SecretRow[] => {
    const { nodeId, path, origin, value } = hidden;
    if (value === null) return findStored(stored, hidden);
    if (envelope === null) throw new AppError('not_configured', { detail: 'DATA_ENCRYPTION_KEY is not set.' });
    return [{ nodeId, path, origin, sealed: envelope.seal(secretPlace(tx.tenantId, flowId, hidden), value) }];
  });
  await replaceDraftSecrets(tx, flowId, rows);
}

function findStored(stored: readonly SecretRow[], { nodeId, path, origin }: HiddenValue): SecretRow[] {
  return stored.filter((row) => row.nodeId === nodeId && row.path === path && row.origin === origin);
}

/** Bullets of a draft behind which nothing is stored: it cannot be published. `flowId` null: a draft of no flow. */
export async function missingSecrets(tx: Tx, flowId: string | null, draft: StoredConfig): Promise<FlowIssue[]> {
  const masked = hideSecrets(draft).values.filter(({ value }) => value === null);
  if (masked.length === 0) return [];
  const stored = flowId === null ? [] : await selectSecrets(tx, flowId, draftVersion);
  return masked
    .filter((hidden) => findStored(stored, hidden).length === 0)
    .map(({ nodeId, pointer }) => ({
      path: pointer,
      nodeId,
      code: 'secret_missing',
      message: 'has no stored value for this address; enter it again',
      class: 'U' as const,
    }));
}
