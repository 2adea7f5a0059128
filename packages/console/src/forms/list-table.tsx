import type { Operation } from '@arbiter/contract/core/operation';
import type { ListAnswer } from '../data/use-operation.ts';
import { listTexts as t } from '../messages/lists/lists.ts';
import { AsOf } from '../ui/as-of.tsx';
import { Button } from '../ui/button.tsx';
import { DataTable, type DataTableProps } from '../ui/table/table.tsx';
import { FailurePanel } from './failure-panel.tsx';

type TableListProps = 'rows' | 'complete' | 'total' | 'onMore' | 'loadingMore' | 'waitsUntil';

export interface ListTableProps<Row> extends Omit<DataTableProps<Row>, TableListProps> {
  readonly list: ListAnswer<Row>;
  /** The operation, for advice after a failure. */
  readonly operation: Operation;
  /** True: shows only the first rows; another page has the rest. */
  readonly first?: boolean;
}

/** The table of a list in every state: loading, loaded, dimmed while the next rows load, stale, failed, partly loaded. */
export function ListTable<Row>({ list, operation, first = false, foot, ...table }: ListTableProps<Row>) {
  const { rows, failure, old, asOf } = list;
  const none = rows.length === 0;
  // Stale rows may stay for long, so they keep their contrast; the failure above them says why.
  const isWaiting = old && failure === null;
  return (
    <div className={isWaiting ? 'min-w-0 opacity-60 transition-opacity' : 'min-w-0'} aria-busy={isWaiting || undefined}>
      <DataTable
        error={
          failure === null ? undefined : <FailurePanel failure={failure} operation={operation} retry={list.refresh} />
        }
        {...table}
        rows={list.loading || (failure !== null && none) ? undefined : rows}
        complete={list.complete}
        total={list.total ?? undefined}
        onMore={list.complete || none || first ? undefined : list.loadMore}
        loadingMore={list.loadingMore}
        waitsUntil={list.waitsUntil}
        foot={
          <>
            {asOf === null ? null : <AsOf at={asOf} stale={old || list.outdated} />}
            {list.outdated ? (
              <Button kind="quiet" size="small" onClick={list.refresh}>
                {t.reload}
              </Button>
            ) : null}
            {foot}
          </>
        }
      />
    </div>
  );
}
