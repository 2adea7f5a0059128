import type { FlowIssue } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import type { Envelope, SealPlace } from '../../../platform/crypto.ts';
import { type HiddenValue, hideSecrets } from './flow-secrets.rules.ts';
import { draftVersion, replaceDraftSecrets, type SecretRow, selectSecrets } from './flow-secrets.store.ts';
import type { StoredConfig } from './flows.store.ts';

/** Where a hidden value opens: in its flow, node and place, and for the address that it was given for. */
export function secretPlace(
  tenantId: string,
  flowId: string,
  { nodeId, path, origin }: Pick<HiddenValue, 'nodeId' | 'path' | 'origin'>,
): SealPlace {
  return { tenantId, recordId: flowId, field: `${nodeId} ${path} ${origin}` };
}

/**
 * Seals the values that a draft brings and keeps the stored ones where it has bullets; what the draft has no more is
 * forgotten. A stored value is kept for the node, place and address that it was given for: whoever may edit a flow could else
 * send it to a server of his own. Throws 503 `not_configured` when there is something to seal and no key.
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
    if (envelope === null) throw new AppError('not_configured', { detail: 'DATA_ENCRYPTION_KEY is not set' });
    return [{ nodeId, path, origin, sealed: envelope.seal(secretPlace(tx.tenantId, flowId, hidden), value) }];
  });
  await replaceDraftSecrets(tx, flowId, rows);
}

function findStored(stored: readonly SecretRow[], { nodeId, path, origin }: HiddenValue): SecretRow[] {
  return stored.filter((row) => row.nodeId === nodeId && row.path === path && row.origin === origin);
}

/** Bullets of a draft behind which nothing is stored: it cannot be published. `flowId` null: a draft of no flow. */
export async function missingSecrets(tx: Tx, flowId: string | null, draft: StoredConfig): Promise<FlowIssue[]> {
  const kept = hideSecrets(draft).values.filter(({ value }) => value === null);
  if (kept.length === 0) return [];
  const stored = flowId === null ? [] : await selectSecrets(tx, flowId, draftVersion);
  return kept
    .filter((hidden) => findStored(stored, hidden).length === 0)
    .map(({ nodeId, pointer }) => ({
      path: pointer,
      nodeId,
      code: 'secret_missing',
      message: 'has no stored value for this address; enter it again',
      class: 'U' as const,
    }));
}
