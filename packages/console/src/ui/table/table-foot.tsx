import type { ReactNode } from 'react';
import { tableTexts as t } from '../../messages/ui.ts';
import { Button } from '../button.tsx';
import { useFormat } from '../provider.tsx';
import type { Column } from './table-column.ts';

export interface TableFootProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly loaded: number;
  readonly total?: number | undefined;
  readonly complete: boolean;
  /** Head of the column to sort by, now or once all rows are loaded. */
  readonly sortedBy: string | undefined;
  readonly selected: number;
  readonly onMore?: (() => void) | undefined;
  readonly loadingMore?: boolean;
  /** When the next page loads after a rate limit, in milliseconds since 1970; null without a limit. */
  readonly waitsUntil?: number | null;
  readonly partial?: ReactNode;
  readonly foot?: ReactNode;
}

/** Row counts, and why the rows can't be sorted yet. */
export function TableFoot<Row>(props: TableFootProps<Row>) {
  const { label, loaded, total, complete, sortedBy, selected, onMore, waitsUntil = null, partial } = props;
  const sortable = props.columns.some(({ sortBy }) => sortBy !== undefined);
  const format = useFormat();
  const count = complete ? (total ?? loaded) : loaded;
  const of = complete || total === undefined ? null : format.number(total);
  const counted = t.count(format.number(count), of, label, count === 1 && of === null);
  return (
    <div className="relative -mt-px flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-4 py-1.5 text-caption text-soft">
      <span role="status">
        {complete ? counted : t.loaded(counted)}
        {selected > 0 ? ` · ${t.selected(format.number(selected))}` : ''}
      </span>
      {waitsUntil === null ? null : (
        <span role="status" className="text-warn">
          {t.waits(format.time(waitsUntil))}
        </span>
      )}
      {partial ? <span className="text-warn">{partial}</span> : null}
      {!complete && sortable ? (
        <span className={sortedBy === undefined ? 'text-faint' : 'text-warn'}>{t.loadToSort(sortedBy)}</span>
      ) : null}
      {props.foot}
      {onMore ? (
        <span className="ms-auto">
          <Button kind="quiet" size="small" busy={props.loadingMore ?? false} onClick={onMore}>
            {t.more}
          </Button>
        </span>
      ) : null}
    </div>
  );
}
