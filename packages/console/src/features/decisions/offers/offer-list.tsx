import {
  countFates,
  type Fate,
  groupByReason,
  type OfferStory,
  type ReasonGroup,
} from '@arbiter/contract/explanation/offers';
import { reasonText } from '@arbiter/contract/explanation/texts';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Search } from 'lucide-react';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { cx } from '../../../ui/cx.ts';
import { TextField } from '../../../ui/field.tsx';
import type { Writers } from '../gates/gate-story.ts';
import { OfferRow } from './offer-row.tsx';

const fates: readonly Fate[] = ['shown', 'lost', 'blocked'];

/** Estimated heights in px before rendering: an offer, a reason. */
const offerHeight = 48;
const reasonHeight = 25;

type Line = { readonly group: ReasonGroup } | { readonly story: OfferStory };

export interface OfferListProps {
  readonly offers: readonly OfferStory[];
  readonly selected: string | null;
  readonly onSelect: (offerId: string) => void;
  readonly fate: Fate | null;
  readonly onFate: (fate: Fate | null) => void;
  readonly write: Writers;
}

/** Every offer of a decision by fate; dropped offers grouped by reason. Only visible offers render: there may be thousands. */
export function OfferList({ offers, selected, onSelect, fate, onFate, write }: OfferListProps) {
  const [text, setText] = useState('');
  const counts = useMemo(() => countFates(offers), [offers]);
  const wanted = text.trim().toLowerCase();
  const lines = useMemo(() => linesOf(offers.filter((story) => fits(story, fate, wanted))), [offers, fate, wanted]);
  const best = useMemo(() => offers.reduce((most, { score }) => Math.max(most, score?.score ?? 0), 0), [offers]);
  return (
    <div className="flex min-h-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
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
            data-filter
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
      {lines.length === 0 ? (
        <p className="px-1 py-4 text-soft">{t.noneOfThese}</p>
      ) : (
        <Lines lines={lines} {...{ best, selected, onSelect, write }} />
      )}
    </div>
  );
}

const fits = ({ fate: own, name, offerId }: OfferStory, fate: Fate | null, wanted: string): boolean =>
  (fate === null || own === fate) && (wanted === '' || (name ?? offerId).toLowerCase().includes(wanted));

/** Scored offers, then dropped ones, each reason above its offers. */
function linesOf(offers: readonly OfferStory[]): readonly Line[] {
  const scored = offers.filter((story) => story.fate !== 'blocked');
  const groups = groupByReason(offers.filter((story) => story.fate === 'blocked'));
  return [
    ...scored.map((story) => ({ story })),
    ...groups.flatMap((group): Line[] => [{ group }, ...group.offers.map((story) => ({ story }))]),
  ];
}

interface LinesProps extends Pick<OfferListProps, 'selected' | 'onSelect' | 'write'> {
  readonly lines: readonly Line[];
  readonly best: number;
}

function Lines({ lines, best, selected, onSelect, write }: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: (at) => (isReason(lines[at]) ? reasonHeight : offerHeight),
    getItemKey: (at) => keyOf(lines[at]),
    overscan: 6,
  });
  // A link may select an offer far down, so the list opens there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the list opens; later, the user scrolls.
  useLayoutEffect(() => {
    const at = lines.findIndex((line) => 'story' in line && line.story.offerId === selected);
    if (at > 0) virtualizer.scrollToIndex(at, { align: 'auto' });
  }, []);
  return (
    <div ref={box} className="max-h-[70dvh] overflow-y-auto">
      <ul className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const line = lines[item.index];
          if (line === undefined) return null;
          return (
            <li
              key={item.key}
              ref={virtualizer.measureElement}
              data-index={item.index}
              aria-setsize={lines.length}
              aria-posinset={item.index + 1}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {'group' in line ? (
                <Reason group={line.group} />
              ) : (
                <OfferRow
                  story={line.story}
                  isSelected={line.story.offerId === selected}
                  {...{ best, onSelect, write }}
                />
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

const isReason = (line: Line | undefined): boolean => line !== undefined && 'group' in line;

const keyOf = (line: Line | undefined): string =>
  line === undefined ? '' : 'group' in line ? `reason ${line.group.key}` : line.story.offerId;

/** Reason of the offers below, and their number. */
function Reason({ group: { reason, gateName, offers } }: { readonly group: ReasonGroup }) {
  const why = reasonText(reason).title;
  return (
    <h3 className="flex items-baseline justify-between gap-2 border-b border-line px-2 py-1 text-caption text-soft">
      <span className="truncate">{gateName === null ? why : `${why}: ${gateName}`}</span>
      <span>{offers.length}</span>
    </h3>
  );
}
