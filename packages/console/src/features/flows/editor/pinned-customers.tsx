import type { DecisionFlow } from '@arbiter/contract/catalogue/decision-flows';
import { simulationOperations } from '@arbiter/contract/deciding/simulations';
import { Check, X } from 'lucide-react';
import { useState } from 'react';
import { adviceFor } from '../../../data/problems.ts';
import type { FlowConfig } from '../../../flow-canvas/editing/flow-config.ts';
import { flowTrialTexts as t } from '../../../messages/flows/flow-trials.ts';
import { pin, unpin, useSavedRecords } from '../../../records/saved-records.ts';
import { addresses } from '../../../route/addresses.ts';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { TextField } from '../../../ui/field.tsx';
import { Link } from '../../../ui/link.tsx';
import { type FirstOffer, maxPinned, type PinnedRun, usePinnedRuns } from './use-pinned-runs.ts';

export interface PinnedCustomersProps {
  readonly flow: DecisionFlow;
  readonly config: FlowConfig;
  readonly channel: string | undefined;
  readonly isSound: boolean;
}

/** Expected first offers by customer, null for none. Like pinned customers, they last until the page reloads. */
const expectations = new Map<string, FirstOffer | null>();

/** What the user's pinned customers get from the draft, next to the live version. */
export function PinnedCustomers({ flow, config, channel, isSound }: PinnedCustomersProps) {
  const { pins } = useSavedRecords();
  const customers = pins.filter(({ kind }) => kind === 'customer').slice(0, maxPinned);
  const ids = customers.map(({ id }) => id);
  const target = { id: flow.id, isLive: flow.publishedVersions.length > 0 };
  const { byCustomer, isRunning, isOld, isManual, runNow } = usePinnedRuns(target, config, ids, { isSound, channel });
  return (
    <div className="flex w-full min-w-0 flex-col gap-3">
      <PinForm isFull={customers.length >= maxPinned} />
      {ids.length === 0 ? (
        <p className="text-dense text-soft">{t.noPins}</p>
      ) : (
        <>
          <div className="flex flex-wrap items-center gap-2">
            <Button size="small" busy={isRunning} disabledReason={isSound ? null : t.unsound} onClick={runNow}>
              {t.runPinned(ids.length)}
            </Button>
            {isManual ? <span className="text-dense text-warn">{t.fewLeft}</span> : null}
          </div>
          <PinnedTable ids={ids} byCustomer={byCustomer} isOld={isOld && !isManual} />
        </>
      )}
    </div>
  );
}

function PinForm({ isFull }: { readonly isFull: boolean }) {
  const [text, setText] = useState('');
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        const id = text.trim();
        if (id === '' || isFull) return;
        pin({ kind: 'customer', id, name: null }, Date.now());
        setText('');
      }}
    >
      <TextField
        label={t.pinLabel}
        className="w-44 max-sm:w-full"
        value={text}
        maxLength={255}
        spellCheck={false}
        autoComplete="off"
        onChange={({ target }) => setText(target.value)}
      />
      <Button submit disabledReason={isFull ? t.tooMany(maxPinned) : null}>
        {t.pin}
      </Button>
      <p className="max-w-96 text-caption text-soft">{t.pinnedLead}</p>
    </form>
  );
}

interface PinnedTableProps {
  readonly ids: readonly string[];
  readonly byCustomer: ReadonlyMap<string, PinnedRun>;
  readonly isOld: boolean;
}

/** On narrow screens, a row is a card: the customer, then a labeled line for each value. */
const rowClass = 'max-sm:grid max-sm:grid-cols-[minmax(0,1fr)_auto] max-sm:items-center max-sm:py-1.5';
const cellClass = 'py-1.5 pe-4 max-sm:col-span-2 max-sm:flex max-sm:items-center max-sm:py-0.5 max-sm:pe-0';
const labelClass =
  'max-sm:before:w-18 max-sm:before:shrink-0 max-sm:before:text-caption max-sm:before:text-soft max-sm:before:content-[attr(data-label)]';

function PinnedTable({ ids, byCustomer, isOld }: PinnedTableProps) {
  const [, redraw] = useState(0);
  const expect = (id: string, offer: FirstOffer | null | undefined) => {
    if (offer === undefined) expectations.delete(id);
    else expectations.set(id, offer);
    redraw((count) => count + 1);
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard
    <section aria-label={t.pinned} tabIndex={0} className="overflow-x-auto">
      <table className={cx('w-full text-dense max-sm:block', isOld && 'opacity-60')}>
        <thead className="max-sm:hidden">
          <tr className="border-line border-b text-start text-caption text-soft">
            {[t.customer, t.draft, t.live, t.expected].map((head) => (
              <th key={head} scope="col" className="py-1 pe-4 text-start font-medium">
                {head}
              </th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody className="divide-y divide-line max-sm:block">
          {ids.map((id) => (
            <PinnedRow key={id} id={id} run={byCustomer.get(id)} onExpect={(offer) => expect(id, offer)} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface PinnedRowProps {
  readonly id: string;
  readonly run: PinnedRun | undefined;
  readonly onExpect: (offer: FirstOffer | null | undefined) => void;
}

function PinnedRow({ id, run, onExpect }: PinnedRowProps) {
  const expected = expectations.get(id);
  const isSame = run !== undefined && expected !== undefined && run.draft?.offerId === expected?.offerId;
  const isOther = run?.live !== undefined && run.live?.offerId !== run.draft?.offerId;
  return (
    <tr className={rowClass}>
      <th scope="row" className="max-w-40 truncate py-1.5 pe-4 text-start font-normal" title={id}>
        <Link to={addresses.customer(id)}>{id}</Link>
      </th>
      {run?.failure ? (
        <td colSpan={2} className={cx(cellClass, 'text-block')}>
          {adviceFor(run.failure, simulationOperations.run).title}
        </td>
      ) : (
        <>
          <td data-label={t.draft} className={cx(cellClass, labelClass, isOther && 'font-medium')}>
            <OfferName offer={run?.draft} />
          </td>
          <td data-label={t.live} className={cx(cellClass, labelClass, 'text-soft')}>
            <OfferName offer={run?.live} />
          </td>
        </>
      )}
      <td data-label={t.expected} className={cx(cellClass, labelClass)}>
        {expected === undefined ? (
          <Button
            size="small"
            kind="quiet"
            disabledReason={run === undefined || run.failure !== null ? t.runFirst : null}
            onClick={() => onExpect(run?.draft ?? null)}
          >
            {t.expectThis}
          </Button>
        ) : (
          <span className="inline-flex items-center gap-1">
            {run === undefined ? null : isSame ? (
              <Check aria-label={t.asExpected} className="size-4 text-pass" />
            ) : (
              <X aria-label={t.notExpected} className="size-4 text-block" />
            )}
            <OfferName offer={expected} />
            <Button size="small" kind="quiet" onClick={() => onExpect(undefined)}>
              {t.forget}
            </Button>
          </span>
        )}
      </td>
      <td className="py-1.5 text-end max-sm:col-start-2 max-sm:row-start-1 max-sm:py-0">
        <Button size="small" kind="quiet" aria-label={t.unpinOne(id)} onClick={() => unpin({ kind: 'customer', id })}>
          {t.unpin}
        </Button>
      </td>
    </tr>
  );
}

function OfferName({ offer }: { readonly offer: FirstOffer | null | undefined }) {
  if (offer === undefined) return <span className="text-faint">–</span>;
  if (offer === null) return <span className="text-soft">{t.noOffer}</span>;
  return (
    <span dir="auto" className="break-words">
      {offer.name}
    </span>
  );
}
