import type { Operation } from '@arbiter/contract/core/operation';
import { type ReactNode, useMemo, useState } from 'react';
import type { TObject } from 'typebox';
import { usePendingDeletions } from '../data/pending-deletions.ts';
import { type ListAnswer, type RowOf, useList } from '../data/use-operation.ts';
import { listToolTexts } from '../messages/lists/list-tools.ts';
import { listTexts as t } from '../messages/lists/lists.ts';
import { type RecordKind, recordKinds } from '../records/record-kinds.ts';
import { ListAddress } from '../route/list-address.ts';
import { useSearch } from '../route/use-address.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { later } from '../ui/later.tsx';
import { Page, type PageProps } from '../ui/page.tsx';
import type { Column } from '../ui/table/table-column.ts';
import type { BulkChanges } from './bulk/bulk-fields.ts';
import { type Choice, cleared, type Filters, filterNames, ListFilters } from './list-filters.tsx';
import { ListTable } from './list-table.tsx';
import { ListTools, ViewLinks } from './list-tools.tsx';
import { lookAt, peekGrid } from './peek.ts';
import { useListLook } from './use-list-look.ts';

const BulkBar = later(() => import('./bulk/bulk-bar.tsx').then((module) => module.BulkBar));
const RowPeek = later(() => import('./row-peek.tsx').then((module) => module.RowPeek));

/** What every record of a list has. */
interface ListedRecord {
  readonly id: string;
  readonly deletedAt?: string | null;
}

interface RecordListPageProps<Row> extends Pick<PageProps, 'parents' | 'lead' | 'actions'> {
  readonly list: ListAnswer<Row>;
  /** The operation of the list, for advice after a failure. */
  readonly operation: Operation;
  /** What the rows are, in the plural: title of the page and name of the table. */
  readonly title: string;
  readonly kind: RecordKind;
  readonly columns: readonly Column<Row>[];
  /** Address of a record. */
  readonly rowTo: (id: string) => string;
  /** Filters from the address, and what changes them. */
  readonly filters: Filters;
  readonly onFilter: (change: Filters) => void;
  readonly choices: readonly Choice[];
  /** Loads the columns for a file, if their values need further calls: names of linked records. */
  readonly fileColumns?: ((rows: readonly Row[]) => Promise<readonly Column<Row>[]>) | undefined;
  /** Shown above the filters. */
  readonly notice?: ReactNode;
  /** Bulk changes; undefined: none. */
  readonly bulk?: BulkChanges | undefined;
  /** Shown without rows and filters: what will appear, and how to get it. */
  readonly empty: { readonly title: string; readonly text: string; readonly next: ReactNode };
}

type Own = 'list' | 'operation' | 'kind' | 'title' | 'rowTo' | 'filters' | 'onFilter' | 'choices';

export interface RecordListProps<List extends Operation>
  extends Omit<RecordListPageProps<RowOf<List> & ListedRecord>, Own> {
  readonly kind: RecordKind;
  readonly operation: List;
  /** Filters with fixed options. */
  readonly choices?: RecordListPageProps<ListedRecord>['choices'];
}

/** The list page of a record type: all it needs besides are columns, filters and texts. */
export function RecordList<const List extends Operation>(props: RecordListProps<List>) {
  const { kind, operation, choices = [], ...parts } = props;
  const { titles, record } = recordKinds[kind];
  const [search, change] = useSearch(operation.query as TObject);
  const input: object = { query: { limit: 100, ...search } };
  const answer = useList(operation, input as Parameters<typeof useList<List>>[1]) as ListAnswer<
    RowOf<List> & ListedRecord
  >;
  const deletions = usePendingDeletions();
  const rows = useMemo(() => answer.rows.filter(({ id }) => !deletions.has(id)), [answer.rows, deletions]);
  return (
    <RecordListPage
      {...parts}
      list={deletions.size === 0 ? answer : { ...answer, rows }}
      operation={operation}
      title={titles.many}
      kind={kind}
      rowTo={record}
      filters={search}
      onFilter={change}
      choices={choices}
    />
  );
}

