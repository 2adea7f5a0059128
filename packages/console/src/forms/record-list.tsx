import type { Operation } from '@arbiter/contract/operation';
import { Search } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { type InputOf, type RowOf, useList } from '../data/use-operation.ts';
import { listTexts as t } from '../messages/lists.ts';
import { AsOf } from '../ui/as-of.tsx';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { type Option, SelectField, TextField } from '../ui/field.tsx';
import { DataTable } from '../ui/table.tsx';
import type { Column } from '../ui/table-column.ts';
import { FailurePanel } from './failure-panel.tsx';

/** One filter of a list with a fixed choice. */
export interface Choice {
  readonly key: string;
  readonly label: string;
  readonly options: readonly Option[];
}

type Filters = Readonly<Record<string, unknown>>;

export interface RecordListProps<O extends Operation> {
  readonly operation: O;
  readonly input: InputOf<O>;
  /** What the rows are, in the plural. */
  readonly label: string;
  readonly columns: readonly Column<RowOf<O>>[];
  readonly rowKey: (row: RowOf<O>) => string;
  readonly rowTo: (row: RowOf<O>) => string;
  /** The filters as they stand in the address, and what changes them. */
  readonly filters: Filters;
  readonly onFilter: (change: Filters) => void;
  readonly choices: readonly Choice[];
  readonly searchable?: boolean;
  /** Shown when there is no row and no filter. */
  readonly empty: ReactNode;
}

/** A list of records: filters that live in the address, the rows, and each of its states. */
export function RecordList<const O extends Operation>(props: RecordListProps<O>) {
  const {
    operation,
    input,
    label,
    columns,
    rowKey,
    rowTo,
    filters,
    onFilter,
    choices,
    searchable = true,
    empty,
  } = props;
  const list = useList(operation, input);
  const names = [...choices.map(({ key }) => key), 'search'];
  const filtered = names.some((name) => filters[name] !== undefined && filters[name] !== '');
  const clear = () => onFilter(Object.fromEntries(names.map((name) => [name, undefined])));
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-end gap-2" data-print="none">
        {searchable ? (
          <SearchField
            value={textOf(filters.search)}
            onChange={(search) => onFilter({ search })}
            label={t.search(label)}
          />
        ) : null}
        {choices.map(({ key, label: name, options }) => (
          <SelectField
            key={key}
            label={name}
            labelHidden
            className="w-44 max-sm:min-w-36 max-sm:flex-1"
            placeholder={t.any(name)}
            options={options}
            value={textOf(filters[key])}
            onChange={(event) => onFilter({ [key]: event.target.value || undefined })}
          />
        ))}
        {filtered ? (
          <Button kind="quiet" onClick={clear}>
            {t.clear}
          </Button>
        ) : null}
      </div>
      <div className={list.old ? 'opacity-60' : ''} aria-busy={list.old || undefined}>
        <DataTable
          label={label}
          columns={columns}
          rows={list.loading || (list.failure !== null && list.rows.length === 0) ? undefined : list.rows}
          rowKey={rowKey}
          rowTo={rowTo}
          complete={list.complete}
          total={list.total ?? undefined}
          density="comfortable"
          filtered={filtered}
          empty={empty}
          filteredEmpty={<Empty title={t.noneMatch(label)} actions={<Button onClick={clear}>{t.clear}</Button>} />}
          error={
            list.failure === null ? undefined : (
              <FailurePanel failure={list.failure} operation={operation} retry={list.refresh} />
            )
          }
          onMore={list.complete || list.rows.length === 0 ? undefined : list.loadMore}
          loadingMore={list.loadingMore}
          partial={list.restarted ? t.restarted : undefined}
          foot={list.asOf === null ? undefined : <AsOf at={list.asOf} stale={list.old} />}
        />
      </div>
    </div>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

interface SearchFieldProps {
  readonly value: string;
  readonly label: string;
  readonly onChange: (text: string | undefined) => void;
}

/** Asks the server a quarter of a second after the last letter. */
function SearchField({ value, label, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    // A change from outside (back button, "clear") wins over what stands in the field.
    if (value !== sent.current) {
      sent.current = value;
      setText(value);
    }
  }, [value]);
  useEffect(() => {
    if (text === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text;
      onChange(text === '' ? undefined : text);
    }, 250);
    return () => clearTimeout(timer);
  }, [text, onChange]);
  return (
    <TextField
      label={label}
      labelHidden
      placeholder={label}
      type="search"
      icon={<Search />}
      className="w-64 max-sm:w-full"
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
