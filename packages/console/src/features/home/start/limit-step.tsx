import { contactPolicyOperations } from '@arbiter/contract/catalogue/contact-policies';
import { type FormEvent, useState } from 'react';
import { can } from '../../../data/can.ts';
import { useMutate } from '../../../data/use-operation.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { editingTexts } from '../../../messages/lists/editing.ts';
import { startTexts as t } from '../../../messages/start.ts';
import { recordKinds } from '../../../records/record-kinds.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';

type Limit = keyof typeof t.limits;

/** The policy that each limit creates. */
const policies = {
  perDay: { ruleType: 'frequency_cap', config: { maxPerDay: 3, maxPerWeek: 10 } },
  perOffer: { ruleType: 'frequency_cap', config: { maxPerWeek: 2, per: 'offer' } },
  pause: { ruleType: 'cooldown', config: { cooldownHours: 24 } },
} as const satisfies Readonly<Record<Limit, object>>;

const limits = Object.keys(t.limits) as Limit[];

/** Creates a contact policy for everything. */
export function LimitStep() {
  const [chosen, setChosen] = useState<Limit>('perOffer');
  const { run, busy, failure } = useMutate(contactPolicyOperations.create);
  const permission = can(contactPolicyOperations.create);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run({ body: { name: t.limits[chosen], status: 'active', scope: 'global', ...policies[chosen] } });
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-3">
      <p className="text-soft">{t.limitText}</p>
      <fieldset className="flex flex-col gap-1">
        <legend className="sr-only">{t.steps.limit}</legend>
        {limits.map((limit) => (
          <label key={limit} className="flex min-h-6 w-fit items-center gap-2">
            <input
              type="radio"
              name="limit"
              className="size-4 shrink-0"
              checked={limit === chosen}
              onChange={() => setChosen(limit)}
            />
            {t.limits[limit]}
          </label>
        ))}
      </fieldset>
      {failure === null ? null : (
        <FailurePanel failure={failure} operation={contactPolicyOperations.create} retry="submit" />
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          kind="primary"
          submit
          busy={busy}
          disabledReason={permission.allowed ? null : editingTexts.needsRole(permission.needs)}
        >
          {t.addLimit}
        </Button>
        <ButtonLink kind="quiet" to={recordKinds.contactPolicy.create}>
          {t.more}
        </ButtonLink>
      </div>
    </form>
  );
}
