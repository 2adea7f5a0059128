import { Search } from 'lucide-react';
import { useState } from 'react';
import { decisionTexts as t } from '../../messages/decisions.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { cx } from '../../ui/cx.ts';
import { TextField } from '../../ui/field.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { dropDetail, reasonText } from './drops.ts';
import { storyOf, type Writers } from './gates.ts';
import { countFates, type Fate, groupByReason, type OfferStory } from './offers.ts';

export const fateTones: Readonly<Record<Fate, Tone>> = { shown: 'pass', lost: 'neutral', blocked: 'block' };

const fates: readonly Fate[] = ['shown', 'lost', 'blocked'];

/** Rows beyond these are drawn when somebody asks for them: lists of thousands would be slow to draw. */
const drawnAtFirst = 200;

export interface OfferListProps {
  readonly offers: readonly OfferStory[];
  readonly selected: string | null;
  readonly onSelect: (offerId: string) => void;
  readonly fate: Fate | null;
  readonly onFate: (fate: Fate | null) => void;
  readonly write: Writers;
}

/** Every offer of a decision, by fate; what left is grouped by why. */
export function OfferList({ offers, selected, onSelect, fate, onFate, write }: OfferListProps) {
  const [text, setText] = useState('');
  const [drawn, setDrawn] = useState(drawnAtFirst);
  const counts = countFates(offers);
  const wanted = text.trim().toLowerCase();
  const fitting = offers.filter(
    (story) =>
      (fate === null || story.fate === fate) &&
      (wanted === '' || (story.name ?? story.offerId).toLowerCase().includes(wanted)),
  );
  const best = Math.max(...offers.map(({ score }) => score?.score ?? 0), 0);
  const scored = fitting.filter((story) => story.fate !== 'blocked');
  const groups = groupByReason(fitting.filter((story) => story.fate === 'blocked'));
  const row = (story: OfferStory) => (
    <OfferRow
      key={story.offerId}
      story={story}
      best={best}
      isSelected={story.offerId === selected}
      onPress={() => onSelect(story.offerId)}
      write={write}
    />
  );
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-1">
        {fates.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={fate === each}
            onClick={() => onFate(fate === each ? null : each)}
            title={t.fateLong[each]}
            className={cx(
              'h-7 rounded-control border px-2 text-dense',
              fate === each ? 'border-accent bg-accent-soft text-ink' : 'border-line text-soft hover:bg-hover',
            )}
          >
            {t.fates[each]} <span className="font-semibold text-ink">{counts[each]}</span>
          </button>
        ))}
        {offers.length > 8 ? (
          <TextField
            label={t.searchOffers}
            labelHidden
            placeholder={t.searchOffers}
            icon={<Search />}
            value={text}
            className="min-w-32 flex-1"
            onChange={(event) => setText(event.target.value)}
          />
        ) : null}
      </div>
      {fitting.length === 0 ? <p className="px-1 py-4 text-soft">{t.noneOfThese}</p> : null}
      <ul className="flex flex-col">{scored.slice(0, drawn).map(row)}</ul>
      {groups.map((group) => {
        const why = reasonText(group.reason).title;
        return (
          <section key={group.key} aria-label={group.gateName ?? why} className="flex flex-col">
            <h3 className="flex items-baseline justify-between gap-2 border-b border-line px-2 py-1 text-caption text-soft">
              <span className="truncate">{group.gateName === null ? why : `${why}: ${group.gateName}`}</span>
              <span>{group.offers.length}</span>
            </h3>
            <ul className="flex flex-col">{group.offers.slice(0, drawn).map(row)}</ul>
          </section>
        );
      })}
      {fitting.length > drawn ? (
        <button type="button" className="h-8 text-dense text-accent-ink" onClick={() => setDrawn(fitting.length)}>
          {t.count(fitting.length - drawn, String(fitting.length - drawn))}
        </button>
      ) : null}
    </div>
  );
}

interface OfferRowProps {
  readonly story: OfferStory;
  readonly best: number;
  readonly isSelected: boolean;
  readonly onPress: () => void;
  readonly write: Writers;
}

function OfferRow({ story, best, isSelected, onPress, write }: OfferRowProps) {
  const format = useFormat();
  const { fate, rank, score, shown, name, offerId } = story;
  const value = score?.score ?? shown?.score ?? null;
  return (
    <li>
      <button
        type="button"
        aria-current={isSelected ? true : undefined}
        onClick={onPress}
        className={cx(
          'grid min-h-10 w-full grid-cols-[1.75rem_minmax(0,1fr)_auto] items-center gap-x-2 rounded-control px-2 py-1 text-start',
          isSelected ? 'bg-accent-soft' : 'hover:bg-hover',
        )}
      >
        <span className={cx('text-dense', fate === 'shown' ? 'font-semibold text-ink' : 'text-faint')}>
          {rank !== null ? t.shownAt(rank) : fate === 'lost' && story.place !== null ? story.place : ''}
        </span>
        <span className={cx('truncate', fate === 'shown' ? 'font-medium' : '')}>{name ?? offerId}</span>
        <Badge tone={fateTones[fate]}>{t.fates[fate]}</Badge>
        {fate === 'blocked' ? (
          <span className="col-span-2 col-start-2 truncate text-dense text-soft">{whyText(story, write)}</span>
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
    </li>
  );
}

/** Why an offer left, in one line: what there was against what was asked. */
export function whyText(story: OfferStory, write: Writers): string {
  const { dropped, gates } = story;
  if (dropped === null) return '';
  const id = dropped.ruleId ?? dropped.policyId;
  const gate = gates?.find((each) => each.id === id && each.status === 'blocked');
  const kind = dropped.policyId === null ? 'rule' : 'policy';
  const ruleType = gate?.ruleType ?? typeOf(dropped.detail);
  const told = storyOf({ kind, ruleType, detail: gate?.detail ?? dropped.detail }, write);
  if (told !== null) return told.actual === null ? told.required : `${told.required}; ${t.actual} ${told.actual}`;
  const reason = typeof dropped.detail.reason === 'string' ? dropped.detail.reason : null;
  return dropDetail(dropped, write) ?? reason ?? reasonText(dropped.reason).text;
}

/** A drop names no type of its rule or policy; the fields of its detail do. */
function typeOf(detail: Readonly<Record<string, unknown>>): string | null {
  if ('operator' in detail && 'attribute' in detail) return 'attribute_condition';
  if ('maxDays' in detail) return 'recency_check';
  if ('minScore' in detail) return 'propensity_threshold';
  if ('required' in detail) return 'segment_required';
  if ('cooldownHours' in detail) return 'cooldown';
  if ('suppressForDays' in detail) return 'outcome_based';
  if ('currentHour' in detail) return 'time_window';
  if ('channels' in detail) return 'cross_channel_cap';
  if ('targetCategory' in detail) return 'offer_category_cap';
  if ('max' in detail) return 'frequency_cap';
  return null;
}
