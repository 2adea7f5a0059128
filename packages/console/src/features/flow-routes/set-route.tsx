import { type FlowRoute, flowRouteOperations } from '@arbiter/contract/catalogue/flow-routes';
import { useState } from 'react';
import { useMutate } from '../../data/use-operation.ts';
import { useReferences } from '../../forms/editing/inputs/references.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { routeTexts as t } from '../../messages/catalogue/flow-routes.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { PickField } from '../../ui/pick-field.tsx';
import type { RoutedPlace } from './resolved.ts';

export interface SetRouteProps {
  readonly own: FlowRoute | null;
  readonly place: RoutedPlace;
  readonly name: string;
  readonly onClose: () => void;
}

/** Chooses the flow that answers a place. */
export function SetRoute({ own, place, name, onClose }: SetRouteProps) {
  const [flow, setFlow] = useState(own?.decisionFlow ?? null);
  const [priority, setPriority] = useState(String(own?.priority ?? 0));
  const { find } = useReferences('decisionFlow', undefined);
  const { run, busy, failure } = useMutate(flowRouteOperations.create);
  const value = Number(priority);
  const isBad = priority.trim() === '' || !Number.isInteger(value) || value < 0 || value > 1000;
  const save = async () => {
    if (flow === null) return;
    const body = { ...place, decisionFlowId: flow.id, priority: value };
    if ((await run({ body })) === null) return;
    toast({ text: t.saved(name, flow.name) });
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={own === null ? t.setOf(name) : t.changeOf(name)}
      description={t.effect}
      footer={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button
            kind="primary"
            busy={busy}
            disabledReason={flow === null ? t.pick : isBad ? t.badPriority : null}
            onClick={() => void save()}
          >
            {t.save}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {failure === null ? null : (
          <FailurePanel failure={failure} operation={flowRouteOperations.create} retry={() => void save()} />
        )}
        <PickField
          label={t.flow}
          placeholder={t.pick}
          shown={flow?.name ?? ''}
          find={find}
          onPick={(pick) => setFlow(pick === null ? null : { id: pick.value, name: pick.label, key: '' })}
        />
        <TextField
          label={t.priorityLabel}
          help={t.priorityHelp}
          error={isBad ? t.badPriority : undefined}
          inputMode="numeric"
          value={priority}
          onChange={({ target }) => setPriority(target.value)}
        />
      </div>
    </Dialog>
  );
}
