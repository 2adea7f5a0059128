import type { Operation } from '@arbiter/contract/core/operation';
import type { TObject } from 'typebox';
import { type Answer, type BodyOf, type ListAnswer, type RowOf, useList, useOperation } from '../data/use-operation.ts';
import { type RecordKind, recordKinds } from '../records/record-kinds.ts';
import { useParam, useSearch } from '../route/use-address.ts';
import { type ListedRecord, RecordListPage, type RecordListPageProps } from './record-list.tsx';
import { RecordPage, type RecordPageProps, type ShownRecord } from './record-page.tsx';

type Own = 'list' | 'operation' | 'title' | 'rowTo' | 'filters' | 'onFilter' | 'choices';

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
  const list = useList(operation, input as Parameters<typeof useList<List>>[1]);
  return (
    <RecordListPage
      {...parts}
      // Every list of records has an ID in its rows.
      list={list as ListAnswer<RowOf<List> & ListedRecord>}
      operation={operation}
      title={titles.many}
      rowTo={record}
      filters={search}
      onFilter={change}
      choices={choices}
    />
  );
}

export interface RecordScreenProps<Get extends Operation>
  extends Omit<RecordPageProps<BodyOf<Get> & ShownRecord>, 'answer' | 'operation' | 'id' | 'actions'> {
  readonly operation: Get;
  /** Query of the call. */
  readonly query?: Readonly<Record<string, unknown>>;
  readonly actions?: (id: string) => RecordPageProps<ShownRecord>['actions'];
}

/** The page of the record in the address: all it needs besides is its content. */
export function RecordScreen<const Get extends Operation>(props: RecordScreenProps<Get>) {
  const { operation, query, actions, ...parts } = props;
  const id = useParam('id');
  const input: object = { params: { id }, ...(query === undefined ? {} : { query }) };
  const answer = useOperation(operation, input as Parameters<typeof useOperation<Get>>[1]);
  return (
    <RecordPage
      {...parts}
      // Every record has an ID and a name.
      answer={answer as Answer<BodyOf<Get> & ShownRecord>}
      operation={operation}
      id={id}
      actions={actions?.(id)}
    />
  );
}
