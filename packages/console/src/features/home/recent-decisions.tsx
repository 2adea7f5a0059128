import { type DecisionListRow, decisionListOperations } from '@arbiter/contract/deciding/decision-lists';
import { Pause, Play } from 'lucide-react';
import { useState } from 'react';
import type { Answer } from '../../data/use-operation.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { homeTexts as t } from '../../messages/home.ts';
import { addresses } from '../../route/addresses.ts';
import { AsOf } from '../../ui/as-of.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/progress.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { useArrivals } from './use-arrivals.ts';

const shown = 8;

/** Placeholders of the lines. */
function Waiting() {
  return (
    <div className="flex flex-col gap-3 p-4" role="status" aria-label={t.recent}>
      <Skeleton />
      <Skeleton />
    </div>
  );
}

interface Rows {
  readonly data: readonly DecisionListRow[];
}

/** The latest decisions as they are made, linked to their explanations. The list can be paused to read it. */
export function RecentDecisions({ answer }: { answer: Answer<Rows> }) {
  const [paused, setPaused] = useState<Rows | null>(null);
  const isPaused = paused !== null;
  return (
    <Section
      title={t.recent}
      about={
        <>
          <Badge tone={isPaused ? 'warn' : 'pass'}>{isPaused ? t.paused : t.live}</Badge>
          {answer.asOf === null || isPaused ? null : <AsOf at={answer.asOf} stale={answer.old} />}
        </>
      }
      actions={
        <>
          <Button
            size="small"
            kind="quiet"
            icon={isPaused ? <Play aria-hidden className="size-4" /> : <Pause aria-hidden className="size-4" />}
            onClick={() => setPaused(isPaused ? null : (answer.data ?? null))}
          >
            {isPaused ? t.resume : t.pause}
          </Button>
          <Link to={addresses.decisions()}>{t.all}</Link>
        </>
      }
      flush
    >
      <Loaded answer={answer} operation={decisionListOperations.list} skeleton={<Waiting />}>
        {(latest) => <Lines rows={(paused ?? latest).data} />}
      </Loaded>
      <Arrived />
    </Section>
  );
}

function Arrived() {
  const format = useFormat();
  const { decisions, withOffer } = useArrivals();
  return (
    <p className="border-t border-line px-4 py-2 text-dense text-soft">
      {decisions === 0 ? t.noneArrived : t.arrived(format.number(decisions), decisions, format.number(withOffer))}
    </p>
  );
}

function Lines({ rows }: { readonly rows: readonly DecisionListRow[] }) {
  // Only decisions that arrive later are highlighted.
  const [first] = useState(() => new Set(rows.map(({ recommendationId }) => recommendationId)));
  if (rows.length === 0) return <p className="p-4 text-soft">{t.none}</p>;
  return (
    <ul className="divide-y divide-line">
      {rows.slice(0, shown).map((row) => (
        <li key={row.recommendationId} className={first.has(row.recommendationId) ? undefined : 'animate-tint'}>
          <Line row={row} />
        </li>
      ))}
    </ul>
  );
}

function Line({ row }: { readonly row: DecisionListRow }) {
  const format = useFormat();
  return (
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
  );
}
