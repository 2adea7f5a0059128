import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { useFormat } from './provider.tsx';

export interface TableFootProps {
  readonly label: string;
  readonly loaded: number;
  readonly total: number | undefined;
  readonly complete: boolean;
  readonly sortable: boolean;
  readonly selected: number;
  readonly onMore?: () => void;
  readonly loadingMore: boolean;
  readonly partial: ReactNode;
  readonly foot: ReactNode;
}

/** How many rows there are, how many are loaded, and why the order cannot be changed where it cannot. */
export function TableFoot(props: TableFootProps) {
  const { label, loaded, total, complete, sortable, selected, onMore, loadingMore, partial, foot } = props;
  const format = useFormat();
  const of = total === undefined ? '' : ` of ${format.number(total)}`;
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1 -mt-px border-t border-line px-3 py-1.5 text-caption text-soft">
      <span role="status">
        {complete ? format.number(total ?? loaded) : `${format.number(loaded)}${of}`} {label.toLocaleLowerCase()}
        {complete ? '' : ' loaded'}
        {selected > 0 ? ` · ${format.number(selected)} selected` : ''}
      </span>
      {partial ? <span className="text-warn">{partial}</span> : null}
      {!complete && sortable ? <span className="text-faint">Columns sort once all rows are loaded.</span> : null}
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
