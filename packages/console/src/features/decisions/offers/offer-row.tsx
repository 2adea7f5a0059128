import { dropLine, type Fate, type OfferStory } from '@arbiter/contract/explanation/offers';
import { reasonText } from '@arbiter/contract/explanation/texts';
import { memo } from 'react';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { cx } from '../../../ui/cx.ts';
import { useFormat } from '../../../ui/provider.tsx';
import type { Writers } from '../gates/gate-story.ts';
import { blockType, type GateReport, storyOf } from '../gates/story-of.ts';

export const fateTones: Readonly<Record<Fate, Tone>> = { shown: 'pass', lost: 'neutral', blocked: 'block' };

/** Offer name. Traces name the first dropped offers; others have only an ID, deleted or not. */
export const nameOf = ({ name, shown, offerId }: OfferStory, write: Writers): string =>
  name ?? (shown === null ? write.offer(offerId) : t.unnamed);

interface OfferRowProps {
  readonly story: OfferStory;
  /** Best score of the decision: the length of a full bar. */
  readonly best: number;
  readonly isSelected: boolean;
  readonly onSelect: (offerId: string) => void;
  readonly write: Writers;
}

/** An offer in the list: rank, fate and reason. */
export const OfferRow = memo(function OfferRow({ story, best, isSelected, onSelect, write }: OfferRowProps) {
  const format = useFormat();
  const { fate, rank, score, shown, offerId } = story;
  const value = score?.score ?? shown?.score ?? null;
  return (
    <button
      type="button"
      aria-current={isSelected ? true : undefined}
      onClick={() => onSelect(offerId)}
      className={cx(
        'grid min-h-10 w-full grid-cols-[2.25rem_minmax(0,1fr)_auto] items-center gap-x-2 rounded-control px-2 py-1 text-start',
        isSelected ? 'bg-accent-soft' : 'hover:bg-hover',
      )}
    >
      <span className={cx('text-dense', fate === 'shown' ? 'font-semibold text-ink' : 'text-faint')}>
        {rank !== null ? t.shownAt(rank) : fate === 'lost' && story.place !== null ? story.place : ''}
      </span>
      <span className={cx('min-w-0 break-words sm:truncate', fate === 'shown' ? 'font-medium' : '')}>
        {nameOf(story, write)}
      </span>
      <Badge tone={fateTones[fate]}>{t.fates[fate]}</Badge>
      {fate === 'blocked' ? (
        <span className="col-span-2 col-start-2 line-clamp-2 text-dense text-soft">{whyText(story, write)}</span>
      ) : value === null ? null : (
        <span className="col-span-2 col-start-2 flex items-center gap-2 text-dense text-soft">
          <span className="w-14">{format.fixed(value, 4)}</span>
          <span aria-hidden className="h-1.5 flex-1 rounded-control bg-sunken">
            <span
              data-mark
              className={cx('block h-full rounded-control', fate === 'shown' ? 'bg-accent' : 'bg-chart-8')}
              style={{ width: `${best === 0 ? 0 : (value / best) * 100}%` }}
            />
          </span>
          {fate === 'lost' && story.dropped !== null && story.dropped.reason !== 'cut' ? (
            <span className="max-w-40 truncate">{reasonText(story.dropped.reason).title}</span>
          ) : null}
        </span>
      )}
    </button>
  );
});

/** Returns why an offer was dropped, in one line: actual value and requirement. */
export function whyText(story: OfferStory, write: Writers): string {
  const { dropped } = story;
  if (dropped === null) return '';
  const report = blockReport(story);
  const cause = report === null ? null : storyOf(report, write);
  if (cause !== null) return cause.actual === null ? cause.required : `${cause.required} · ${t.actual} ${cause.actual}`;
  return dropLine(story, write);
}

/** The rule or policy that dropped the offer: as the trace reports it, or from the details of the drop. */
function blockReport(story: OfferStory): GateReport | null {
  const { dropped } = story;
  if (dropped?.reason !== 'qualification' && dropped?.reason !== 'contact_policy') return null;
  const gate = story.gates?.find(
    ({ id, status }) => id === (dropped.ruleId ?? dropped.policyId) && status === 'blocked',
  );
  if (gate === undefined || gate.kind === 'suppression') {
    return { ruleType: blockType(dropped.detail), detail: dropped.detail, reason: null };
  }
  const { ruleType, detail, reason } = gate.result;
  return { ruleType, detail: detail ?? dropped.detail, reason };
}
