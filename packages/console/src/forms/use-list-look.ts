import { useMemo, useState } from 'react';
import { chooseColumns, type Density, type TableLooks, tableLooks, useTableLooks } from '../data/saved/table-looks.ts';
import { listToolTexts as t } from '../messages/lists/list-tools.ts';
import { allColumns, columnKeys, ListAddress, sortOf, sortText, viewSearch } from '../route/list-address.ts';
import { useSearch, useSearchText } from '../route/use-address.ts';
import type { Column, Sort } from '../ui/table/table-column.ts';

/** What somebody may choose of how a list looks. */
export interface LookChoices {
  /** Name of the list in what the browser remembers: the id of its operation. */
  readonly list: string;
  /** All columns in the order that they have at first. */
  readonly known: readonly { readonly key: string; readonly header: string }[];
  /** Keys of the columns that are shown, in their order. */
  readonly keys: readonly string[];
  /** False: the columns are as at first. */
  readonly isChosen: boolean;
  /** Shows the columns that this makes of those that are chosen; null: all, as at first. */
  readonly choose: (next: (keys: readonly string[]) => readonly string[] | null) => void;
  /** Filters, columns and order as the search text of an address; null where the list does not live in one. */
  readonly view: string | null;
  /** Height of the rows where the person has chosen none. */
  readonly usualDensity: Density;
}

export interface ListLook<Row> extends LookChoices {
  /** The columns that are shown, in their order. */
  readonly columns: readonly Column<Row>[];
  readonly sort: Sort | null;
  readonly onSort: (next: (now: Sort | null) => Sort | null) => void;
}

export interface LookOptions {
  readonly usualDensity?: Density;
  /** `page`: one list of several on its page; its order stays with the table, and it has no views. */
  readonly stateIn?: 'address' | 'page';
}

/**
 * How a list looks: its columns, from the address, else as this browser remembers them; its order, from the address. What somebody
 * chooses goes to both, so that a link shows the same to others.
 */
export function useListLook<Row>(
  list: string,
  all: readonly Column<Row>[],
  { usualDensity = 'compact', stateIn = 'address' }: LookOptions = {},
): ListLook<Row> {
  const [address, change] = useSearch(ListAddress);
  const text = useSearchText();
  const looks = useTableLooks();
  const [ownSort, setOwnSort] = useState<Sort | null>(null);
  const isAddressed = stateIn === 'address';
  const knownKeys = all.map(({ key }) => key);
  /** The columns that an address asks for, else what this browser remembers. */
  const keysOf = (requested: string | undefined, { columns: { [list]: remembered } }: TableLooks) =>
    columnKeys(
      knownKeys,
      requested === undefined ? (remembered ?? null) : requested === allColumns ? null : requested.split(','),
    );
  const keys = keysOf(isAddressed ? address.columns : undefined, looks);
  const isChosen = keys.join() !== knownKeys.join();
  // As long as the same columns are shown they are the same object, so that no row is drawn anew.
  const shown = keys.join();
  const columns = useMemo(
    () => shown.split(',').flatMap((key) => all.find((column) => column.key === key) ?? []),
    [all, shown],
  );
  const sort = useMemo(() => sortOf(address.sort), [address.sort]);
  return {
    list,
    known: all.map(({ key, header }) => ({ key, header: header === '' ? t.buttons : header })),
    keys,
    isChosen,
    choose(next) {
      const wantedOf = (requested: string | undefined) => {
        const wanted = next(keysOf(requested, tableLooks()));
        return wanted?.join() === knownKeys.join() ? null : wanted;
      };
      let wanted = wantedOf(undefined);
      if (isAddressed) {
        change((now) => {
          wanted = wantedOf(now.columns);
          return { columns: wanted?.join() };
        });
      }
      chooseColumns(list, wanted);
    },
    view: isAddressed ? viewSearch(text, isChosen ? keys : null) : null,
    usualDensity,
    columns,
    sort: isAddressed ? sort : ownSort,
    onSort: isAddressed ? (next) => change((now) => ({ sort: sortText(next(sortOf(now.sort))) })) : setOwnSort,
  };
}
