import { decisionOperations } from '@arbiter/contract/deciding/decisions';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { decisionTexts as t } from '../../messages/decisions.ts';
import { addresses } from '../../route/addresses.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Skeleton } from '../../ui/progress.tsx';
import { SidePanel } from '../../ui/side-panel.tsx';
import { useChannels } from './calls.ts';
import { leadOf } from './decision-head.tsx';
import { stageName } from './drops.ts';
import { funnelOf } from './funnel.ts';
import { whyText } from './offer-row.tsx';
import { offersOf } from './offers.ts';
import { useDecision } from './use-decision.ts';
import { useWriters } from './use-writers.ts';

const offersInPeek = 8;

/** Preview of a decision next to the list. */
export function DecisionPeek({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { record, explained, trace } = useDecision(id);
  const { nameOf } = useChannels();
  const write = useWriters();
  const data = record.data;
  const offers = explained === null ? [] : offersOf(explained);
  return (
    <SidePanel
      of={id}
      title={data?.customerId ?? t.peek}
      actions={
        <ButtonLink size="small" kind="primary" to={addresses.decision(id)}>
          {t.openDecision}
        </ButtonLink>
      }
      closes={t.closePeek}
      onClose={onClose}
    >
      {record.failure !== null ? (
        <FailurePanel operation={decisionOperations.get} failure={record.failure} retry={record.refresh} />
      ) : data === undefined ? (
        <Skeleton className="h-40 w-full" />
      ) : data.inputsState === 'erased' ? (
        <p className="text-soft">{t.erasedText}</p>
      ) : explained === null ? (
        <Skeleton className="h-40 w-full" />
      ) : (
        <div className="flex flex-col gap-3">
          <p>{leadOf(data, explained, trace, nameOf, write)}</p>
          <p className="text-dense text-soft">
            {funnelOf(explained)
              .map(({ stage, count }) => `${stageName(stage)} ${write.number(count)}`.replaceAll(' ', '\u00a0'))
              .join(' → ')}
          </p>
          <ul className="flex flex-col divide-y divide-line">
            {offers.slice(0, offersInPeek).map((story) => (
              <li key={story.offerId} className="flex flex-col py-1.5">
                <span className="flex justify-between gap-2">
                  <span className={story.fate === 'shown' ? 'font-medium' : ''}>
                    {story.rank === null ? '' : `${t.shownAt(story.rank)} `}
                    {story.name ?? t.unnamed}
                  </span>
                  <span className="text-dense text-soft">{t.fates[story.fate]}</span>
                </span>
                {story.fate === 'blocked' ? (
                  <span className="text-dense text-soft">{whyText(story, write)}</span>
                ) : null}
              </li>
            ))}
          </ul>
        </div>
      )}
    </SidePanel>
  );
}
