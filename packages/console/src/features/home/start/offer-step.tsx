import { offerOperations } from '@arbiter/contract/catalogue/offers';
import { type FormEvent, useState } from 'react';
import { can } from '../../../data/can.ts';
import { useMutate } from '../../../data/use-operation.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { editingTexts } from '../../../messages/lists/editing.ts';
import { startTexts as t } from '../../../messages/start.ts';
import { recordKinds } from '../../../records/record-kinds.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';

/** Creates an active offer from its name; everything else has its default. */
export function OfferStep() {
  const [name, setName] = useState('');
  const [isTried, setTried] = useState(false);
  const { run, busy, failure } = useMutate(offerOperations.create);
  const permission = can(offerOperations.create);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (name.trim() !== '')
      void run({ body: { name: name.trim(), status: 'active', priority: 50, businessValue: 50 } });
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-3">
      <p className="text-soft">{t.offerText}</p>
      <fieldset className="flex flex-wrap items-center gap-2">
        <legend className="sr-only">{t.startFrom}</legend>
        {Object.values(t.templates).map((template) => (
          <Button key={template} size="small" aria-pressed={name === template} onClick={() => setName(template)}>
            {template}
          </Button>
        ))}
      </fieldset>
      <TextField
        className="max-w-md"
        label={t.offerName}
        error={isTried && name.trim() === '' ? editingTexts.required : undefined}
        maxLength={255}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      {failure === null ? null : <FailurePanel failure={failure} operation={offerOperations.create} retry="submit" />}
      <div className="flex flex-wrap gap-2">
        <Button
          kind="primary"
          submit
          busy={busy}
          disabledReason={permission.allowed ? null : editingTexts.needsRole(permission.needs)}
        >
          {t.createOffer}
        </Button>
        <ButtonLink kind="quiet" to={recordKinds.offer.create}>
          {t.more}
        </ButtonLink>
      </div>
    </form>
  );
}
