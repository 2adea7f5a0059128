import {
  type ColumnDef,
  createSortedRowModel,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useMemo, useState } from 'react';
import { bySortValue, type Column, type Sort } from './table-column.ts';

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });
type Features = typeof features;

/** The library requires rows to be objects; ours can be of any type. */
interface RowBox<Row> {
  readonly row: Row;
}

/** A row with its key, as the table shows it. */
export interface TableLine<Row> {
  readonly id: string;
  readonly original: RowBox<Row>;
}

export interface SortedRowsProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[] | undefined;
  readonly rowKey: (row: Row) => string;
  readonly complete: boolean;
  readonly sorted?: Sort;
  readonly sort?: Sort | null;
  readonly onSort?: (next: (now: Sort | null) => Sort | null) => void;
}

export interface SortedRows<Row> {
  readonly lines: readonly TableLine<Row>[];
  /** Row keys, in order. */
  readonly keys: readonly string[];
  readonly sorting: SortingState;
  /** The column to sort by, applied once all rows are loaded. */
  readonly sortedColumn: Column<Row> | undefined;
  readonly setSort: (next: (now: Sort | null) => Sort | null) => void;
  /** Sorts by a column: ascending, descending, then not at all. */
  readonly sortBy: (key: string) => void;
}

const noRows: readonly never[] = [];
const unsorted: SortingState = [];

/** Sorts the rows once all are loaded. The table stores the order unless the page does (`sort`). */
export function useSortedRows<Row>(props: SortedRowsProps<Row>): SortedRows<Row> {
  const { columns, rows, rowKey, complete } = props;
  const [ownSort, setOwnSort] = useState<Sort | null>(props.sorted ?? null);
  const sort = props.sort === undefined ? ownSort : props.sort;
  const setSort = props.onSort ?? setOwnSort;
  const sortedColumn = columns.find((column) => column.key === sort?.key && column.sortBy !== undefined);
  const sorting = useMemo(
    (): SortingState => (sort !== null && sortedColumn ? [{ id: sort.key, desc: sort.descending }] : []),
    [sort, sortedColumn],
  );
  const definitions = useMemo(() => columns.map(definitionOf), [columns]);
  const data = useMemo(() => (rows ?? noRows).map((row): RowBox<Row> => ({ row })), [rows]);
  const table = useTable({
    features,
    columns: definitions,
    data,
    getRowId: ({ row }: RowBox<Row>) => rowKey(row),
    state: { sorting: complete ? sorting : unsorted },
  });
  const lines = table.getRowModel().rows;
  const keys = useMemo(() => lines.map((line) => line.id), [lines]);
  const sortBy = (key: string) => {
    if (!complete || !columns.some((column) => column.key === key && column.sortBy)) return;
    setSort((now) => {
      if (now?.key !== key) return { key, descending: false };
      return now.descending ? null : { key, descending: true };
    });
  };
  return { lines, keys, sorting, sortedColumn, setSort, sortBy };
}

function definitionOf<Row>(column: Column<Row>): ColumnDef<Features, RowBox<Row>> {
  return {
    id: column.key,
    header: column.header,
    accessorFn: ({ row }: RowBox<Row>) => column.sortBy?.(row) ?? undefined,
    enableSorting: column.sortBy !== undefined,
    sortFn: (one, other, key) => bySortValue(one.getValue(key), other.getValue(key)),
    sortUndefined: 'last',
  };
}
