import { decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { can } from '../../../data/can.ts';
import { useMutate } from '../../../data/use-operation.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { editingTexts } from '../../../messages/lists/editing.ts';
import { startTexts as t } from '../../../messages/start.ts';
import { Button } from '../../../ui/button.tsx';

/** Creates the base flow, published as version 1. */
export function FlowStep() {
  const { run, busy, failure } = useMutate(decisionFlowOperations.ensureBase);
  const permission = can(decisionFlowOperations.ensureBase);
  const publish = () => void run({});
  return (
    <div className="flex flex-col gap-3">
      <p className="max-w-[72ch] text-soft">{t.flowText}</p>
      {failure === null ? null : (
        <FailurePanel failure={failure} operation={decisionFlowOperations.ensureBase} retry={publish} />
      )}
      <Button
        kind="primary"
        className="w-fit"
        busy={busy}
        disabledReason={permission.allowed ? null : editingTexts.needsRole(permission.needs)}
        onClick={publish}
      >
        {t.publish}
      </Button>
    </div>
  );
}
