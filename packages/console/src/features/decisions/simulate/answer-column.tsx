import { type SimulatedAnswer, simulationOperations } from '@arbiter/contract/deciding/simulations';
import { explainAnswer } from '@arbiter/contract/explanation/explain';
import { type OfferStory, offersOf } from '@arbiter/contract/explanation/offers';
import { funnelOf } from '@arbiter/contract/explanation/stages';
import { emptyText, reasonText, stageName } from '@arbiter/contract/explanation/texts';
import { useMemo } from 'react';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { decisionTexts } from '../../../messages/decisions/decisions.ts';
import { simulateTexts as t } from '../../../messages/simulate.ts';
import { Badge } from '../../../ui/badge.tsx';
import { cx } from '../../../ui/cx.ts';
import { Section } from '../../../ui/page.tsx';
import { Skeleton } from '../../../ui/progress.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import type { useSimulated } from '../calls.ts';
import type { Writers } from '../gates/gate-story.ts';
import { fateTones, whyText } from '../offers/offer-row.tsx';

export interface AnswerColumnProps {
  readonly title: string;
  readonly answer: ReturnType<typeof useSimulated>;
  /** The offer to highlight; null for none. */
  readonly looked: string | null;
  readonly write: Writers;
}

/** One result of a simulation: shown offers and drops. */
export function AnswerColumn({ title, answer, looked, write }: AnswerColumnProps) {
  const format = useFormat();
  const { data = null, failure, loading, old, refresh } = answer;
  const explanation = useMemo(() => (data === null ? null : explainAnswer(data)), [data]);
  const offers = explanation === null ? [] : offersOf(explanation);
  return (
    <Section
      title={title}
      about={
        data === null ? null : (
          <span className="text-dense text-soft">
            {decisionTexts.flowVersion(data.decisionFlowKey, data.decisionFlowVersion)}
            {explanation?.summary.durationMs == null
              ? ''
              : ` · ${t.took(format.duration(explanation.summary.durationMs))}`}
          </span>
        )
      }
    >
      {failure !== null ? (
        <FailurePanel operation={simulationOperations.run} failure={failure} retry={refresh} />
      ) : loading || data === null || explanation === null ? (
        <Skeleton className="h-64 w-full" />
      ) : (
        <div className={cx('flex flex-col gap-3', old && 'opacity-60')} aria-busy={old}>
          {!data.known ? (
            <span>
              <Badge tone="warn">{t.unknown}</Badge>
            </span>
          ) : null}
          <NotSet names={data.notSet} />
          <Looked offers={offers} looked={looked} write={write} />
          <Shown answer={data} offers={offers} looked={looked} />
          <p className="text-dense text-soft">
            {funnelOf(explanation)
              .map(({ stage, count }) => `${stageName(stage)} ${write.number(count)}`.replaceAll(' ', '\u00a0'))
              .join(' → ')}
          </p>
          <Left offers={offers} looked={looked} write={write} />
        </div>
      )}
    </Section>
  );
}

function NotSet({ names }: { readonly names: readonly string[] }) {
  return names.length === 0 ? null : <p className="text-dense text-warn">{t.notSet(names.join(', '))}</p>;
}

interface LookedProps {
  readonly offers: readonly OfferStory[];
  readonly looked: string | null;
  readonly write: Writers;
}

/** The result of the highlighted offer. */
function Looked({ offers, looked, write }: LookedProps) {
  const story = looked === null ? undefined : offers.find(({ offerId }) => offerId === looked);
  if (story === undefined) return null;
  const name = story.name ?? looked ?? '';
  const text =
    story.fate === 'shown'
      ? t.lookedShown(name, story.rank ?? 0)
      : story.fate === 'lost'
        ? t.lookedLost(name, story.place)
        : t.lookedBlocked(name, whyText(story, write));
  return (
    <p
      role="status"
      className={cx(
        'rounded-card px-3 py-2 font-medium',
        story.fate === 'shown' ? 'bg-pass-soft text-pass' : 'bg-sunken text-ink',
      )}
    >
      {text}
    </p>
  );
}

interface ShownProps {
  readonly answer: SimulatedAnswer;
  readonly offers: readonly OfferStory[];
  readonly looked: string | null;
}

function Shown({ answer, offers, looked }: ShownProps) {
  const format = useFormat();
  const { decisions: items, emptyReason: reason } = answer;
  if (items.length === 0) {
    const why = reason === null ? null : emptyText(reason);
    return (
      <p className="rounded-card bg-sunken px-3 py-2">
        <span className="font-medium">{t.nothingShown}.</span> <span className="text-soft">{why?.text}</span>
      </p>
    );
  }
  const best = Math.max(...offers.map(({ score }) => score?.score ?? 0), 0);
  return (
    <ol className="flex flex-col divide-y divide-line">
      {items.map((item) => {
        const { headline, subject, title } = item.content ?? {};
        const words = [headline, subject, title].find((text) => typeof text === 'string') ?? null;
        const score = item.score ?? 0;
        return (
          <li
            key={`${item.offerId} ${item.rank}`}
            className={cx(
              'grid grid-cols-[2rem_minmax(0,1fr)_auto] gap-x-2 py-2',
              item.offerId === looked && 'bg-accent-soft',
            )}
          >
            <span className="font-semibold">{decisionTexts.shownAt(item.rank)}</span>
            <span className="truncate font-medium">{item.offerName}</span>
            <span>{format.fixed(score, 4)}</span>
            <span className="col-span-2 col-start-2 mt-1 flex items-center gap-3">
              <span className="min-w-0 flex-1 truncate text-dense text-soft">
                {[item.channelName, words].filter((part) => part != null).join(' · ')}
              </span>
              <span aria-hidden className="h-1.5 w-24 rounded-control bg-sunken">
                <span
                  data-mark
                  className="block h-full rounded-control bg-accent"
                  style={{ width: `${best === 0 ? 0 : (score / best) * 100}%` }}
                />
              </span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}

function Left({ offers, looked, write }: LookedProps) {
  const left = offers.filter(({ fate }) => fate !== 'shown');
  if (left.length === 0) return null;
  return (
    <details>
      <summary className="w-fit rounded-control py-1 text-dense text-accent-ink">{t.left(left.length)}</summary>
      <ul className="flex flex-col divide-y divide-line">
        {left.map((story) => (
          <li
            key={story.offerId}
            className={cx('flex flex-col gap-0.5 py-1.5', story.offerId === looked && 'bg-accent-soft')}
          >
            <span className="flex items-center justify-between gap-2">
              <span className="truncate">{story.name ?? story.offerId}</span>
              <Badge tone={fateTones[story.fate]}>{decisionTexts.fates[story.fate]}</Badge>
            </span>
            <span className="text-dense text-soft">
              {story.fate === 'lost' && story.dropped?.reason === 'cut'
                ? reasonText('cut').text
                : whyText(story, write)}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
