import { type Approval, approvalOperations } from '@arbiter/contract/operations/approvals';
import { useState } from 'react';
import Type from 'typebox';
import { boot, roleOf } from '../../data/boot.ts';
import { useOperation } from '../../data/use-operation.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { approvalTexts as t } from '../../messages/approvals.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import { useKeys } from '../../route/use-keys.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ApprovalPanel } from './approval-panel.tsx';
import { ApproveMany } from './approve-many.tsx';
import { areAlike, type InboxTab, inboxTabs, type Reviewer, requestsOf, rivalsOf, whyNotDecide } from './inbox.ts';
import { RequestList, type RequestSelection } from './request-list.tsx';

const Search = Type.Object({ tab: Type.Optional(Type.String()), request: Type.Optional(Type.String()) });

function reviewerNow(): Reviewer {
  const block = boot();
  const principal = block.authenticated ? block.session.principal : undefined;
  const userId = principal?.userId ?? principal?.id ?? '';
  const fourEyes = block.authenticated && block.settings.fourEyesEnabled;
  return { userId, role: roleOf(block) ?? 'viewer', fourEyes };
}

/** The inbox: requests that wait for the user, their own, and those that are decided. */
export function ApprovalsPage() {
  const [search, change] = useSearch(Search);
  const answer = useOperation(approvalOperations.list, { query: { status: 'all', limit: 200 } }, { everyMs: 30_000 });
  const all = answer.data ?? [];
  const reviewer = reviewerNow();
  const tab = inboxTabs.find((each) => each === search.tab) ?? 'waiting';
  const rows = requestsOf(tab, all, reviewer);
  const chosen = all.find(({ id }) => id === search.request) ?? rows[0];
  const selection = useSelection(rows, chosen, reviewer);
  const move = (by: number) => {
    const at = rows.findIndex(({ id }) => id === chosen?.id);
    const next = rows[at + by];
    if (next !== undefined) change({ request: next.id });
  };
  useKeys([
    { keys: 'j', title: t.next, run: () => move(1) },
    { keys: 'k', title: t.previous, run: () => move(-1) },
    {
      keys: 'x',
      title: t.select,
      run: () => {
        if (chosen !== undefined && selection.reasonFor(chosen) === null) selection.toggle(chosen.id);
      },
    },
  ]);
  const content = (
    <Loaded answer={answer} operation={approvalOperations.list}>
      {() => (
        <Inbox
          {...{ tab, all, rows, chosen, selection, reviewer }}
          isLink={search.request !== undefined}
          onChoose={(request) => change({ request })}
        />
      )}
    </Loaded>
  );
  return (
    <Page
      title={t.title}
      lead={
        <>
          {t.lead} <span className="max-md:hidden">{t.keys}</span>
        </>
      }
    >
      <Tabs
        label={t.tabs}
        value={tab}
        onChange={(key) => change({ tab: key, request: undefined }, { push: true })}
        tabs={inboxTabs.map((key) => ({
          ...{ key, label: t[key], content: key === tab ? content : null },
          count: answer.data === undefined ? undefined : requestsOf(key, all, reviewer).length,
        }))}
      />
    </Page>
  );
}

interface InboxProps {
  readonly tab: InboxTab;
  readonly all: readonly Approval[];
  readonly rows: readonly Approval[];
  readonly chosen: Approval | undefined;
  readonly selection: RequestSelection;
  readonly reviewer: Reviewer;
  /** True: the address names a request. */
  readonly isLink: boolean;
  readonly onChoose: (id: string | undefined) => void;
}

/** The requests of a tab next to the chosen one. */
function Inbox({ tab, all, rows, chosen, selection, reviewer, isLink, onChoose }: InboxProps) {
  const own = requestsOf('mine', all, reviewer).filter(({ status }) => status === 'pending').length;
  if (rows.length === 0 && !isLink) {
    return (
      <Empty
        title={t.none[tab].title}
        actions={
          tab !== 'waiting' || own === 0 ? null : (
            <ButtonLink to={addresses.approvals({ tab: 'mine' })}>{t.seeOwn(own)}</ButtonLink>
          )
        }
      >
        {t.none[tab].text}
      </Empty>
    );
  }
  const panel =
    chosen === undefined ? (
      <p className="text-soft">{t.choose}</p>
    ) : (
      <ApprovalPanel
        key={chosen.id}
        request={chosen}
        rivals={rivalsOf(chosen, all)}
        {...{ reviewer, onChoose }}
        onDecided={() => onChoose(undefined)}
      />
    );
  // A link to a request that no tab lists.
  if (rows.length === 0) return panel;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(16rem,2fr)_minmax(0,3fr)]">
      <div className="flex min-w-0 flex-col gap-3">
        <ApproveMany requests={selection.requests} onDone={selection.set} onClear={() => selection.set([])} />
        <RequestList {...{ rows, selection, onChoose }} chosen={chosen?.id ?? null} isSelectable={tab === 'waiting'} />
      </div>
      {panel}
    </div>
  );
}

/** Selected requests. All are of one kind, and each was opened before. */
function useSelection(rows: readonly Approval[], chosen: Approval | undefined, reviewer: Reviewer): RequestSelection {
  const [ids, setIds] = useState<readonly string[]>([]);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  if (chosen !== undefined && !opened.has(chosen.id)) setOpened(new Set([...opened, chosen.id]));
  const requests = rows.filter((row) => ids.includes(row.id) && whyNotDecide(row, reviewer) === null);
  const [first] = requests;
  return {
    requests,
    has: (id) => requests.some((each) => each.id === id),
    set: setIds,
    toggle: (id) => setIds(ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id]),
    reasonFor: (request) => {
      if (!opened.has(request.id)) return t.openFirst;
      return first === undefined || areAlike(first, request) ? null : t.oneKind;
    },
  };
}
