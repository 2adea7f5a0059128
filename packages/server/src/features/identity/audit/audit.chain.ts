import { hash } from 'node:crypto';
import type { AuditLog } from '@arbiter/contract';
import { canonicalJson } from '@arbiter/engine';

/** prevHash of the first row of a chain (docs/design/api-access.md 7). */
export const genesisHash = '0'.repeat(64);

/** The end of a tenant's chain: sequence and integrityHash of the last row; 0 and zeros before the first. */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: string;
}

export type UnchainedRow = Omit<AuditLog, 'sequence' | 'prevHash' | 'integrityHash'>;

/**
 * Links rows to the chain, in the given order. integrityHash = hex SHA-256 of the row's RFC 8785 form without it. The
 * verifier (audit.verify.ts) has its own code on purpose, so that it doesn't repeat a mistake made here.
 */
export function chainRows(head: ChainHead, rows: readonly UnchainedRow[]): { rows: AuditLog[]; head: ChainHead } {
  const linked: AuditLog[] = [];
  let { sequence, hash: previous } = head;
  for (const row of rows) {
    sequence += 1;
    const content = { ...row, sequence, prevHash: previous };
    previous = hash('sha256', canonicalJson(content), 'hex');
    linked.push({ ...content, integrityHash: previous });
  }
  return { rows: linked, head: { sequence, hash: previous } };
}
