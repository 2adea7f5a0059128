import type { Operation } from '@arbiter/contract/core/operation';
import type { Warning } from '@arbiter/contract/core/warnings';
import { Scale } from 'lucide-react';
import type { ReactNode } from 'react';
import { boot } from '../data/boot.ts';
import { can } from '../data/can.ts';
import { codeOf } from '../data/failure.ts';
import type { Answer } from '../data/use-operation.ts';
import { listToolTexts } from '../messages/lists/list-tools.ts';
import { listTexts as t } from '../messages/lists/lists.ts';
import { type RecordKind, recordKinds } from '../records/record-kinds.ts';
import { addresses } from '../route/addresses.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Id } from '../ui/copy.tsx';
import type { Fact } from '../ui/facts.tsx';
import type { Format } from '../ui/format.ts';
import { later } from '../ui/later.tsx';
import { Link } from '../ui/link.tsx';
import { Page, type PageProps } from '../ui/page.tsx';
import { ProblemPanel } from '../ui/problem.tsx';
import { useFormat } from '../ui/provider.tsx';
import { Loaded } from './loaded.tsx';
import { DeletedPin, RecordPin } from './record-pin.tsx';
import { StatusBadge } from './status-badge.tsx';

/** What the header shows of a record of any type. */
export interface ShownRecord {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly status?: string;
  readonly deletedAt?: string | null;
  readonly warnings?: readonly Warning[];
}

export interface RecordPageProps<Body extends ShownRecord> extends Pick<PageProps, 'parents' | 'actions'> {
  readonly answer: Answer<Body>;
  /** The operation that loads it, for advice after a failure. */
  readonly operation: Operation;
  /** The record type. Its title is the heading until the name is loaded. */
  readonly kind: RecordKind;
  /** The ID in the address, whether or not the record exists. */
  readonly id: string;
  /** The name to show, if it isn't `name`. */
  readonly nameOf?: (body: Body) => string;
  /** Badges after the status. */
  readonly badges?: (body: Body) => ReactNode;
  /** Shown in place of the ID: the key, for records known by it. */
  readonly idOf?: (body: Body) => ReactNode;
  /** Text below the heading; the description if undefined. */
  readonly lead?: (body: Body) => string;
  /** Buttons or links that fix the warnings. */
  readonly fixes?: (body: Body) => ReactNode;
  readonly children: (body: Body) => ReactNode;
}

// Its contract includes ten record types.
const PendingRequests = later(() => import('./editing/pending-requests.tsx').then((module) => module.PendingRequests));

/** Whether the tenant wants approvals. */
const hasApprovals = (): boolean => {
  const block = boot();
  return block.authenticated && block.settings.approvalWorkflowEnabled;
};

/** What reading the audit log takes. */
const auditLog = { role: 'admin', auth: 'credential' } as const;

/** The page of a record in every state: parents, name, status and ID, then `children`. */
export function RecordPage<Body extends ShownRecord>(props: RecordPageProps<Body>) {
  const { answer, operation, kind, id, nameOf, badges, idOf, lead, fixes, children, ...page } = props;
  const body = answer.data;
  const { titles, path } = recordKinds[kind];
  const word = titles.one;
  const parents = page.parents ?? [{ title: titles.many, to: path }];
  const name = body === undefined ? null : (nameOf?.(body) ?? body.name);
  // Some deleted records can still be read, but not pinned.
  const isDeleted = codeOf(answer.failure) === 'not_found' || (body?.deletedAt ?? null) !== null;
  return (
    <Page
      {...page}
      parents={parents}
      // A missing record has no actions.
      actions={body === undefined && answer.failure !== null ? null : page.actions}
      title={name ?? word}
      about={
        body === undefined ? null : (
          <>
            {isDeleted ? null : <RecordPin kind={kind} id={body.id} name={name} />}
            {body.status === undefined ? null : (
              <StatusBadge status={body.status} deleted={(body.deletedAt ?? null) !== null} />
            )}
            {badges?.(body)}
            {idOf?.(body) ?? <Id id={body.id} what={t.idOf(word)} />}
            {kind !== 'customer' && can(auditLog).allowed ? (
              <Link to={addresses.audit({ entityType: kind, entityId: body.id })}>{t.history}</Link>
            ) : null}
          </>
        )
      }
      lead={body === undefined ? undefined : (lead?.(body) ?? body.description) || undefined}
    >
      {isDeleted ? <DeletedPin kind={kind} id={body?.id ?? id} /> : null}
      {body?.deletedAt == null ? null : <Deleted kind={word} at={body.deletedAt} />}
      {hasApprovals() && !isDeleted ? <PendingRequests entityType={kind} id={body?.id ?? id} /> : null}
      {body === undefined || body.warnings === undefined ? null : (
        <ProblemPanel
          tone="warn"
          title={t.warnings(body.warnings.length)}
          details={body.warnings.map(({ path, message, suggestion }) => ({
            label: path === '' ? word : path.slice(1).replaceAll('/', '.'),
            message: suggestion === null ? message : `${message} ${suggestion}`,
          }))}
          actions={fixes?.(body)}
        />
      )}
      <Loaded answer={answer} operation={operation} instead={parents[0]}>
        {children}
      </Loaded>
    </Page>
  );
}

/** Link from a record to the decisions that involve it. */
export function DecisionsLink({ to, children }: { readonly to: string; readonly children: string }) {
  return (
    <ButtonLink to={to} wraps icon={<Scale aria-hidden className="size-4 shrink-0" />}>
      {children}
    </ButtonLink>
  );
}

function Deleted({ kind, at }: { readonly kind: string; readonly at: string }) {
  const format = useFormat();
  return (
    <ProblemPanel tone="warn" title={listToolTexts.deletedOn(kind, format.instant(at))}>
      {listToolTexts.deletedText}
    </ProblemPanel>
  );
}

/** The last facts of every record: its version, and when it changed. */
export function versionFacts(
  { version, updatedAt }: { readonly version: number; readonly updatedAt: string },
  format: Format,
): readonly Fact[] {
  return [
    { label: t.version, value: version },
    { label: t.changed, value: format.instant(updatedAt) },
  ];
}
