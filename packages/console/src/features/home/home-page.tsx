import { decisionListOperations } from '@arbiter/contract/deciding/decision-lists';
import { apiKeyOperations } from '@arbiter/contract/identity/api-keys';
import { useState, useSyncExternalStore } from 'react';
import { boot, onBoot } from '../../data/boot.ts';
import { can } from '../../data/can.ts';
import { useOperation } from '../../data/use-operation.ts';
import { homeTexts as t } from '../../messages/home.ts';
import { Badge } from '../../ui/badge.tsx';
import { later } from '../../ui/later.tsx';
import { Page } from '../../ui/page.tsx';
import { FirstSteps } from './first-steps.tsx';
import { countDone, doneOf } from './progress.ts';
import { RecentDecisions } from './recent-decisions.tsx';
import { ServerStrip } from './server-strip.tsx';
import { canDecide, useStart } from './start/start-state.ts';

/** Separate chunks: the first decision doesn't wait for their data. */
const LastMonth = later(() => import('./last-month.tsx').then((module) => module.LastMonth));
const NeedsYou = later(() => import('./needs-you.tsx').then((module) => module.NeedsYou));
const SavedRecordLists = later(() => import('./saved-records.tsx').then((module) => module.SavedRecordLists));
const StartList = later(() => import('./start/start-list.tsx').then((module) => module.StartList));
const SinceLast = later(() => import('./since-last.tsx').then((module) => module.SinceLast));

/** The home page: a checklist to the first decision in a new tenant, later a form to decide; below it, recent activity. */
export function HomePage() {
  const block = useSyncExternalStore(onBoot, boot);
  const recent = useOperation(decisionListOperations.list, { query: { limit: 20 } }, { everyMs: 30_000 });
  const maySeeKeys = can(apiKeyOperations.list).allowed;
  const keys = useOperation(apiKeyOperations.list, { query: { limit: 100 } }, { enabled: maySeeKeys });
  // Once shown, the checklist stays until its last step is done.
  const [isStarting, setStarting] = useState(false);
  const [hasSample, setSample] = useState(false);
  const isUndecided = recent.data?.data.length === 0;
  const isNew = isUndecided || (block.authenticated && !block.tenantStatus.hasData);
  const start = useStart(isNew || isStarting, !isUndecided);
  if (isNew && start !== null && !canDecide(start) && !isStarting) setStarting(true);
  if (!block.authenticated) return null;
  const done = doneOf(recent.data?.data ?? [], keys.data?.data ?? null);
  const { done: count, all } = countDone(done);
  const { hasData } = block.tenantStatus;
  // After the first steps, activity comes first; before, the steps.
  const isReturning = hasData && recent.data !== undefined && count === all;
  const waiting = (
    <div
      key="waiting"
      className="grid items-start gap-4 empty:hidden lg:grid-cols-[repeat(auto-fit,minmax(26rem,1fr))]"
    >
      <NeedsYou onlyIfAny={!isReturning} />
      <SinceLast />
    </div>
  );
  const saved = <SavedRecordLists key="saved" />;
  const steps =
    isStarting && !hasSample && start !== null ? (
      <StartList key="start" state={start} onSample={() => setSample(true)} />
    ) : hasData && !(isUndecided && start === null && !hasSample) ? (
      <FirstSteps key="steps" done={done} />
    ) : null;
  const server = <ServerStrip key="server" />;
  // Keyed, so that each part keeps its state when loaded data changes the order.
  const parts = isReturning ? [waiting, saved, steps, server] : [steps, server, hasData ? waiting : null, saved];
  return (
    <Page
      title={t.title}
      heading={t.welcome(block.session.tenant?.name ?? '')}
      lead={hasData ? t.lead : undefined}
      about={
        hasData && (!isStarting || hasSample) && recent.data !== undefined ? (
          <Badge tone={count === all ? 'pass' : 'info'}>{count === all ? t.stepsDone : t.steps(count, all)}</Badge>
        ) : null
      }
    >
      {parts}
      {hasData ? <RecentDecisions answer={recent} /> : null}
      {hasData ? <LastMonth /> : null}
    </Page>
  );
}