/** Filters from the address, the rows in every state, and a preview. */
function RecordListPage<Row extends ListedRecord>(props: RecordListPageProps<Row>) {
  const { list, operation, title, kind, columns, rowTo, filters, onFilter } = props;
  const { choices, fileColumns, notice, bulk, empty, parents, lead, actions } = props;
  const [selected, setSelected] = useState<ReadonlySet<string>>(nothing);
  const look = useListLook(operation.id, columns, { defaultDensity: 'comfortable' });
  const [{ peek }, changePlace] = useSearch(ListAddress);
  const clear = () => onFilter(cleared(filters));
  const { softDelete = false, readsDeleted = false } = operation.resource ?? {};
  const withDeleted = softDelete && filters.includeDeleted === true;
  const pageOf = ({ id, deletedAt }: ListedRecord) =>
    (deletedAt ?? null) !== null && !readsDeleted ? null : rowTo(id);
  const peeked = peek === undefined ? undefined : list.rows.find(({ id }) => id === peek);
  return (
    <Page {...{ parents, lead, actions, title }}>
      <div className="flex min-w-0 flex-col gap-3">
        {notice}
        <ListFilters {...{ title, filters, choices, onFilter }} hasDeleted={softDelete}>
          <ListTools
            look={look}
            title={title}
            list={list}
            fileColumns={fileColumns}
            further={withDeleted ? { deletedAt: ({ deletedAt }) => deletedAt, id: idOf } : { id: idOf }}
          />
        </ListFilters>
        <ViewLinks look={look} />
        <SelectedRows {...{ kind, bulk, selected }} rows={list.rows} onSelect={setSelected} />
        <div className={peekGrid}>
          <ListTable
            list={list}
            operation={operation}
            label={title}
            columns={look.columns}
            rowKey={idOf}
            rowTo={pageOf}
            {...(bulk === undefined ? {} : { selection: { selected, onChange: setSelected } })}
            onPeek={({ id }) => changePlace({ peek: id })}
            sort={look.sort}
            onSort={look.onSort}
            density={look.defaultDensity}
            maxHeight="max(24rem, calc(100dvh - 18rem))"
            scope={JSON.stringify(filters)}
            filtered={filterNames(filters).length > 0}
            empty={
              <Empty title={empty.title} actions={empty.next}>
                {empty.text}
              </Empty>
            }
            filteredEmpty={<Empty title={t.noneMatch(title)} actions={<Button onClick={clear}>{t.clear}</Button>} />}
            partial={list.restarted ? t.restarted : undefined}
            foot={withDeleted && !readsDeleted ? <span>{listToolTexts.listedOnly(title)}</span> : undefined}
          />
          {peek === undefined || list.loading ? null : (
            <RowPeek
              of={peek}
              shown={peeked === undefined ? null : lookAt(columns, peeked)}
              complete={list.complete}
              title={title}
              id={peek}
              to={peeked === undefined ? null : pageOf(peeked)}
              onClose={() => changePlace({ peek: undefined })}
            />
          )}
        </div>
      </div>
    </Page>
  );
}

const nothing: ReadonlySet<string> = new Set();

interface SelectedRowsProps {
  readonly kind: RecordKind;
  readonly bulk: BulkChanges | undefined;
  readonly rows: readonly ListedRecord[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
}

/** Shows the bulk changes of the selected rows; nothing without a selection. */
function SelectedRows({ bulk, selected, rows, ...rest }: SelectedRowsProps) {
  if (bulk === undefined || selected.size === 0) return null;
  return <BulkBar {...rest} changes={bulk} rows={rows.filter(({ id }) => selected.has(id))} />;
}

const idOf = ({ id }: ListedRecord): string => id;
