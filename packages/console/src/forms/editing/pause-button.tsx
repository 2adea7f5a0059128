import type { Operation } from '@arbiter/contract/core/operation';
import { Pause, Play } from 'lucide-react';
import { can } from '../../data/can.ts';
import { useMutate } from '../../data/use-operation.ts';
import { editingTexts, pauseTexts as t } from '../../messages/lists/editing.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { needsApproval } from './approval-need.ts';

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
 * Pauses an active record or resumes a paused one, without opening its form. Renders nothing in other states, and where
 * changes need approval: the form requests it.
 */
export function PauseButton({ kind, operation, record }: PauseButtonProps) {
  const { id, name, status, version } = record;
  const { done, busy } = useMutate(operation);
  if (status !== 'active' && status !== 'paused') return null;
  const isActive = status === 'active';
  const next = isActive ? 'paused' : 'active';
  if (needsApproval({ operation, entityType: kind, before: { status }, after: { status: next } })) return null;
  const permission = can(operation);
  const change = async () => {
    const isDone = await done({ params: { id }, body: { status: next, rowVersion: version } });
    toast({ text: isDone ? (isActive ? t.paused(name) : t.resumed(name)) : t.failed(name) });
  };
  return (
    <Button
      icon={isActive ? <Pause aria-hidden className="size-4" /> : <Play aria-hidden className="size-4" />}
      busy={busy}
      disabledReason={permission.allowed ? null : editingTexts.needsRole(permission.needs)}
      onClick={() => void change()}
    >
      {isActive ? t.pause : t.resume}
    </Button>
  );
}
