import {
  type SuppressionScope,
  suppressionOperations,
  suppressionScopes,
} from '@arbiter/contract/deciding/suppressions';
import { useState } from 'react';
import { useMutate } from '../../data/use-operation.ts';
import { useReferences } from '../../forms/editing/inputs/references.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { suppressionTexts as t } from '../../messages/catalogue/suppressions.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { PickField } from '../../ui/pick-field.tsx';
import { customerIdsOf, daysOf } from './typed-values.ts';

const most = 200;

export interface NewSuppressionProps {
  /** Filled in; empty for none. */
  readonly customerId: string;
  readonly onClose: () => void;
}

/** The values of the dialog, and what sends them. */
function useNewSuppression(customerId: string, onClose: () => void) {
  const [ids, setIds] = useState(customerId);
  const [scope, setScope] = useState<SuppressionScope>('global');
  const [target, setTarget] = useState<{ readonly id: string; readonly name: string } | null>(null);
  const [days, setDays] = useState('');
  const [reason, setReason] = useState('');
  const [stopped, setStopped] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { run, failure } = useMutate(suppressionOperations.create);
  const { find } = useReferences(scope === 'category' ? 'category' : 'offer', undefined);
  const customers = customerIdsOf(ids);
  const length = daysOf(days);
  const isMissing = customers.length === 0 || reason.trim() === '' || (scope !== 'global' && target === null);
  const problem = customers.length > most ? t.tooMany : length === 'bad' ? t.badDays : isMissing ? t.missing : null;
  const create = async () => {
    setBusy(true);
    const body = {
      ...{ scope, reason: reason.trim() },
      ...(scope === 'global' || target === null ? {} : { scopeId: target.id }),
      ...(typeof length === 'number' ? { days: length } : {}),
    };
    for (const [position, customer] of customers.entries()) {
      if ((await run({ body: { ...body, customerId: customer } })) !== null) continue;
      // The rest stays in the field, to be tried again.
      setIds(customers.slice(position).join('\n'));
      setStopped(position === 0 ? null : t.stopped(position, customers.length - position));
      setBusy(false);
      return;
    }
    toast({ text: t.done(customers.length) });
    onClose();
  };
  return {
    ...{ ids, setIds, scope, setScope, target, setTarget, days, setDays, reason, setReason },
    ...{ customers, length, problem, create, find, failure, stopped, isBusy },
  };
}

/** Blocks offers for one customer, or for a list of pasted IDs, one after the other. Nothing of it is stored in the browser. */
export function NewSuppression({ customerId, onClose }: NewSuppressionProps) {
  const draft = useNewSuppression(customerId, onClose);
  const { ids, scope, target, days, reason, customers, length, problem, failure, stopped, isBusy } = draft;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t.add}
      footer={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button kind="primary" busy={isBusy} disabledReason={problem} onClick={() => void draft.create()}>
            {t.create(customers.length)}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {failure === null || isBusy ? null : (
          <FailurePanel failure={failure} operation={suppressionOperations.create} retry={() => void draft.create()} />
        )}
        {stopped === null ? null : <p role="status">{stopped}</p>}
        <TextAreaField
          label={t.customers}
          help={t.customersHelp}
          error={customers.length > most ? t.tooMany : undefined}
          mono
          rows={3}
          spellCheck={false}
          value={ids}
          onChange={(event) => draft.setIds(event.target.value)}
        />
        <SelectField
          label={t.scope}
          options={suppressionScopes.map((value) => ({ value, label: t.scopes[value] }))}
          value={scope}
          onChange={(event) => {
            draft.setScope(suppressionScopes.find((each) => each === event.target.value) ?? 'global');
            draft.setTarget(null);
          }}
        />
        {scope === 'global' ? null : (
          <PickField
            key={scope}
            label={scope === 'offer' ? t.offer : t.category}
            placeholder={t.pick}
            shown={target?.name ?? ''}
            find={draft.find}
            onPick={(pick) => draft.setTarget(pick === null ? null : { id: pick.value, name: pick.label })}
          />
        )}
        <TextField
          label={t.days}
          help={t.daysHelp}
          error={length === 'bad' ? t.badDays : undefined}
          inputMode="numeric"
          value={days}
          onChange={(event) => draft.setDays(event.target.value)}
        />
        <TextField
          label={t.reason}
          help={t.reasonHelp}
          maxLength={1000}
          value={reason}
          onChange={(event) => draft.setReason(event.target.value)}
        />
      </div>
    </Dialog>
  );
}
