import { decisionListOperations } from '@arbiter/contract/deciding/decision-lists';
import { auditLogOperations } from '@arbiter/contract/identity/audit-logs';
import { preferenceOperations } from '@arbiter/contract/identity/preferences';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { boot, onBoot } from '../../data/boot.ts';
import { can } from '../../data/can.ts';
import { useMutate, useOperation } from '../../data/use-operation.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { sinceTexts as t } from '../../messages/home.ts';
import { addresses } from '../../route/addresses.ts';
import { recordAddress } from '../../route/record-address.ts';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { type Change, changesOf, readVisit, visitOf } from './visit.ts';

/** Records that are named; the rest is in the audit log. */
const shown = 6;
/** Name of the visit among the preferences of a person. */
const preferenceKey = 'home';

/**
 * What happened since the person was here before. When that was stands in their preferences, so that it holds on every
 * device and through a sign-out. Nothing is shown at the first visit.
 */
export function SinceLast() {
  const since = useLastVisit();
  return since === null ? null : <Since since={since} />;
}

/** End of the last visit, in milliseconds; null while it is not known, and at the first. */
function useLastVisit(): number | null {
  const preferences = useOperation(preferenceOperations.get, {});
  const { run } = useMutate(preferenceOperations.set);
  const [since, setSince] = useState<number | null>(null);
  const [isVisitStored, setVisitStored] = useState(false);
  const { data } = preferences;
  useEffect(() => {
    if (data === undefined || isVisitStored) return;
    setVisitStored(true);
    const visit = visitOf(readVisit(data[preferenceKey]), Date.now());
    setSince(visit.since);
    // What else is kept there belongs to others.
    void run({ body: { ...data, [preferenceKey]: visit } });
  }, [data, isVisitStored, run]);
  return since;
}

function Since({ since }: { since: number }) {
  const format = useFormat();
  const block = useSyncExternalStore(onBoot, boot);
  const from = new Date(since).toISOString();
  const mayRead = can(auditLogOperations.list).allowed;
  const rows = useOperation(auditLogOperations.list, { query: { from, limit: 200 } }, { enabled: mayRead });
  const decisions = useOperation(decisionListOperations.list, { query: { from, limit: 1 } });
  const own = block.authenticated ? (block.session.principal?.userId ?? '') : '';
  const decisionCount = decisions.data?.pagination.total ?? null;
  return (
    <Section
      title={t.title}
      about={<span className="text-dense text-soft">{t.since(format.moment(since))}</span>}
      flush
    >
      <p className="px-4 py-2.5">
        {decisionCount === null ? null : (
          <Link to={addresses.decisions({ from })}>{t.decisions(format.number(decisionCount), decisionCount)}</Link>
        )}
      </p>
      {mayRead ? (
        <div className="border-line border-t">
          <Loaded answer={rows} operation={auditLogOperations.list}>
            {({ data }) => <Changes changes={changesOf(data, own)} from={from} isPart={data.length >= 200} />}
          </Loaded>
        </div>
      ) : null}
    </Section>
  );
}

function Changes({ changes, from, isPart }: { changes: readonly Change[]; from: string; isPart: boolean }) {
  const format = useFormat();
  if (changes.length === 0) return <p className="px-4 py-2.5 text-soft">{t.nothing}</p>;
  return (
    <>
      <ul className="divide-y divide-line">
        {changes.slice(0, shown).map((change) => {
          const to = recordAddress(change.entityType, change.entityId);
          const name = change.entityName ?? change.entityType;
          return (
            <li
              key={`${change.entityType} ${change.entityId}`}
              className="flex flex-wrap items-baseline gap-x-3 px-4 py-2"
            >
              <span className="min-w-0 flex-1 break-words">
                <span className="text-soft">{t.change(change.userName, change.action.replaceAll('_', ' '))}</span>{' '}
                {to === null ? (
                  <span className="font-medium">{name}</span>
                ) : (
                  <Link className="underline" to={to}>
                    {name}
                  </Link>
                )}
                {change.count > 1 ? <span className="text-dense text-soft"> {t.times(change.count)}</span> : null}
              </span>
              <time className="text-dense text-soft" dateTime={change.timestamp}>
                {format.moment(change.timestamp)}
              </time>
            </li>
          );
        })}
      </ul>
      {changes.length > shown || isPart ? (
        <p className="border-line border-t px-4 py-2">
          <Link to={addresses.audit({ from: from.slice(0, 10) })}>{t.all}</Link>
        </p>
      ) : null}
    </>
  );
}
