import { dashboardOperations } from '@arbiter/contract/operations/dashboards';
import { useEffect, useState } from 'react';
import { useOperation } from '../../data/use-operation.ts';
import { homeTexts as t } from '../../messages/home.ts';
import { addresses } from '../../route/addresses.ts';
import { Link } from '../../ui/link.tsx';
import { useFormat } from '../../ui/provider.tsx';

/** Links below each other on a narrow screen: each must be high enough to be pressed. */
const target = 'inline-block py-0.5';

/** How often it is asked, in milliseconds: before anything was counted, and then. */
const soonMs = 5_000;
const usualMs = 30_000;

/** What was decided in the last day, how fast, and what failed, in a few words; nothing while it is not known. */
export function LastDay() {
  const format = useFormat();
  // The server counts a decision some seconds after it was made: who waits for the first one sees it soon.
  const [everyMs, setEveryMs] = useState(soonMs);
  const { data } = useOperation(dashboardOperations.decisionPipeline, { query: { windowHours: 24 } }, { everyMs });
  const isCounted = (data?.decisions ?? 0) > 0;
  useEffect(() => setEveryMs(isCounted ? usualMs : soonMs), [isCounted]);
  if (data === undefined) return null;
  const { decisions, failed, p95Ms, from } = data;
  return (
    <span className="flex flex-wrap items-center gap-x-3">
      <Link className={target} to={addresses.decisions({ from })}>
        {t.lastDay(format.number(decisions), decisions)}
      </Link>
      {/* Health says why these two lead to no list of decisions. */}
      {p95Ms === null ? null : (
        <Link look="plain" className={`${target} text-soft hover:underline`} to={addresses.health()}>
          {t.lastDayP95(format.duration(p95Ms))}
        </Link>
      )}
      {decisions + failed === 0 ? null : (
        <Link
          look="plain"
          className={`${target} hover:underline ${failed === 0 ? 'text-soft' : 'text-block'}`}
          to={addresses.health()}
        >
          {t.lastDayFailed(format.number(failed))}
        </Link>
      )}
    </span>
  );
}
