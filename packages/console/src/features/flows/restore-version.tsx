import { decisionFlowVersionOperations } from '@arbiter/contract/catalogue/decision-flow-versions';
import type { DecisionFlow } from '@arbiter/contract/catalogue/decision-flows';
import { useState } from 'react';
import { can } from '../../data/can.ts';
import { useMutate } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { flowTexts as t } from '../../messages/flows/flows.ts';
import { editingTexts } from '../../messages/lists/editing.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';

export interface RestoreVersionProps {
  readonly flow: DecisionFlow;
  readonly version: number;
}

/** Restores a published version as the draft. Asks first, because it replaces the current draft. */
export function RestoreVersion({ flow, version }: RestoreVersionProps) {
  const [isAsking, setAsking] = useState(false);
  const { restoreVersion } = decisionFlowVersionOperations;
  const mutation = useMutate(restoreVersion);
  const permission = can(restoreVersion);
  const restore = async () => {
    const saved = await mutation.run({ body: { id: flow.id, version, rowVersion: flow.rowVersion } });
    if (saved === null) return;
    setAsking(false);
    toast({ text: t.restored(version) });
  };
  return (
    <>
      <Button
        size="small"
        aria-label={t.restoreOne(version)}
        disabledReason={permission.allowed ? null : editingTexts.needsRole(permission.needs)}
        onClick={() => {
          mutation.clear();
          setAsking(true);
        }}
      >
        {t.restore}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={t.restoreQuestion(version)}
        act={t.restore}
        busy={mutation.busy}
        onConfirm={() => void restore()}
      >
        <p>{t.restoreText}</p>
        {mutation.failure === null ? null : (
          <FailurePanel failure={mutation.failure} operation={restoreVersion} retry={() => void restore()} />
        )}
      </ConfirmDialog>
    </>
  );
}
