import { type DecisionListRow, decisionListOperations } from '@arbiter/contract/deciding/decision-lists';
import type { Answer } from '../../data/use-operation.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { homeTexts as t } from '../../messages/home.ts';
import { addresses } from '../../route/addresses.ts';
import { AsOf } from '../../ui/as-of.tsx';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/progress.tsx';
import { useFormat } from '../../ui/provider.tsx';

const shown = 5;

/** Holds the place of the lines. */
function Waiting() {
  return (
    <div className="flex flex-col gap-3 p-4" role="status" aria-label={t.recent}>
      <Skeleton />
      <Skeleton />
    </div>
  );
}

/** The decisions that were made last, each a link to its explanation. */
export function RecentDecisions({ answer }: { answer: Answer<{ readonly data: readonly DecisionListRow[] }> }) {
  const format = useFormat();
  return (
    <Section
      title={t.recent}
      about={answer.asOf === null ? null : <AsOf at={answer.asOf} stale={answer.old} />}
      actions={<Link to={addresses.decisions()}>{t.all}</Link>}
      flush
    >
      <Loaded answer={answer} operation={decisionListOperations.list} skeleton={<Waiting />}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="p-4 text-soft">{t.none}</p>
          ) : (
            <ul className="divide-y divide-line">
              {data.slice(0, shown).map((row) => (
                <li key={row.recommendationId}>
                  <Link
                    look="plain"
                    to={addresses.decision(row.recommendationId)}
                    className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-2 hover:bg-hover sm:grid-cols-[10rem_minmax(0,1fr)_auto]"
                  >
                    <span className="truncate text-soft">{row.customerId ?? t.erased}</span>
                    <span className="truncate font-medium max-sm:col-start-1 max-sm:row-start-2">
                      {row.topOffer?.offerName ?? <span className="font-normal text-faint">{t.nothing}</span>}
                    </span>
                    <time className="text-dense text-soft" dateTime={row.decidedAt}>
                      {format.moment(row.decidedAt)}
                    </time>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
