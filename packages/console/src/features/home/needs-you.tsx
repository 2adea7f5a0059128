import { decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import type { Operation } from '@arbiter/contract/operation';
import { alertOperations } from '@arbiter/contract/operations/alerts';
import { approvalOperations } from '@arbiter/contract/operations/approvals';
import { deadLetterOperations } from '@arbiter/contract/operations/dead-letters';
import { useSyncExternalStore } from 'react';
import { boot, onBoot } from '../../data/boot.ts';
import { can } from '../../data/can.ts';
import { type Answer, useOperation } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { alertValue } from '../../messages/alerts.ts';
import { needsTexts as t } from '../../messages/home.ts';
import { addresses } from '../../route/addresses.ts';
import { recordAddress } from '../../route/record-address.ts';
import { AsOf } from '../../ui/as-of.tsx';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/progress.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { behindDraft, isForMe } from './needs.ts';

/** How often it is asked anew, in milliseconds. */
const everyMs = 60_000;
/** Lines of one kind; what is more is counted. */
const most = 5;

interface Need {
  readonly key: string;
  readonly tone: Tone;
  readonly kind: string;
  readonly text: string;
  readonly detail: string;
  /** Where it is looked into; null where the console has no screen for it. */
  readonly to: string | null;
}

export interface NeedsYouProps {
  /** True: nothing is shown while nothing waits. */
  readonly onlyIfAny?: boolean;
}

/** What waits for the person who looks: requests to decide, alerts, drafts that are not live, jobs that gave up. */
export function NeedsYou({ onlyIfAny = false }: NeedsYouProps) {
  const format = useFormat();
  const block = useSyncExternalStore(onBoot, boot);
  const approvals = useOperation(approvalOperations.list, { query: { status: 'pending' } }, { everyMs });
  const alerts = useOperation(alertOperations.list, { query: { limit: 100 } }, { everyMs });
  const flows = useOperation(decisionFlowOperations.list, { query: { limit: 100 } });
  const maySeeLetters = can(deadLetterOperations.list).allowed;
  const letters = useOperation(deadLetterOperations.list, { query: { limit: 1 } }, { enabled: maySeeLetters, everyMs });
  if (!block.authenticated) return null;
  const { principal } = block.session;
  const person = { userId: principal?.userId ?? null, role: principal?.role ?? 'viewer' };
  const fourEyes = block.settings.fourEyesEnabled;
  const needs: Need[] = [
    ...(approvals.data ?? [])
      .filter((request) => isForMe(request, person, fourEyes))
      .map((request) => ({
        key: request.id,
        tone: 'info' as const,
        kind: t.approval,
        text: t.asks(request.requesterName, t.actions[request.action], request.entityName),
        detail: t.decidedByApi(format.moment(request.createdAt)),
        to: request.action === 'create' ? null : recordAddress(request.entityType, request.entityId),
      })),
    ...(alerts.data?.data ?? [])
      .filter(({ status }) => status === 'fired' || status === 'cooldown' || status === 'delivery_failed')
      .map((rule) => ({
        key: rule.id,
        tone: 'block' as const,
        kind: rule.status === 'delivery_failed' ? t.alertUndelivered : t.alert,
        text: rule.name,
        detail: alertValue(rule, format),
        to: addresses.health(),
      })),
    ...(flows.data?.data ?? []).flatMap((flow) => {
      const version = behindDraft(flow);
      return version === null
        ? []
        : [
            {
              key: flow.id,
              tone: 'draft' as const,
              kind: t.draft,
              text: flow.name,
              detail: t.draftAhead(version),
              to: addresses.flow(flow.id),
            },
          ];
    }),
    ...(letters.data === undefined || letters.data.totalEvents === 0
      ? []
      : [
          {
            key: 'dead letters',
            tone: letters.data.alert === 'OK' ? ('warn' as const) : ('block' as const),
            kind: t.letters,
            text: t.lettersCount(format.number(letters.data.totalEvents)),
            detail: Object.keys(letters.data.byTopic).slice(0, 3).join(', '),
            to: addresses.health(),
          },
        ]),
  ];
  const queries: readonly (readonly [Answer<unknown>, Operation])[] = [
    [approvals, approvalOperations.list],
    [alerts, alertOperations.list],
    [flows, decisionFlowOperations.list],
    ...(maySeeLetters ? [[letters, deadLetterOperations.list] as const] : []),
  ];
  const failed = queries.find(([{ failure }]) => failure !== null);
  const oldest = queries.reduce<number | null>(
    (at, [{ asOf }]) => (asOf === null || at === null ? null : Math.min(at, asOf)),
    Number.POSITIVE_INFINITY,
  );
  if (onlyIfAny && needs.length === 0 && failed === undefined) return null;
  const kinds = [...new Set(needs.map(({ kind }) => kind))];
  return (
    <Section
      title={t.title}
      about={oldest === null ? null : <AsOf at={oldest} stale={queries.some(([{ old }]) => old)} word="checked" />}
      flush
    >
      {failed?.[0].failure ? (
        <div className="p-4">
          <FailurePanel failure={failed[0].failure} operation={failed[1]} retry={failed[0].refresh} />
        </div>
      ) : null}
      {queries.some(([{ loading }]) => loading) ? (
        <div className="p-4" role="status" aria-label={t.waiting}>
          <Skeleton />
        </div>
      ) : needs.length === 0 && failed === undefined ? (
        <p className="p-4 text-soft">{t.nothing}</p>
      ) : (
        <ul className="divide-y divide-line">
          {kinds.flatMap((kind) => {
            const lines = needs.filter((need) => need.kind === kind);
            return [
              ...lines.slice(0, most).map((need) => <NeedLine key={need.key} need={need} />),
              ...(lines.length > most
                ? [
                    <li key={kind} className="px-4 py-2 text-dense text-soft">
                      {t.more(lines.length - most, kind)}
                    </li>,
                  ]
                : []),
            ];
          })}
        </ul>
      )}
    </Section>
  );
}

function NeedLine({ need: { tone, kind, text, detail, to } }: { need: Need }) {
  const inside = (
    <>
      <Badge tone={tone}>{kind}</Badge>
      <span className="min-w-0 flex-1">
        <span className="font-medium break-words">{text}</span>
        <span className="block text-dense text-soft">{detail}</span>
      </span>
    </>
  );
  const look = 'flex flex-wrap items-start gap-3 px-4 py-2';
  return (
    <li>
      {to === null ? (
        <div className={look}>{inside}</div>
      ) : (
        <Link look="plain" to={to} className={`${look} hover:bg-hover`}>
          {inside}
        </Link>
      )}
    </li>
  );
}
