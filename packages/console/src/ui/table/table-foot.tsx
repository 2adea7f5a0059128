import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { useFormat } from '../provider.tsx';

export interface TableFootProps {
  readonly label: string;
  readonly loaded: number;
  readonly total: number | undefined;
  readonly complete: boolean;
  readonly sortable: boolean;
  /** Head of the column that the rows are, or shall be, sorted by. */
  readonly sortedBy: string | undefined;
  readonly selected: number;
  readonly onMore?: () => void;
  readonly loadingMore: boolean;
  /** Until when the next page waits for the server; null: it does not. */
  readonly waitsUntil: number | null;
  readonly partial: ReactNode;
  readonly foot: ReactNode;
}

/** A heading within a sentence: "offers", but "API keys". */
function inSentence(label: string): string {
  const [first = '', second = ''] = label;
  return second === second.toLocaleLowerCase() ? `${first.toLocaleLowerCase()}${label.slice(1)}` : label;
}

/** How many rows there are, how many are loaded, and why the order cannot be changed where it cannot. */
export function TableFoot(props: TableFootProps) {
  const {
    label,
    loaded,
    total,
    complete,
    sortable,
    sortedBy,
    selected,
    onMore,
    loadingMore,
    waitsUntil,
    partial,
    foot,
  } = props;
  const format = useFormat();
  const count = complete ? (total ?? loaded) : loaded;
  const of = total === undefined ? '' : ` of ${format.number(total)}`;
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-4 py-1.5 text-caption text-soft">
      <span role="status">
        {complete ? format.number(count) : `${format.number(count)}${of}`}{' '}
        {count === 1 && (complete || of === '') ? 'row' : inSentence(label)}
        {complete ? '' : ' loaded'}
        {selected > 0 ? ` · ${format.number(selected)} selected` : ''}
      </span>
      {waitsUntil === null ? null : (
        <span role="status" className="text-warn">
          Rate limit reached. More rows load automatically at {format.time(waitsUntil)}.
        </span>
      )}
      {partial ? <span className="text-warn">{partial}</span> : null}
      {!complete && sortable ? (
        <span className={sortedBy === undefined ? 'text-faint' : 'text-warn'}>
          {sortedBy === undefined ? 'Load all rows to sort.' : `Load all rows to sort by ${sortedBy}.`}
        </span>
      ) : null}
      {foot}
      {onMore ? (
        <span className="ms-auto">
          <Button kind="quiet" size="small" busy={loadingMore} onClick={onMore}>
            Load more
          </Button>
        </span>
      ) : null}
    </div>
  );
}
