import { type Offer, offerOperations } from '@arbiter/contract/catalogue/offers';
import { useOperation } from '../../data/use-operation.ts';
import { DeleteButton } from '../../forms/editing/delete-button.tsx';
import { PauseButton } from '../../forms/editing/pause-button.tsx';
import { EditLink } from '../../forms/editing/record-links.tsx';
import { DecisionsLink, RecordPage } from '../../forms/record-page.tsx';
import { offerTexts as t } from '../../messages/catalogue/offers.ts';
import { scheduleState } from '../../messages/catalogue/schedules.ts';
import { addresses } from '../../route/addresses.ts';
import { useParam } from '../../route/use-address.ts';
import { useNow } from '../../ui/as-of.tsx';
import { later } from '../../ui/later.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { CreativeMatrix } from './creative-matrix.tsx';
import { Basics, Value, When } from './offer-basics.tsx';
import { OfferDecisions } from './offer-decisions.tsx';
import { Limits } from './offer-limits.tsx';
import { Who } from './offer-who.tsx';

/** A separate chunk, with the charts. */
const CanItWin = later(() => import('./win/can-it-win.tsx').then((module) => module.CanItWin));

/** An offer: basics, schedule, eligibility, creatives, and the decisions that showed it. */
export function OfferPage() {
  const id = useParam('id');
  const answer = useOperation(offerOperations.get, { params: { id }, query: { includeDeleted: true } });
  return (
    <RecordPage
      answer={answer}
      operation={offerOperations.get}
      kind="offer"
      id={id}
      lead={({ shortDesc }) => shortDesc}
      actions={
        <>
          <DecisionsLink to={addresses.decisions({ offerId: id })}>{t.allDecisions}</DecisionsLink>
          {answer.data === undefined || answer.data.deletedAt !== null ? null : (
            <>
              <DeleteButton
                kind="offer"
                operation={offerOperations.deleteById}
                id={id}
                name={answer.data.name}
                isSoft={true}
              />
              <PauseButton kind="offer" operation={offerOperations.updateById} record={answer.data} />
              <EditLink kind="offer" id={id} operation={offerOperations.updateById} />
            </>
          )}
        </>
      }
    >
      {(body) => (
        <>
          <WhyNotDecided offer={body} />
          <div className="grid items-start gap-4 lg:grid-cols-2">
            <div className="flex min-w-0 flex-col gap-4">
              <Basics offer={body} />
              <Who offer={body} />
              <When offer={body} />
              <Limits offer={body} />
            </div>
            <div className="flex min-w-0 flex-col gap-4">
              <Value offer={body} />
              {body.deletedAt === null ? <CanItWin offer={body} /> : null}
              <OfferDecisions id={body.id} />
            </div>
          </div>
          <CreativeMatrix offer={body} />
        </>
      )}
    </RecordPage>
  );
}

/** What keeps the offer out of every decision. */
function WhyNotDecided({ offer }: { readonly offer: Offer }) {
  const { timeZone } = useFormat().locale;
  const state = scheduleState(offer.schedule, useNow(), timeZone);
  const reasons = [
    offer.emergencyExcluded ? { title: t.excluded, text: t.excludedLong } : null,
    offer.status === 'active' ? null : { title: t.notActive(offer.status), text: t.notActiveLong },
    state === 'over' ? { title: t.over, text: t.overLong } : null,
    state === 'later' ? { title: t.later, text: t.laterLong } : null,
    offer.creatives.length === 0 ? { title: t.noCreativesTitle, text: t.noCreativesText } : null,
  ].filter((reason) => reason !== null);
  return reasons.map(({ title, text }) => (
    <ProblemPanel key={title} tone="warn" title={title}>
      {text}
    </ProblemPanel>
  ));
}
