import { decisionListOperations } from '@arbiter/contract/deciding/decision-lists';
import { interactionListOperations } from '@arbiter/contract/deciding/interaction-lists';
import { suppressionOperations } from '@arbiter/contract/deciding/suppressions';
import { ArrowRight, Ban, Eye, MessageSquareReply, Scale } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMemo } from 'react';
import { useList, useOperation } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { useChannelNames } from '../../forms/limits/use-channel-names.ts';
import { customerTexts as t } from '../../messages/customers.ts';
import { addresses } from '../../route/addresses.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Link } from '../../ui/link.tsx';
import { Skeleton } from '../../ui/progress.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { emptyTitle } from './reasons.ts';
import { byDay, type TimelineEntry, type TimelineKind, timelineKinds, timelineOf } from './timeline.ts';

const page = 50;
/** Suppressions until this year have no end. */
const never = '9999';

export interface TimelineTabProps {
  readonly customerId: string;
  /** Hidden entry types, stored in the address. */
  readonly hidden: readonly string[];
  readonly onHide: (hidden: readonly string[]) => void;
}

/** The customer's history, newest first, from decisions, interactions and suppressions. */
export function TimelineTab({ customerId, hidden, onHide }: TimelineTabProps) {
  const format = useFormat();
  const decisions = useList(decisionListOperations.list, { query: { customerId, limit: page } });
  const history = useList(interactionListOperations.history, { query: { customerId, limit: page } });
  const suppressions = useOperation(suppressionOperations.ofCustomer, {
    params: { customerId },
    query: { includeExpired: true },
  });
  const timeline = useMemo(
    () => timelineOf(decisions, history, suppressions.data?.data ?? []),
    [decisions, history, suppressions.data],
  );
  const shown = timeline.entries.filter(({ kind }) => !hidden.includes(kind));
  const loading = decisions.loading || history.loading || suppressions.loading;
  const requests = [
    [decisions, decisionListOperations.list],
    [history, interactionListOperations.history],
    [suppressions, suppressionOperations.ofCustomer],
  ] as const;
  const more = () => {
    // The list that ends at the newest instant limits the others.
    if (!decisions.complete) decisions.loadMore();
    if (!history.complete) history.loadMore();
  };
  const toggle = (kind: TimelineKind) =>
    onHide(hidden.includes(kind) ? hidden.filter((each) => each !== kind) : [...hidden, kind]);
  return (
    <div className="flex flex-col gap-4">
      <fieldset className="flex flex-wrap items-center gap-2">
        <legend className="sr-only">{t.timelineShow}</legend>
        {timelineKinds.map((kind) => (
          <Button key={kind} size="small" aria-pressed={!hidden.includes(kind)} onClick={() => toggle(kind)}>
            <span className={hidden.includes(kind) ? 'line-through text-faint' : ''}>{t.kinds[kind]}</span>
          </Button>
        ))}
      </fieldset>
      {requests.map(([answer, operation]) =>
        answer.failure === null ? null : (
          <FailurePanel key={operation.id} failure={answer.failure} operation={operation} retry={answer.refresh} />
        ),
      )}
      {loading ? (
        <Skeleton className="h-40" />
      ) : timeline.entries.length === 0 ? (
        // Failed lists are reported above; they don't count as empty.
        requests.some(([{ failure }]) => failure !== null) ? null : (
          <Empty level={3} title={t.timelineNone}>
            {t.timelineNoneText}
          </Empty>
        )
      ) : shown.length === 0 ? (
        <Empty level={3} title={t.timelineHidden} actions={<Button onClick={() => onHide([])}>{t.timelineAll}</Button>}>
          {t.timelineHiddenText(timeline.entries.length)}
        </Empty>
      ) : (
        byDay(shown, (at) => format.date(at)).map(({ day, entries }) => (
          <section key={day} className="flex flex-col gap-1">
            <h3 className="text-caption font-medium text-soft">{day}</h3>
            <ol className="divide-y divide-line rounded-card border border-line bg-surface">
              {entries.map((entry) => (
                <li key={`${entry.kind} ${entry.key}`}>
                  <Entry entry={entry} />
                </li>
              ))}
            </ol>
          </section>
        ))
      )}
      <p className="flex flex-wrap items-center gap-3 text-caption text-soft">
        {loading || requests.some(([{ failure }]) => failure !== null) ? null : timeline.since === null ? (
          timeline.entries.length === 0 ? null : (
            t.whole
          )
        ) : (
          <>
            {t.through(format.instant(timeline.since))}
            <Button size="small" onClick={more} disabledReason={decisions.loadingMore ? t.more : null}>
              {t.more}
            </Button>
          </>
        )}
      </p>
    </div>
  );
}

