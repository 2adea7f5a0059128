import { ChevronLeft } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import type { Static } from 'typebox';
import { decisionTexts as t } from '../../messages/decisions.ts';
import { addresses } from '../../route/addresses.ts';
import type { SearchChange } from '../../route/use-address.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/progress.tsx';
import { useFormat } from '../../ui/provider.tsx';
import type { ExplorerSearch } from './decision-page.tsx';
import type { Explained } from './explained.ts';
import { funnelOf, stepKey } from './funnel.ts';
import { FunnelView } from './funnel-view.tsx';
import type { Writers } from './gates.ts';
import { NoStage } from './no-stage.tsx';
import { OfferDetail } from './offer-detail.tsx';
import { OfferList } from './offer-list.tsx';
import { nameOf } from './offer-row.tsx';
import { type Fate, type OfferStory, offersOf } from './offers.ts';
import type { DecisionRecord } from './record.ts';
import { WhyNotPanel } from './why-not-panel.tsx';

type Search = Partial<Static<typeof ExplorerSearch>>;

export interface WhyTabProps {
  readonly record: DecisionRecord;
  readonly explained: Explained | null;
  readonly search: Search;
  readonly change: (change: SearchChange<Search>) => void;
  readonly write: Writers;
}

/** The funnel, every offer, and the details of the selected one. */
export function WhyTab({ record, explained, search, change, write }: WhyTabProps) {
  const format = useFormat();
  const offers = useMemo(() => (explained === null ? [] : offersOf(explained)), [explained]);
  const steps = useMemo(() => (explained === null ? [] : funnelOf(explained)), [explained]);
  const step = search.step ?? null;
  const leftHere = useMemo(
    () => (step === null ? offers : offers.filter((story) => leftIn(story, step))),
    [offers, step],
  );
  const choose = useCallback((offer: string) => change({ offer, rival: undefined }), [change]);
  if (explained === null) {
    return (
      <div className="flex flex-col gap-4">
        <Skeleton className="h-28 w-full" />
        <Skeleton className="h-96 w-full" />
      </div>
    );
  }
  const selected = offers.find(({ offerId }) => offerId === search.offer) ?? leftHere[0] ?? offers[0] ?? null;
  const fate = (['shown', 'lost', 'blocked'] as const).find((each) => each === search.fate) ?? null;
  const { summary, cut, origin } = explained;
  const chosen = search.offer !== undefined;
  return (
    <div className="flex flex-col gap-4">
      {origin === 'rebuilt' ? <Notice>{t.originRebuilt}</Notice> : null}
      {origin === 'record' ? <Notice>{t.originRecord}</Notice> : null}
      {record.withheld.length > 0 ? <Notice>{t.withheld(record.withheld.join(', '))}</Notice> : null}
      {steps.length === 0 && offers.length === 0 && origin !== 'record' ? <NoStage record={record} /> : null}
      {steps.length === 0 ? null : (
        <Section
          title={t.funnel}
          about={
            <span className="text-dense text-soft">
              {t.funnelAbout(
                format.number(summary.candidates + summary.mandatory),
                format.number(explained.shown.length),
                summary.durationMs === null ? null : format.duration(summary.durationMs),
              )}
            </span>
          }
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
      )}
      {cut.length > 0 ? (
        <Notice>
          {cut
            .map((each) => (each === 'scores' ? t.cutScores : each === 'dropped' ? t.cutDropped : t.cutGates))
            .join(' ')}
        </Notice>
      ) : null}
      {offers.length === 0 ? null : (
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(20rem,5fr)_minmax(0,8fr)]">
          <div className={cx('lg:sticky lg:top-4', chosen && 'max-lg:hidden')}>
            <Section
              title={t.offers}
              about={chosen ? null : <span className="text-dense text-soft">{t.offersHint}</span>}
            >
              <OfferList
                offers={leftHere}
                selected={selected?.offerId ?? null}
                onSelect={choose}
                fate={fate}
                onFate={(each: Fate | null) => change({ fate: each ?? undefined })}
                write={write}
              />
            </Section>
          </div>
          {selected === null ? null : (
            <div className={cx('min-w-0', !chosen && 'max-lg:hidden')}>
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
                {selected.fate === 'shown' ||
                record.customerId === null ||
                record.inputsState !== 'available' ? null : (
                  <WhyNotPanel
                    question={{
                      customerId: record.customerId,
                      offerId: selected.offerId,
                      decisionId: record.recommendationId,
                      channel: null,
                      placement: null,
                      flowKey: record.flow.key,
                      limit: null,
                    }}
                    offerName={nameOf(selected, write)}
                    write={write}
                    withGates={selected.gates === null}
                  />
                )}
              </OfferDetail>
            </div>
          )}
        </div>
      )}
    </div>
  );
}

const leftIn = ({ dropped }: OfferStory, step: string): boolean =>
  dropped !== null && stepKey(dropped.stage, dropped.nodeId) === step;

function Notice({ children }: { readonly children: React.ReactNode }) {
  return <p className="max-w-[90ch] rounded-card bg-info-soft px-3 py-2 text-dense text-info">{children}</p>;
}
