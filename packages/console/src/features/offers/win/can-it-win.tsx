import type { Offer } from '@arbiter/contract/catalogue/offers';
import type { Simulation } from '@arbiter/contract/deciding/simulations';
import { reportSourceOperations } from '@arbiter/contract/operations/report-sources';
import { useMemo } from 'react';
import { useOperation } from '../../../data/use-operation.ts';
import { SegmentImpact } from '../../../forms/impact/segment-impact.tsx';
import { Loaded } from '../../../forms/loaded.tsx';
import { offerWinTexts as t } from '../../../messages/outlook/offer-win.ts';
import { addresses } from '../../../route/addresses.ts';
import { endAfter } from '../../../route/days.ts';
import { AsOf } from '../../../ui/as-of.tsx';
import { BarChart } from '../../../ui/charts/bars.tsx';
import { Section } from '../../../ui/page.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import { type FateCount, fatesOf, type OfferFates } from './offer-fates.ts';

const days = 7;

/** Whether the offer can win: what happened to it in recent decisions, or what would happen before it's live. */
export function CanItWin({ offer }: { readonly offer: Offer }) {
  return offer.status === 'active' ? <Fates id={offer.id} /> : <BeforeLive offer={offer} />;
}

function Fates({ id }: { readonly id: string }) {
  const answer = useOperation(
    reportSourceOperations.data,
    { query: { type: 'why_not_ranked', offerId: id, days } },
    { everyMs: 300_000 },
  );
  return (
    <Section title={t.title} about={answer.asOf === null ? null : <AsOf at={answer.asOf} stale={answer.old} />}>
      <Loaded answer={answer} operation={reportSourceOperations.data}>
        {({ rows, notes, period }) => (
          <FateChart
            id={id}
            fates={fatesOf(rows)}
            range={period === null ? {} : { from: period.from, to: endAfter(period.to) }}
            notes={notes}
          />
        )}
      </Loaded>
    </Section>
  );
}

interface FateChartProps {
  readonly id: string;
  readonly fates: OfferFates | null;
  readonly range: { readonly from?: string; readonly to?: string };
  readonly notes: readonly string[];
}

function FateChart({ id, fates, range, notes }: FateChartProps) {
  const format = useFormat();
  const number = (value: number) => format.number(value);
  const drill = ({ fate }: FateCount) =>
    fate === 'other' ? { reason: t.otherDrill } : { to: addresses.decisions({ offerId: id, fate, ...range }) };
  const summary = (known: OfferFates) =>
    [
      t.selectedIn(number(known.selected), number(known.all), format.percent(known.selected / known.all, 1)),
      known.worst === null ? '' : t.mostly(t.reasons[known.worst.fate], number(known.worst.decisions)),
    ].join(' ');
  return (
    <BarChart
      title={t.fates}
      summary={fates === null ? '' : summary(fates)}
      measure={t.decisions}
      of={t.fate}
      write={number}
      empty={t.notConsidered}
      rows={(fates?.counts ?? []).map((count) => ({
        ...{ key: count.fate, label: t.fateNames[count.fate], value: count.decisions, drill: drill(count) },
        tone: count.fate === 'selected' ? ('pass' as const) : ('block' as const),
      }))}
      foot={notes.map((note) => <span key={note}>{note}</span>)}
    />
  );
}

/** A simulation as if the offer were active: for whom it would come first. */
function BeforeLive({ offer }: { readonly offer: Offer }) {
  const { id, version, creatives } = offer;
  const question = useMemo(() => ({ overrides: { offerIds: [id] }, compare: {}, limit: 1 }), [id]);
  const hasCreative = creatives.some(({ status }) => status !== 'archived');
  return (
    <Section title={t.title}>
      <div className="flex flex-col gap-3">
        <p className="text-soft">{t.beforeLive}</p>
        <SegmentImpact
          question={question}
          blocked={hasCreative ? null : t.needsCreative}
          mark={[version, creatives]}
          outdated={t.outdated}
          sides={{ own: t.withOffer, other: t.withoutOffer }}
        >
          {(simulation) => <First id={id} simulation={simulation} />}
        </SegmentImpact>
      </div>
    </Section>
  );
}

function First({ id, simulation }: { readonly id: string; readonly simulation: Simulation }) {
  const format = useFormat();
  const { sampledCustomers: sampled, diff } = simulation;
  if (sampled === 0) return null;
  const first = diff?.gained.find(({ offerId }) => offerId === id)?.count ?? 0;
  return (
    <p className="text-section font-medium">
      {first === 0
        ? t.neverFirst(format.number(sampled))
        : t.first(format.percent(first / sampled, 1), format.number(first), format.number(sampled))}
    </p>
  );
}
