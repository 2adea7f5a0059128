import { backtestOperations } from '@arbiter/contract/judging/backtests';
import { type StudySummary, studyKinds, studyOperations } from '@arbiter/contract/judging/studies';
import { Plus } from 'lucide-react';
import { useMemo } from 'react';
import { useList } from '../../data/use-operation.ts';
import { FormLink } from '../../forms/editing/record-links.tsx';
import { ListTable } from '../../forms/list-table.tsx';
import { ListTools, ViewLinks } from '../../forms/list-tools.tsx';
import { useListLook } from '../../forms/use-list-look.ts';
import { studyTexts as t } from '../../messages/judging/studies.ts';
import { listTexts } from '../../messages/lists/lists.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import type { Column } from '../../ui/table/table-column.ts';
import { isOpen, StudyStatus } from './study-status.tsx';
import { useFlowNames } from './use-flow-names.ts';

/** Interval at which a list with running studies refreshes, in milliseconds. */
const refreshMs = 5_000;

function Started({ at }: { readonly at: string }) {
  const format = useFormat();
  return (
    <time dateTime={at} title={format.instant(at)} className="text-soft">
      {format.moment(at)}
    </time>
  );
}

const columnsOf = (names: ReadonlyMap<string, string>): readonly Column<StudySummary>[] => [
  {
    key: 'kind',
    header: t.kind,
    cell: ({ kind }) => <span className="font-medium">{t.kinds[kind]}</span>,
    text: ({ kind }) => t.kinds[kind],
    sortBy: ({ kind }) => t.kinds[kind],
    width: 140,
  },
  {
    key: 'status',
    header: t.status,
    cell: ({ status }) => <StudyStatus status={status} />,
    text: ({ status }) => t.statuses[status],
    sortBy: ({ status }) => t.statuses[status],
    corner: true,
    width: 120,
    grow: 0,
  },
  {
    key: 'flow',
    header: t.flow,
    cell: ({ flowId }) => names.get(flowId) ?? t.deletedFlow,
    text: ({ flowId }) => names.get(flowId) ?? t.deletedFlow,
    sortBy: ({ flowId }) => names.get(flowId) ?? t.deletedFlow,
    width: 240,
    grow: 2,
  },
  {
    key: 'started',
    header: t.started,
    cell: ({ createdAt }) => <Started at={createdAt} />,
    text: ({ createdAt }) => createdAt,
    sortBy: ({ createdAt }) => createdAt,
    width: 155,
    grow: 0,
  },
];

/** Studies of the last 90 days, newest first. */
export function StudyList() {
  const [search, change] = useSearch(studyOperations.list.query);
  const { kind, flowId } = search;
  const { flows, names } = useFlowNames();
  const input = { query: { limit: 100, ...search } };
  const first = useList(studyOperations.list, input);
  const list = useList(studyOperations.list, input, {
    everyMs: first.rows.some(({ status }) => isOpen(status)) && refreshMs,
  });
  const columns = useMemo(() => columnsOf(names), [names]);
  const look = useListLook(studyOperations.list.id, columns, { defaultDensity: 'comfortable' });
  const isFiltered = kind !== undefined || flowId !== undefined;
  const clear = () => change({ kind: undefined, flowId: undefined });
  const create = <NewStudyLink />;
  return (
    <Page title={t.studies} lead={t.lead} actions={create}>
      <div className="flex min-w-0 flex-col gap-3">
        <div className="flex flex-wrap items-end gap-2" data-print="none">
          <SelectField
            label={t.kind}
            labelHidden
            placeholder={t.anyKind}
            options={studyKinds.map((value) => ({ value, label: t.kinds[value] }))}
            value={kind ?? ''}
            onChange={({ target }) => change({ kind: studyKinds.find((one) => one === target.value) })}
          />
          <SelectField
            label={t.flow}
            labelHidden
            placeholder={t.anyFlow}
            options={flows.map(({ id, name }) => ({ value: id, label: name }))}
            value={flowId ?? ''}
            onChange={({ target }) => change({ flowId: target.value || undefined })}
          />
          {isFiltered ? (
            <Button kind="quiet" onClick={clear}>
              {listTexts.clear}
            </Button>
          ) : null}
          <ListTools look={look} title={t.studies} list={list} further={{ id: ({ id }) => id }} />
        </div>
        <ViewLinks look={look} />
        <ListTable
          list={list}
          operation={studyOperations.list}
          label={t.studies}
          columns={look.columns}
          sort={look.sort}
          onSort={look.onSort}
          rowKey={({ id }) => id}
          rowTo={({ id }) => addresses.study(id)}
          density={look.defaultDensity}
          filtered={isFiltered}
          empty={
            <Empty title={t.empty} actions={create}>
              {t.emptyText}
            </Empty>
          }
          filteredEmpty={<Empty title={t.noneMatch} actions={<Button onClick={clear}>{listTexts.clear}</Button>} />}
        />
      </div>
    </Page>
  );
}

/** Opens the form of a new study; the key `c` does too. */
const NewStudyLink = () => (
  <FormLink
    operation={backtestOperations.start}
    keys="c"
    to={addresses.newStudy()}
    title={t.create}
    icon={<Plus aria-hidden className="size-4" />}
    kind="primary"
  />
);
