import { dashboardOperations } from '@arbiter/contract/operations/dashboards';
import { useEffect, useState } from 'react';
import { useOperation } from '../../data/use-operation.ts';
import { homeTexts as t } from '../../messages/home.ts';
import { addresses } from '../../route/addresses.ts';
import { Link } from '../../ui/link.tsx';
import { useFormat } from '../../ui/provider.tsx';

/** On narrow screens, links are stacked: each must be large enough to tap. */
const target = 'inline-block py-0.5';

/** Refresh intervals in milliseconds: before the first count, and after it. */
const soonMs = 5_000;
const refreshMs = 30_000;

/** Decisions, speed and failures of the last day in a line; empty while it loads. */
export function LastDay() {
  const format = useFormat();
  // The server counts decisions after a few seconds: show the first one soon.
  const [everyMs, setEveryMs] = useState(soonMs);
  const { data } = useOperation(dashboardOperations.decisionPipeline, { query: { windowHours: 24 } }, { everyMs });
  const isCounted = (data?.decisions ?? 0) > 0;
  useEffect(() => setEveryMs(isCounted ? refreshMs : soonMs), [isCounted]);
  if (data === undefined) return null;
  const { decisions, failed, p95Ms, from } = data;
  return (
    <span className="flex flex-wrap items-center gap-x-3">
      <Link className={target} to={addresses.decisions({ from })}>
        {t.lastDay(format.number(decisions), decisions)}
      </Link>
      {/* Health explains why these two have no list of decisions. */}
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
