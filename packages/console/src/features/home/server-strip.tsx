import { systemOperations } from '@arbiter/contract/operations/system';
import { useOperation } from '../../data/use-operation.ts';
import { homeTexts as t } from '../../messages/home.ts';
import { addresses } from '../../route/addresses.ts';
import { AsOf } from '../../ui/as-of.tsx';
import { Badge } from '../../ui/badge.tsx';
import { later } from '../../ui/later.tsx';
import { Link } from '../../ui/link.tsx';

/** A part of its own: whether the server is ready is told before it. */
const LastDay = later(() => import('./last-day.tsx').then((module) => module.LastDay));

/** Whether the server takes traffic and what it has decided lately, in a line. */
export function ServerStrip() {
  const ready = useOperation(systemOperations.ready, {}, { everyMs: 30_000 });
  if (ready.asOf === null && ready.failure === null) return null;
  const isReady = ready.failure === null && ready.data?.status === 'ready';
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 rounded-card border border-line bg-surface px-4 py-2.5">
      <span className="flex items-center gap-2">
        <span className="text-soft">{t.health}</span>
        <Badge tone={isReady ? 'pass' : 'block'}>{isReady ? t.healthReady : t.healthNotReady}</Badge>
      </span>
      <LastDay />
      {ready.data?.checks.scheduler === 'off' ? <span className="text-soft">{t.schedulerOff}</span> : null}
      <span className="ms-auto flex items-center gap-3">
        {ready.asOf === null ? null : <AsOf at={ready.asOf} stale={ready.old} word="checked" />}
        <Link to={addresses.health()}>{t.healthOpen}</Link>
      </span>
    </div>
  );
}
