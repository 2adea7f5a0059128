import type { DecisionRecord } from '@arbiter/contract/deciding/decisions';
import type { Explanation } from '@arbiter/contract/explanation/explanation';
import { type Fate, type OfferStory, offersOf } from '@arbiter/contract/explanation/offers';
import { type FunnelStep, funnelOf, stepKey } from '@arbiter/contract/explanation/stages';
import { ChevronLeft } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import type { Static } from 'typebox';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { addresses } from '../../../route/addresses.ts';
import type { SearchChange } from '../../../route/use-address.ts';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { Section } from '../../../ui/page.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import type { Writers } from '../gates/gate-story.ts';
import { OfferDetail } from '../offers/offer-detail.tsx';
import { OfferList } from '../offers/offer-list.tsx';
import { nameOf } from '../offers/offer-row.tsx';
import { WhyNotPanel } from '../why-not/why-not-panel.tsx';
import type { ExplorerSearch } from './explorer-search.ts';
import { FunnelView } from './funnel-view.tsx';
import { NoStage } from './no-stage.tsx';

type Search = Partial<Static<typeof ExplorerSearch>>;

export interface WhyTabProps {
  readonly record: DecisionRecord;
  readonly explanation: Explanation;
  readonly search: Search;
  readonly change: (change: SearchChange<Search>) => void;
  readonly write: Writers;
}

/** The funnel, every offer, and the details of the selected one. */
export function WhyTab({ record, explanation, search, change, write }: WhyTabProps) {
  const offers = useMemo(() => offersOf(explanation), [explanation]);
  const steps = useMemo(() => funnelOf(explanation), [explanation]);
  const { cut, source } = explanation;
  return (
    <div className="flex flex-col gap-4">
      {source === 'replay' ? <Notice>{t.originRebuilt}</Notice> : null}
      {source === 'record' ? <Notice>{t.originRecord}</Notice> : null}
      {record.withheld.length > 0 ? <Notice>{t.withheld(record.withheld.join(', '))}</Notice> : null}
      {steps.length === 0 && offers.length === 0 && source !== 'record' ? <NoStage record={record} /> : null}
      {steps.length === 0 ? null : <FunnelSection {...{ record, explanation, steps, search, change }} />}
      {cut.length > 0 ? <Notice>{cut.map((list) => cutTexts[list]).join(' ')}</Notice> : null}
      {offers.length === 0 ? null : <Offers {...{ record, offers, search, change, write }} />}
    </div>
  );
}

const cutTexts = { scores: t.cutScores, dropped: t.cutDropped, gates: t.cutGates };

interface FunnelSectionProps extends Pick<WhyTabProps, 'record' | 'explanation' | 'search' | 'change'> {
  readonly steps: readonly FunnelStep[];
}

function FunnelSection({ record, explanation, steps, search, change }: FunnelSectionProps) {
  const format = useFormat();
  const { summary, items } = explanation;
  const step = search.step ?? null;
  const about = t.funnelAbout(
    format.number(summary.candidateCount + summary.mandatoryCount),
    format.number(items.length),
    summary.durationMs === null ? null : format.duration(summary.durationMs),
  );
  return (
    <Section
      title={t.funnel}
      about={<span className="text-dense text-soft">{about}</span>}
      actions={
        step === null ? null : (
          <Button size="small" kind="quiet" onClick={() => change({ step: undefined })}>
            {t.allSteps}
          </Button>
        )
      }
    >
      <FunnelView
        steps={steps}
        selected={step}
        addressOf={(key) => addresses.decision(record.recommendationId, { step: key })}
        onSelect={(key) => change({ step: key ?? undefined, fate: undefined, offer: undefined })}
      />
    </Section>
  );
}

const fates: readonly Fate[] = ['shown', 'lost', 'blocked'];

interface OffersProps extends Omit<WhyTabProps, 'explanation'> {
  readonly offers: readonly OfferStory[];
}

/** The offers next to the selected one; on small screens one at a time. */
function Offers({ record, offers, search, change, write }: OffersProps) {
  const step = search.step ?? null;
  const leftHere = useMemo(
    () => (step === null ? offers : offers.filter((story) => leftIn(story, step))),
    [offers, step],
  );
  const choose = useCallback((offer: string) => change({ offer, rival: undefined }), [change]);
  const selected = offers.find(({ offerId }) => offerId === search.offer) ?? leftHere[0] ?? offers[0] ?? null;
  const isChosen = search.offer !== undefined;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(20rem,5fr)_minmax(0,8fr)]">
      <div className={cx('lg:sticky lg:top-4', isChosen && 'max-lg:hidden')}>
        <Section
          title={t.offers}
          about={isChosen ? null : <span className="text-dense text-soft">{t.offersHint}</span>}
        >
          <OfferList
            offers={leftHere}
            selected={selected?.offerId ?? null}
            onSelect={choose}
            fate={fates.find((each) => each === search.fate) ?? null}
            onFate={(each) => change({ fate: each ?? undefined })}
            write={write}
          />
        </Section>
      </div>
      {selected === null ? null : (
        <div className={cx('min-w-0', !isChosen && 'max-lg:hidden')}>
          <Button
            kind="quiet"
            className="-ms-3 mb-2 lg:hidden"
            icon={<ChevronLeft aria-hidden className="size-4" />}
            onClick={() => change({ offer: undefined })}
          >
            {t.back}
          </Button>
          <OfferDetail
            key={selected.offerId}
            story={selected}
            offers={offers}
            rivalId={search.rival ?? null}
            onRival={(rival) => change({ rival: rival ?? undefined })}
            write={write}
          >
            <WhyNot record={record} story={selected} write={write} />
          </OfferDetail>
        </div>
      )}
    </div>
  );
}

interface WhyNotProps extends Pick<WhyTabProps, 'record' | 'write'> {
  readonly story: OfferStory;
}

/** What would have shown the offer, if the decision can be repeated. */
function WhyNot({ record, story, write }: WhyNotProps) {
  const { customerId, recommendationId, inputsState, flow } = record;
  if (story.fate === 'shown' || customerId === null || inputsState !== 'available') return null;
  const { offerId } = story;
  const request = { channel: null, placement: null, flowKey: flow.key, limit: null };
  return (
    <WhyNotPanel
      question={{ customerId, offerId, decisionId: recommendationId, ...request }}
      offerName={nameOf(story, write)}
      write={write}
      withGates={story.gates === null}
    />
  );
}

const leftIn = ({ dropped }: OfferStory, step: string): boolean =>
  dropped !== null && stepKey(dropped.stage, dropped.nodeId) === step;

function Notice({ children }: { readonly children: React.ReactNode }) {
  return <p className="max-w-[90ch] rounded-card bg-info-soft px-3 py-2 text-dense text-info">{children}</p>;
}
