import type { Operation } from '@arbiter/contract/core/operation';
import { Pause, Play } from 'lucide-react';
import { useState } from 'react';
import { can } from '../../data/can.ts';
import { useMutate } from '../../data/use-operation.ts';
import { editingTexts, pauseTexts as t } from '../../messages/lists/editing.ts';
import { addresses } from '../../route/addresses.ts';
import { Button } from '../../ui/button.tsx';
import { useLinks } from '../../ui/link.tsx';
import { ConfirmDialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { needsApproval } from './approval-need.ts';
import { useApprovalRequest } from './use-approval-request.ts';

export interface PausableRecord {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly version: number;
}

export interface PauseButtonProps {
  readonly kind: string;
  readonly operation: Operation;
  readonly record: PausableRecord;
}

/**
 * Pauses an active record or resumes a paused one, without opening its form, or requests it where changes need approval. Asks
 * first if the user can pause the record but not resume it.
 * Renders nothing in other states.
 */
export function PauseButton({ kind, operation, record }: PauseButtonProps) {
  const { id, name, status, version } = record;
  const { done, busy } = useMutate(operation);
  const approval = useApprovalRequest();
  const links = useLinks();
  const [asking, setAsking] = useState(false);
  const [requested, setRequested] = useState<string | null>(null);
  if (status !== 'active' && status !== 'paused') return null;
  const isActive = status === 'active';
  const next = isActive ? 'paused' : 'active';
  const approvalFor = (before: string, after: string) =>
    needsApproval({ operation, entityType: kind, before: { status: before }, after: { status: after } });
  const isRequest = approvalFor(status, next);
  const isOneWay = isActive && !isRequest && approvalFor(next, status);
  const permission = can(operation);
  const request = async () => {
    const target = { entityType: kind, entityId: id, entityName: name, action: 'update' } as const;
    const isFiled = await approval.file({ ...target, payload: { status: next } });
    if (!isFiled) return toast({ text: t.notRequested(name) });
    setRequested(next);
    toast({
      text: editingTexts.requested(name),
      action: { label: editingTexts.seeRequests, run: () => links.go(addresses.approvals({ tab: 'mine' })) },
    });
  };
  const change = async () => {
    setAsking(false);
    const isDone = await done({ params: { id }, body: { status: next, rowVersion: version } });
    toast({ text: isDone ? (isActive ? t.paused(name) : t.resumed(name)) : t.failed(name) });
  };
  const refused = permission.allowed ? null : editingTexts.needsRole(permission.needs);
  // A second request would wait in the inbox next to the first.
  const disabledReason = !isRequest ? refused : requested === next ? t.alreadyRequested : null;
  const act = isRequest ? request : isOneWay ? async () => setAsking(true) : change;
  return (
    <>
      <Button
        icon={isActive ? <Pause aria-hidden className="size-4" /> : <Play aria-hidden className="size-4" />}
        busy={busy || approval.busy}
        disabledReason={disabledReason}
        onClick={() => void act()}
      >
        {isRequest ? (isActive ? t.requestPause : t.requestResume) : isActive ? t.pause : t.resume}
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t.pauseQuestion(name)}
        act={t.pause}
        onConfirm={() => void change()}
      >
        <p>{t.pauseOneWay}</p>
      </ConfirmDialog>
    </>
  );
}
