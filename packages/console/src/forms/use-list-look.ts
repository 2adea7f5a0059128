import { useMemo, useState } from 'react';
import {
  chooseColumns,
  type ListDensity,
  type TableLooks,
  tableLooks,
  useTableLooks,
} from '../data/saved/table-looks.ts';
import { listToolTexts as t } from '../messages/lists/list-tools.ts';
import { allColumns, columnKeys, ListAddress, sortOf, sortText, viewSearch } from '../route/list-address.ts';
import { useSearch, useSearchText } from '../route/use-address.ts';
import type { Column, Sort } from '../ui/table/table-column.ts';

/** The view options of a list. */
export interface LookChoices {
  /** Name of the list in browser storage: the ID of its operation. */
  readonly list: string;
  /** All columns in their default order. */
  readonly known: readonly { readonly key: string; readonly header: string }[];
  /** Keys of the visible columns, in order. */
  readonly keys: readonly string[];
  /** False: the default columns. */
  readonly isChosen: boolean;
  /** Changes the visible columns; null restores the default. */
  readonly choose: (next: (keys: readonly string[]) => readonly string[] | null) => void;
  /** Filters, columns and sort order as search text of an address; null if the list isn't in the address. */
  readonly view: string | null;
  /** Row height, unless the user chose one. */
  readonly defaultDensity: ListDensity;
}

export interface ListLook<Row> extends LookChoices {
  /** The visible columns, in order. */
  readonly columns: readonly Column<Row>[];
  readonly sort: Sort | null;
  readonly onSort: (next: (now: Sort | null) => Sort | null) => void;
}

export interface LookOptions {
  readonly defaultDensity?: ListDensity;
  /** `page`: one of several lists on its page. The table stores its sort order, and it has no views. */
  readonly stateIn?: 'address' | 'page';
}

/**
 * The view options of a list: columns from the address, otherwise from browser storage; sort order from the address.
 * Changes go to both, so that a link shows others the same.
 */
export function useListLook<Row>(
  list: string,
  all: readonly Column<Row>[],
  { defaultDensity = 'compact', stateIn = 'address' }: LookOptions = {},
): ListLook<Row> {
  const [address, change] = useSearch(ListAddress);
  const text = useSearchText();
  const looks = useTableLooks();
  const [ownSort, setOwnSort] = useState<Sort | null>(null);
  const isAddressed = stateIn === 'address';
  const knownKeys = all.map(({ key }) => key);
  /** Columns from the address, otherwise from browser storage. */
  const keysOf = (requested: string | undefined, { columns: { [list]: remembered } }: TableLooks) =>
    columnKeys(
      knownKeys,
      requested === undefined ? (remembered ?? null) : requested === allColumns ? null : requested.split(','),
    );
  const keys = keysOf(isAddressed ? address.columns : undefined, looks);
  const isChosen = keys.join() !== knownKeys.join();
  // The same columns stay the same object, so that no row renders again.
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
    defaultDensity,
    columns,
    sort: isAddressed ? sort : ownSort,
    onSort: isAddressed ? (next) => change((now) => ({ sort: sortText(next(sortOf(now.sort))) })) : setOwnSort,
  };
}
