import type { Operation } from '@arbiter/contract/operation';
import { Search } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { ListAnswer } from '../data/use-operation.ts';
import { listTexts as t } from '../messages/lists.ts';
import { addresses } from '../route/addresses.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { type Option, SelectField, TextField } from '../ui/field.tsx';
import { Page, type PageProps } from '../ui/page.tsx';
import type { Column } from '../ui/table-column.ts';
import { ListTable } from './list-table.tsx';

/** One filter of a list with a fixed choice. */
export interface Choice {
  readonly key: string;
  readonly label: string;
  readonly options: readonly Option[];
}

type Filters = Readonly<Record<string, unknown>>;

/** A choice among records of another kind, by their ids. */
export const choiceOf = (
  key: string,
  label: string,
  records: readonly { readonly id: string; readonly name: string }[],
): Choice => ({ key, label, options: records.map(({ id, name }) => ({ value: id, label: name })) });

export interface RecordListPageProps<Row> extends Pick<PageProps, 'parents' | 'lead' | 'actions'> {
  readonly list: ListAnswer<Row>;
  /** What was asked, for the advice on a failure. */
  readonly operation: Operation;
  /** What the rows are, in the plural: the title of the page, and the name of the table. */
  readonly title: string;
  readonly columns: readonly Column<Row>[];
  /** Address of the record with an id. */
  readonly rowTo: (id: string) => string;
  /** The filters as they stand in the address, and what changes them. */
  readonly filters: Filters;
  readonly onFilter: (change: Filters) => void;
  readonly choices: readonly Choice[];
  /** Shown when there is no row and no filter; without `next` it leads to the first steps. */
  readonly empty: { readonly title: string; readonly text: string; readonly next?: ReactNode };
}

/** All records of a kind: one row of filters that live in the address, the rows, and each of their states. */
export function RecordListPage<Row extends { readonly id: string }>(props: RecordListPageProps<Row>) {
  const { list, operation, title, columns, rowTo, filters, onFilter, choices, empty, ...page } = props;
  const names = [...choices.map(({ key }) => key), 'search'];
  const filtered = names.some((name) => filters[name] !== undefined && filters[name] !== '');
  const clear = () => onFilter(Object.fromEntries(names.map((name) => [name, undefined])));
  return (
    <Page {...page} title={title}>
      <div className="flex min-w-0 flex-col gap-3">
        <div className="flex flex-wrap items-end gap-2" data-print="none">
          <SearchField
            value={textOf(filters.search)}
            onChange={(search) => onFilter({ search })}
            label={t.search(title)}
          />
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
        <ListTable
          list={list}
          operation={operation}
          label={title}
          columns={columns}
          rowKey={({ id }) => id}
          rowTo={({ id }) => rowTo(id)}
          density="comfortable"
          maxHeight="max(24rem, calc(100dvh - 18rem))"
          filtered={filtered}
          empty={
            <Empty title={empty.title} actions={empty.next ?? <ButtonLink to={addresses.home()}>{t.home}</ButtonLink>}>
              {empty.text}
            </Empty>
          }
          filteredEmpty={<Empty title={t.noneMatch(title)} actions={<Button onClick={clear}>{t.clear}</Button>} />}
          partial={list.restarted ? t.restarted : undefined}
        />
      </div>
    </Page>
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