function Entry({ entry }: { readonly entry: TimelineEntry }) {
  if (entry.kind === 'decision') return <DecisionEntry row={entry.row} />;
  if (entry.kind === 'suppression') return <SuppressionEntry row={entry.row} />;
  return <InteractionEntry row={entry.row} kind={entry.kind} />;
}

interface TimelineLineProps {
  readonly at: string;
  readonly icon: ReactNode;
  readonly to?: string | undefined;
  readonly children: ReactNode;
}

/** An entry: time, event, and its decision. */
function Line({ at, icon, to, children }: TimelineLineProps) {
  const format = useFormat();
  const content = (
    <>
      <time dateTime={at} className="w-24 shrink-0 whitespace-nowrap tabular-nums text-soft max-sm:w-full">
        {format.time(at)}
      </time>
      <span aria-hidden className="mt-0.5 shrink-0 text-soft [&>svg]:size-4">
        {icon}
      </span>
      <span className="flex min-w-0 grow flex-wrap items-center gap-x-2 gap-y-1 max-sm:basis-0">{children}</span>
      {to === undefined ? null : <ArrowRight aria-hidden className="mt-0.5 size-4 shrink-0 text-faint" />}
    </>
  );
  const look = 'flex items-start gap-x-3 px-3 py-2 text-dense text-ink max-sm:flex-wrap';
  return to === undefined ? (
    <div className={look}>{content}</div>
  ) : (
    <Link to={to} className={`${look} no-underline hover:bg-hover`}>
      {content}
    </Link>
  );
}

type EntryOf<Kind extends TimelineEntry['kind']> = Extract<TimelineEntry, { readonly kind: Kind }>['row'];

function DecisionEntry({ row }: { readonly row: EntryOf<'decision'> }) {
  const names = useChannelNames();
  return (
    <Line at={row.decidedAt} icon={<Scale />} to={addresses.decision(row.recommendationId)}>
      <span className="font-medium">{t.decided(row.itemCount)}</span>
      {row.emptyReason === null ? null : <Badge tone="block">{emptyTitle(row.emptyReason)}</Badge>}
      <span className="text-soft">
        {[row.channelId === null ? null : names.get(row.channelId), row.flow.key]
          .filter((word) => word !== null && word !== undefined)
          .join(' · ')}
      </span>
    </Line>
  );
}

const tones = { positive: 'pass', negative: 'block', neutral: 'neutral' } as const;

function InteractionEntry({ row, kind }: { readonly row: EntryOf<'contact'>; readonly kind: 'contact' | 'outcome' }) {
  const names = useChannelNames();
  const format = useFormat();
  const channel = row.channelId === null ? undefined : names.get(row.channelId);
  const to = row.recommendationId === null ? undefined : addresses.decision(row.recommendationId);
  // Creatives are often named after their offer, which is shown already.
  const creative = row.creative?.name.startsWith(row.offer?.name ?? ' ') ? null : row.creative?.name;
  return (
    <Line at={row.timestamp} icon={kind === 'contact' ? <Eye /> : <MessageSquareReply />} to={to}>
      {kind === 'contact' ? (
        <span className="font-medium">{row.interactionType === 'impression' ? t.seen : t.reserved}</span>
      ) : (
        <Badge tone={tones[row.classification]}>{t.answered(row.outcomeTypeKey ?? '')}</Badge>
      )}
      <span>{row.offer?.name}</span>
      {row.conversionValue === null ? null : <span className="tabular-nums">{format.money(row.conversionValue)}</span>}
      <span className="min-w-0 wrap-anywhere text-soft">{[channel, creative].filter(Boolean).join(' · ')}</span>
    </Line>
  );
}

function SuppressionEntry({ row }: { readonly row: EntryOf<'suppression'> }) {
  const format = useFormat();
  const what =
    row.scope === 'offer'
      ? (row.offerName ?? t.suppressedAll)
      : row.scope === 'category'
        ? t.suppressedCategory
        : t.suppressedAll;
  return (
    <Line at={row.createdAt} icon={<Ban />}>
      <span className="font-medium">{t.suppressed(what)}</span>
      <span>{t.suppressionReason(row.reason)}</span>
      <span className="text-soft">
        {row.expiresAt.startsWith(never) ? t.forEver : t.until(format.instant(row.expiresAt))}
      </span>
    </Line>
  );
}
