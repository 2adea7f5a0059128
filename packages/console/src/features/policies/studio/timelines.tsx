import { type CustomerEligibility, customerToolOperations } from '@arbiter/contract/deciding/customer-tools';
import { whyNotOperations } from '@arbiter/contract/deciding/why-not';
import { useState } from 'react';
import { useMutate, useOperation } from '../../../data/use-operation.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { LimitsChart } from '../../../forms/limits/limits-chart.tsx';
import { Loaded } from '../../../forms/loaded.tsx';
import { policyStudioTexts as t } from '../../../messages/outlook/policy-studio.ts';
import { addresses } from '../../../route/addresses.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Link } from '../../../ui/link.tsx';
import { Section } from '../../../ui/page.tsx';
import { useFormat } from '../../../ui/provider.tsx';

import { type BlockingPolicy, blockingOf } from './blocking.ts';

export interface TimelinesProps {
  /** Empty: none chosen yet. */
  readonly customerId: string;
  readonly onCustomer: (id: string) => void;
}

/** How the policies limit one customer over time, and when each limit ends. */
export function Timelines({ customerId, onCustomer }: TimelinesProps) {
  const [typed, setTyped] = useState(customerId);
  const answer = useOperation(
    customerToolOperations.eligibility,
    { params: { customerId }, query: {} },
    { enabled: customerId !== '', keepPrevious: false },
  );
  const commit = () => {
    if (typed.trim() !== customerId) onCustomer(typed.trim());
  };
  return (
    <div className="flex flex-col gap-4">
      <TextField
        label={t.customer}
        help={t.customerHelp}
        className="max-w-80"
        autoComplete="off"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit();
        }}
      />
      {customerId === '' ? null : (
        <Loaded answer={answer} operation={customerToolOperations.eligibility}>
          {(report) => (
            <>
              {report.known ? null : <p className="text-warn">{t.unknownCustomer}</p>}
              <Section title={t.timeline}>
                <LimitsChart customerId={customerId} report={report} />
              </Section>
              <Blocking customerId={customerId} report={report} />
            </>
          )}
        </Loaded>
      )}
    </div>
  );
}

function Blocking({ customerId, report }: { readonly customerId: string; readonly report: CustomerEligibility }) {
  const policies = blockingOf(report);
  return (
    <Section title={t.blocking}>
      {policies.length === 0 ? <p className="text-soft">{t.nothingBlocks}</p> : null}
      <ul className="flex flex-col divide-y divide-line">
        {policies.map((policy) => (
          <li key={policy.id} className="flex min-w-0 flex-col gap-1.5 py-2.5">
            <span className="flex min-w-0 flex-wrap items-center gap-2">
              <Badge tone="block">{t.blocks(policy.offers)}</Badge>
              <Link to={addresses.policy(policy.id)}>
                <span dir="auto">{policy.name}</span>
              </Link>
            </span>
            <FreeAt customerId={customerId} policy={policy} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** When an offer can be shown again, found by the API on demand: it decides many times and is audited. */
function FreeAt({ customerId, policy }: { readonly customerId: string; readonly policy: BlockingPolicy }) {
  const format = useFormat();
  const { offer } = policy;
  const { run, busy, failure } = useMutate(whyNotOperations.ask);
  const [answer, setAnswer] = useState<string | null>(null);
  const ask = async () => {
    const found = await run({ params: { customerId, offerId: offer.id }, query: {} });
    if (found === null) return;
    const at = found.flips.find(({ kind }) => kind === 'time')?.at ?? null;
    setAnswer(at === null ? t.neverFree(offer.name) : t.freeAt(offer.name, format.instant(at)));
  };
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-2 text-dense">
      {answer === null ? (
        <Button size="small" busy={busy} aria-label={t.whenFreeOf(policy.name)} onClick={() => void ask()}>
          {t.whenFree}
        </Button>
      ) : null}
      <span role="status" className="text-soft">
        {answer}
      </span>
      {failure === null ? null : (
        <FailurePanel failure={failure} operation={whyNotOperations.ask} retry={() => void ask()} />
      )}
    </span>
  );
}
