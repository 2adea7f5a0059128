import type { Warning } from '@arbiter/contract/core/warnings';
import type { Operation } from '@arbiter/contract/operation';
import { Scale } from 'lucide-react';
import type { ReactNode } from 'react';
import { codeOf } from '../data/failure.ts';
import type { Answer } from '../data/use-operation.ts';
import { listToolTexts } from '../messages/lists/list-tools.ts';
import { listTexts as t } from '../messages/lists/lists.ts';
import { recordKindTitles } from '../messages/saved-records.ts';
import type { RecordKind } from '../route/record-address.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Id } from '../ui/copy.tsx';
import type { Fact } from '../ui/facts.tsx';
import type { Format } from '../ui/format.ts';
import { useLinks } from '../ui/link.tsx';
import { Page, type PageProps } from '../ui/page.tsx';
import { ProblemPanel } from '../ui/problem.tsx';
import { useFormat } from '../ui/provider.tsx';
import { Loaded } from './loaded.tsx';
import { DeletedPin, RecordPin } from './record-pin.tsx';
import { StatusBadge } from './status-badge.tsx';

/** What the head of the page shows of a record of any kind. */
interface Named {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly status?: string;
  readonly deletedAt?: string | null;
  readonly warnings?: readonly Warning[];
}

export interface RecordPageProps<Body extends Named> extends Pick<PageProps, 'parents' | 'actions'> {
  readonly answer: Answer<Body>;
  /** What was asked, for the advice on a failure. */
  readonly operation: Operation;
  /** What the record is. Its word is the heading until its name is known. */
  readonly kind: RecordKind;
  /** What the address names: the record that was asked for, whether it is there or not. */
  readonly id: string;
  /** The name that people know it by, where that is another than `name`. */
  readonly nameOf?: (body: Body) => string;
  /** Further badges behind its status. */
  readonly badges?: (body: Body) => ReactNode;
  /** What stands for the id; the key, where people name the record by it. */
  readonly idOf?: (body: Body) => ReactNode;
  /** The sentence below the heading; the description where it is left out. */
  readonly lead?: (body: Body) => string;
  /** How to fix what the warnings say: buttons or links. */
  readonly fixes?: (body: Body) => ReactNode;
  readonly children: (body: Body) => ReactNode;
}

/** One record, read: where it hangs, its name, status and id, then what `children` make of it, in each state of the answer. */
export function RecordPage<Body extends Named>(props: RecordPageProps<Body>) {
  const { answer, operation, kind, id, nameOf, badges, idOf, lead, fixes, children, ...page } = props;
  const body = answer.data;
  const word = recordKindTitles[kind];
  const name = body === undefined ? null : (nameOf?.(body) ?? body.name);
  // Some records are shown when they are deleted; there is nothing to come back to all the same.
  const isDeleted = codeOf(answer.failure) === 'not_found' || (body?.deletedAt ?? null) !== null;
  return (
    <Page
      {...page}
      // What is not here can do nothing.
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
          </>
        )
      }
      lead={body === undefined ? undefined : (lead?.(body) ?? body.description) || undefined}
    >
      {isDeleted ? <DeletedPin kind={kind} id={body?.id ?? id} /> : null}
      {body?.deletedAt == null ? null : <Deleted kind={word} at={body.deletedAt} />}
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
      <Loaded answer={answer} operation={operation} instead={page.parents?.[0]}>
        {children}
      </Loaded>
    </Page>
  );
}

/** The way from a record to the decisions in which it plays a part: the same button on every page. */
export function DecisionsLink({ to, children }: { readonly to: string; readonly children: string }) {
  return (
    <ButtonLink
      to={to}
      icon={<Scale aria-hidden className="size-4 shrink-0" />}
      // Long words take a second line on a small screen.
      className="max-sm:h-auto max-sm:min-h-8 max-sm:shrink max-sm:py-1 max-sm:text-start max-sm:whitespace-normal"
    >
      {children}
    </ButtonLink>
  );
}

/** The reference of one call, for changes that have no form here yet. */
export function ApiLink({ operation, children }: { readonly operation: Operation; readonly children: string }) {
  const links = useLinks();
  return (
    <a
      href={`${links.href('/api/docs')}#${operation.id}`}
      target="_blank"
      rel="noopener"
      className="inline-flex h-8 items-center rounded-control border border-line-strong bg-surface px-3 font-medium hover:bg-hover"
    >
      {children}
    </a>
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

/** The last lines of the facts of every record: its version, and when that was made. */
export function versionFacts(
  { version, updatedAt }: { readonly version: number; readonly updatedAt: string },
  format: Format,
): readonly Fact[] {
  return [
    { label: t.version, value: version },
    { label: t.changed, value: format.instant(updatedAt) },
  ];
}
