import type { Operation } from '@arbiter/contract/core/operation';
import { type Answer, type BodyOf, useOperation } from '../data/use-operation.ts';
import { useParam } from '../route/use-address.ts';
import { RecordPage, type RecordPageProps, type ShownRecord } from './record-page.tsx';

export interface RecordScreenProps<Get extends Operation>
  extends Omit<RecordPageProps<BodyOf<Get> & ShownRecord>, 'answer' | 'operation' | 'id' | 'actions'> {
  readonly operation: Get;
  /** Query of the call. */
  readonly query?: Readonly<Record<string, unknown>>;
  readonly actions?: (
    id: string,
    record: (BodyOf<Get> & ShownRecord) | undefined,
  ) => RecordPageProps<ShownRecord>['actions'];
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
      actions={actions?.(id, answer.data as (BodyOf<Get> & ShownRecord) | undefined)}
    />
  );
}
