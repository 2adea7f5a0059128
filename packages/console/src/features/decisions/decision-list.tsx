import { decisionListOperations } from '@arbiter/contract/deciding/decision-lists';
import { decisionOperations } from '@arbiter/contract/deciding/decisions';
import { Radio } from 'lucide-react';
import { useMemo } from 'react';
import { boot } from '../../data/boot.ts';
import { useList } from '../../data/use-operation.ts';
import { ListTable } from '../../forms/list-table.tsx';
import { ListTools, ViewLinks } from '../../forms/list-tools.tsx';
import { peekGrid } from '../../forms/peek.ts';
import { useListLook } from '../../forms/use-list-look.ts';
import { decisionTexts as t } from '../../messages/decisions.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { useChannels } from './calls.ts';
import { decisionColumns, type ListedDecision, listedTrace } from './decision-columns.tsx';
import { DecisionFilters } from './decision-filters.tsx';
import { DecisionPeek } from './decision-peek.tsx';
import { asksTraces, chipsOf, DecisionSearch, decisionQuery } from './filters.ts';
import { useTraceList } from './use-trace-list.ts';

/** Polling interval of the live tail, in milliseconds. */
const tailMs = 3_000;

/** Size of the first page: more than a window shows, so that the second loads only on scroll. */
const firstRows = 50;

/** Every decision, newest first, with filters in the address. */
export function DecisionList() {
  const [search, change] = useSearch(DecisionSearch);
  const { channels, nameOf } = useChannels();
  const byTraces = asksTraces(search);
  const everyMs = search.live ? tailMs : false;
  const query = useMemo(() => ({ ...decisionQuery(search), limit: firstRows }), [search]);
  const records = useList(decisionListOperations.list, { query }, { enabled: !byTraces, everyMs });
  const traces = useTraceList(search, byTraces, everyMs);
  const shown = byTraces ? traces : records;
  const rows = useMemo(
    (): readonly ListedDecision[] =>
      byTraces
        ? traces.rows.map(listedTrace)
        : records.rows.map((row) => ({ ...row, topOffer: row.topOffer?.offerName ?? null })),
    [byTraces, traces.rows, records.rows],
  );
  const columns = useMemo(() => decisionColumns(nameOf), [nameOf]);
  const look = useListLook(decisionListOperations.list.id, columns);
  const list = { ...shown, rows };
  const filtered = chipsOf(search).length > 0;
  const block = boot();
  const isTracesOff = block.authenticated && !block.settings.decisionTraceEnabled;
  const clear = () => {
    change(Object.fromEntries(chipsOf(search).map(({ name }) => [name, undefined])), { push: true });
  };
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
      <DecisionFilters
        search={search}
        change={change}
        channels={channels}
        tools={
          <ListTools
            look={look}
            title={t.decisions}
            list={list}
            further={{ id: ({ recommendationId }) => recommendationId }}
          />
        }
      />
      <ViewLinks look={look} />
      {byTraces ? <p className="text-dense text-soft">{isTracesOff ? t.noTraces : t.tracesOnly}</p> : null}
      <div className={peekGrid}>
        <ListTable
          list={list}
          operation={byTraces ? decisionOperations.listTraces : decisionListOperations.list}
          label={t.decisions}
          columns={look.columns}
          sort={look.sort}
          onSort={look.onSort}
          density={look.usualDensity}
          rowKey={(row) => row.recommendationId}
          rowTo={(row) => addresses.decision(row.recommendationId)}
          onPeek={(row) => change({ peek: row.recommendationId })}
          filtered={filtered}
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
        {search.peek === undefined ? null : (
          <DecisionPeek key={search.peek} id={search.peek} onClose={() => change({ peek: undefined })} />
        )}
      </div>
    </Page>
  );
}
