import type { Operation } from '@arbiter/contract/operation';
import { Search } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { ListAnswer } from '../data/use-operation.ts';
import { listToolTexts } from '../messages/lists/list-tools.ts';
import { listTexts as t } from '../messages/lists/lists.ts';
import { addresses } from '../route/addresses.ts';
import { ListAddress } from '../route/list-address.ts';
import { useSearch } from '../route/use-address.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { CheckField, type Option, SelectField, TextField } from '../ui/field.tsx';
import { FilterChip } from '../ui/filter-chip.tsx';
import { middleCut } from '../ui/format.ts';
import { later } from '../ui/later.tsx';
import { Page, type PageProps } from '../ui/page.tsx';
import type { Column } from '../ui/table/table-column.ts';
import { ListTable } from './list-table.tsx';
import { ListTools, ViewLinks } from './list-tools.tsx';
import { isNamedKind, type NamedKind } from './named-kinds.ts';
import { lookAt, peekGrid } from './peek.ts';
import { useListLook } from './use-list-look.ts';

/** Seldom drawn, and they ask for records of six kinds. */
const RecordName = later(() => import('./record-name.tsx').then((module) => module.RecordName));
const RowPeek = later(() => import('./row-peek.tsx').then((module) => module.RowPeek));

/** One filter of a list with a fixed choice. */
export interface Choice {
  readonly key: string;
  readonly label: string;
  readonly options: readonly Option[];
}

type Filters = Readonly<Record<string, unknown>>;

/** What every record of a list has. */
interface ListedRecord {
  readonly id: string;
  readonly deletedAt?: string | null;
}

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
  /** The columns as a file has them, where their values must be asked for first: names of what rows point at. */
  readonly fileColumns?: (rows: readonly Row[]) => Promise<readonly Column<Row>[]>;
  /** Shown when there is no row and no filter; without `next` it leads to the first steps. */
  readonly empty: { readonly title: string; readonly text: string; readonly next?: ReactNode };
}

/** All records of a kind: one row of filters that live in the address, the rows, and each of their states. */
export function RecordListPage<Row extends ListedRecord>(props: RecordListPageProps<Row>) {
  const { list, operation, title, columns, rowTo, filters, onFilter, choices, fileColumns, empty, ...page } = props;
  const look = useListLook(operation.id, columns, { usualDensity: 'comfortable' });
  const [{ peek }, changePlace] = useSearch(ListAddress);
  const names = Object.keys(filters).filter((name) => !notFilters.has(name) && textOf(filters[name]) !== '');
  const chips = names.filter((name) => name !== 'search' && !choices.some(({ key }) => key === name));
  const filtered = names.length > 0;
  const clear = () => onFilter(Object.fromEntries(names.map((name) => [name, undefined])));
  const { softDelete = false, readsDeleted = false } = operation.resource ?? {};
  const withDeleted = softDelete && filters.includeDeleted === true;
  const pageOf = ({ id, deletedAt }: ListedRecord) =>
    (deletedAt ?? null) !== null && !readsDeleted ? null : rowTo(id);
  const peeked = peek === undefined ? undefined : list.rows.find(({ id }) => id === peek);
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
              options={withChosen(options, textOf(filters[key]))}
              value={textOf(filters[key])}
              onChange={(event) => onFilter({ [key]: event.target.value || undefined })}
            />
          ))}
          {/* Where there is little room the choices fill their lines, and the rest stands below them. */}
          <div className={softDelete ? 'contents max-sm:flex max-sm:w-full max-sm:flex-wrap max-sm:gap-2' : 'contents'}>
            {softDelete ? (
              <div className="flex h-8 items-center">
                <CheckField
                  label={listToolTexts.includeDeleted}
                  checked={withDeleted}
                  onChange={({ target }) => onFilter({ includeDeleted: target.checked || undefined })}
                />
              </div>
            ) : null}
            {filtered ? (
              <Button kind="quiet" onClick={clear}>
                {t.clear}
              </Button>
            ) : null}
            <ListTools
              look={look}
              title={title}
              list={list}
              fileColumns={fileColumns}
              further={withDeleted ? { deletedAt: ({ deletedAt }) => deletedAt, id: idOf } : { id: idOf }}
            />
          </div>
        </div>
        {chips.length === 0 ? null : (
          <div className="flex flex-wrap items-center gap-2" data-print="none">
            {chips.map((name) => (
              <FilterChip
                key={name}
                label={labelOf(name)}
                removes={listToolTexts.removeFilter(labelOf(name))}
                onRemove={() => onFilter({ [name]: undefined })}
              >
                <ChipValue name={name} filters={filters} />
              </FilterChip>
            ))}
          </div>
        )}
        <ViewLinks look={look} />
        <div className={peekGrid}>
          <ListTable
            list={list}
            operation={operation}
            label={title}
            columns={look.columns}
            rowKey={idOf}
            rowTo={pageOf}
            onPeek={({ id }) => changePlace({ peek: id })}
            sort={look.sort}
            onSort={look.onSort}
            density={look.usualDensity}
            maxHeight="max(24rem, calc(100dvh - 18rem))"
            filtered={filtered}
            empty={
              <Empty
                title={empty.title}
                actions={empty.next ?? <ButtonLink to={addresses.home()}>{t.home}</ButtonLink>}
              >
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

/** Parameters of the query that narrow nothing. */
const notFilters: ReadonlySet<string> = new Set(['limit', 'cursor', 'includeDeleted']);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const idOf = ({ id }: ListedRecord): string => id;
const labelOf = (name: string): string => listToolTexts.filters[name] ?? name;

/** The choices, and what is chosen where it is none of them: a filter that is in force is seen. */
const withChosen = (options: readonly Option[], chosen: string): readonly Option[] =>
  chosen === '' || options.some(({ value }) => value === chosen)
    ? options
    : [...options, { value: chosen, label: middleCut(chosen) }];

const kindsOfFilters: Readonly<Record<string, NamedKind>> = {
  offerId: 'offer',
  placementId: 'placement',
  channelId: 'channel',
  categoryId: 'category',
  subCategoryId: 'subcategory',
};

/** The value of a filter that no field of the row shows; of a record its name. */
function ChipValue({ name, filters }: { readonly name: string; readonly filters: Filters }) {
  const scope = textOf(filters.scope);
  const kind = name === 'scopeId' && isNamedKind(scope) ? scope : kindsOfFilters[name];
  const value = textOf(filters[name]);
  return kind === undefined ? value : <RecordName kind={kind} id={value} />;
}

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
