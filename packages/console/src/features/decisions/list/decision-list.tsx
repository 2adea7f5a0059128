import { decisionListOperations } from '@arbiter/contract/deciding/decision-lists';
import { decisionOperations } from '@arbiter/contract/deciding/decisions';
import { Radio } from 'lucide-react';
import { useMemo } from 'react';
import { boot } from '../../../data/boot.ts';
import { type ListAnswer, useList } from '../../../data/use-operation.ts';
import { ListTable } from '../../../forms/list-table.tsx';
import { ListTools, ViewLinks } from '../../../forms/list-tools.tsx';
import { peekGrid } from '../../../forms/peek.ts';
import { type ListLook, useListLook } from '../../../forms/use-list-look.ts';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { addresses } from '../../../route/addresses.ts';
import { type SearchChange, useSearch } from '../../../route/use-address.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Page } from '../../../ui/page.tsx';
import { useChannels } from '../calls.ts';
import { decisionColumns, type ListedDecision, listedTrace } from './decision-columns.tsx';
import { DecisionFilters } from './decision-filters.tsx';
import { DecisionPeek } from './decision-peek.tsx';
import { asksTraces, chipsOf, DecisionSearch, decisionQuery } from './filters.ts';
import { useTraceList } from './use-trace-list.ts';

/** Polling interval of the live tail, in milliseconds. */
const tailMs = 3_000;

/** Size of the first page: more than a window shows, so that the second loads only on scroll. */
const firstRows = 50;

/** Loads the decisions of a search: from records, or from traces for filters that only traces answer. */
function useDecisionRows(search: DecisionSearch): ListAnswer<ListedDecision> {
  const byTraces = asksTraces(search);
  const everyMs = search.live ? tailMs : false;
  const query = useMemo(() => ({ ...decisionQuery(search), limit: firstRows }), [search]);
  const records = useList(decisionListOperations.list, { query }, { enabled: !byTraces, everyMs });
  const traces = useTraceList(search, byTraces, everyMs);
  const rows = useMemo(
    (): readonly ListedDecision[] =>
      byTraces
        ? traces.rows.map(listedTrace)
        : records.rows.map((row) => ({ ...row, topOffer: row.topOffer?.offerName ?? null })),
    [byTraces, traces.rows, records.rows],
  );
  return { ...(byTraces ? traces : records), rows };
}

/** Every decision, newest first, with filters in the address. */
export function DecisionList() {
  const [search, change] = useSearch(DecisionSearch);
  const { channels, nameOf } = useChannels();
  const list = useDecisionRows(search);
  const columns = useMemo(() => decisionColumns(nameOf), [nameOf]);
  const look = useListLook(decisionListOperations.list.id, columns);
  const tools = (
    <ListTools
      look={look}
      title={t.decisions}
      list={list}
      further={{ id: ({ recommendationId }) => recommendationId }}
    />
  );
  return (
    <Page
      title={t.decisions}
      lead={t.listLead}
      actions={
        <Button
          aria-pressed={search.live === true}
          kind={search.live ? 'primary' : 'plain'}
          title={t.liveOn}
          icon={<Radio aria-hidden className="size-4" />}
          onClick={() => change({ live: search.live ? undefined : true })}
        >
          {t.live}
        </Button>
      }
    >
      <DecisionFilters search={search} change={change} channels={channels} tools={tools} />
      <ViewLinks look={look} />
      {asksTraces(search) ? <TracesOnly /> : null}
      <div className={peekGrid}>
        <DecisionTable {...{ list, look, search, change }} />
        {search.peek === undefined ? null : (
          <DecisionPeek key={search.peek} id={search.peek} onClose={() => change({ peek: undefined })} />
        )}
      </div>
    </Page>
  );
}

/** Says that the filters search stored traces only. */
function TracesOnly() {
  const block = boot();
  const isOff = block.authenticated && !block.settings.decisionTraceEnabled;
  return <p className="text-dense text-soft">{isOff ? t.noTraces : t.tracesOnly}</p>;
}

interface DecisionTableProps {
  readonly list: ListAnswer<ListedDecision>;
  readonly look: ListLook<ListedDecision>;
  readonly search: DecisionSearch;
  readonly change: (change: SearchChange<DecisionSearch>, how?: { readonly push: boolean }) => void;
}

function DecisionTable({ list, look, search, change }: DecisionTableProps) {
  const chips = chipsOf(search);
  const clear = () => change(Object.fromEntries(chips.map(({ name }) => [name, undefined])), { push: true });
  return (
    <ListTable
      list={list}
      operation={asksTraces(search) ? decisionOperations.listTraces : decisionListOperations.list}
      label={t.decisions}
      columns={look.columns}
      sort={look.sort}
      onSort={look.onSort}
      density={look.defaultDensity}
      rowKey={(row) => row.recommendationId}
      rowTo={(row) => addresses.decision(row.recommendationId)}
      onPeek={(row) => change({ peek: row.recommendationId })}
      filtered={chips.length > 0}
      maxHeight="max(24rem, calc(100dvh - 18rem))"
      empty={
        <Empty
          title={t.noneTitle}
          actions={
            <ButtonLink kind="primary" to={addresses.simulate()}>
              {t.simulateOne}
            </ButtonLink>
          }
        >
          {t.none}
        </Empty>
      }
      filteredEmpty={
        <Empty title={t.noneFilteredTitle} actions={<Button onClick={clear}>{t.clearFilters}</Button>}>
          {t.noneFiltered}
        </Empty>
      }
    />
  );
}
