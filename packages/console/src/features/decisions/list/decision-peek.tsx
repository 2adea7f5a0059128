import { decisionOperations } from '@arbiter/contract/deciding/decisions';
import { offersOf } from '@arbiter/contract/explanation/offers';
import { funnelOf } from '@arbiter/contract/explanation/stages';
import { stageName } from '@arbiter/contract/explanation/texts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { addresses } from '../../../route/addresses.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { SidePanel } from '../../../ui/overlays/side-panel.tsx';
import { Skeleton } from '../../../ui/progress.tsx';
import { useChannels, useDecision } from '../calls.ts';
import { leadOf } from '../explorer/lead-of.ts';
import { whyText } from '../offers/offer-row.tsx';
import { useWriters } from '../use-writers.ts';

const offersInPeek = 8;

/** Preview of a decision next to the list. */
export function DecisionPeek({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { record, explanation } = useDecision(id);
  const { nameOf } = useChannels();
  const write = useWriters();
  const data = record.data;
  const offers = explanation === null ? [] : offersOf(explanation);
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
      ) : explanation === null ? (
        <Skeleton className="h-40 w-full" />
      ) : (
        <div className="flex flex-col gap-3">
          <p>{leadOf(data, explanation, nameOf, write)}</p>
          <p className="text-dense text-soft">
            {funnelOf(explanation)
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
