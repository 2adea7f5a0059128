import type { ApprovalAction } from '@arbiter/contract/operations/approvals';
import { useRef, useState } from 'react';
import { call } from '../../data/call.ts';
import { type Failure, failureOf } from '../../data/failure.ts';
import type { Values } from './changes.ts';

export interface ApprovalRequest {
  readonly entityType: string;
  readonly entityId: string;
  readonly entityName: string;
  readonly action: ApprovalAction;
  /** Body of the direct call, without what addresses the record. */
  readonly payload: Values;
}

/**
 * Sends a request for approval. Its contract includes ten record types, so it loads with the first request. Throws what `call`
 * throws.
 */
export async function fileApproval(request: ApprovalRequest, idempotencyKey: string): Promise<void> {
  const { approvalOperations } = await import('@arbiter/contract/operations/approvals');
  await call(approvalOperations.create, { body: request, idempotencyKey });
}

/** Sends requests for approval of a form. */
export function useApprovalRequest() {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const intent = useRef<{ readonly text: string; readonly key: string } | null>(null);
  /** Returns whether the request was filed. A retry of the same request doesn't file it twice. */
  const file = async (request: ApprovalRequest): Promise<boolean> => {
    const text = JSON.stringify(request);
    if (intent.current?.text !== text) intent.current = { text, key: crypto.randomUUID() };
    const { key } = intent.current;
    setBusy(true);
    try {
      await fileApproval(request, key);
      intent.current = null;
      setFailure(null);
      return true;
    } catch (error) {
      setFailure(failureOf(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { file, busy, failure };
}
