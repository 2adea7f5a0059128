import { type DataSchema, schemaTableOperations } from '@arbiter/contract/catalogue/schemas';
import { Search, Upload } from 'lucide-react';
import { type FormEvent, useMemo, useState } from 'react';
import { useOperation } from '../../data/use-operation.ts';
import { FormLink } from '../../forms/editing/record-links.tsx';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { ListTools } from '../../forms/list-tools.tsx';
import { numericTypes } from '../../forms/numeric-types.ts';
import { lookAt, peekGrid } from '../../forms/peek.ts';
import { useListLook } from '../../forms/use-list-look.ts';
import { schemaTitles } from '../../messages/catalogue/schemas/schema-titles.ts';
import { schemaTexts as t } from '../../messages/catalogue/schemas/schemas.ts';
import { listTexts } from '../../messages/lists/lists.ts';
import { addresses } from '../../route/addresses.ts';
import { ListAddress } from '../../route/list-address.ts';
import { useSearch } from '../../route/use-address.ts';
import { AsOf } from '../../ui/as-of.tsx';
import { Button } from '../../ui/button.tsx';
import { csvValueOf } from '../../ui/csv.ts';
import { Empty } from '../../ui/empty.tsx';
import { TextField } from '../../ui/field.tsx';
import type { Format } from '../../ui/format.ts';
import { later } from '../../ui/later.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { DataTable } from '../../ui/table/table.tsx';
import type { Column } from '../../ui/table/table-column.ts';

const RowPeek = later(() => import('../../forms/row-peek.tsx').then((module) => module.RowPeek));

type SchemaRow = Readonly<Record<string, unknown>>;

export interface SchemaRowsProps {
  readonly schema: DataSchema;
  readonly offset: number;
  readonly rowKey: string;
  readonly onChange: (change: { offset?: number | undefined; key?: string | undefined }) => void;
}

const pageSize = 200;
/** Width of a column, in px: instants are long, numbers short. */
const widthOf = (dataType: string): number =>
  dataType.startsWith('timestamp') ? 212 : numericTypes.has(dataType) ? 112 : dataType === 'boolean' ? 96 : 140;

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The rows of a schema's table, page by page, or the row with a key. */
export function SchemaRows({ schema, offset, rowKey, onChange }: SchemaRowsProps) {
  const format = useFormat();
  const query = rowKey === '' ? { limit: pageSize, offset } : { key: rowKey };
  const answer = useOperation(schemaTableOperations.listRows, { params: { id: schema.id }, query });
  const columns = useMemo(() => columnsOf(schema, format), [schema, format]);
  const look = useListLook(`${schemaTableOperations.listRows.id} ${schema.tableName}`, columns, { stateIn: 'page' });
  const { data } = answer;
  const key = schema.fields.find(({ isPrimaryKey }) => isPrimaryKey)?.name ?? schema.rowKey;
  // The position identifies rows without a key of their own.
  const rows = useMemo(() => data?.rows.map((row, at): SchemaRow => ({ ...row, '': at })), [data]);
  const hasCustomers = schema.schemaType === 'customer';
  const [{ peek }, changePlace] = useSearch(ListAddress);
  const peeked = rows?.find((row) => cellText(row[key]) === peek);
  const end = offset + (data?.rows.length ?? 0);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-2">
        <RowSearch schema={schema} rowKey={rowKey} onChange={onChange} />
        <ListTools
          look={look}
          title={t.rowsOf(schema.displayName)}
          list={{
            rows: rows ?? [],
            total: data?.total ?? null,
            complete: false,
            old: answer.old,
            loading: answer.loading,
          }}
        />
      </div>
      <div className={peekGrid}>
        <DataTable
          label={t.rows}
          columns={look.columns}
          rows={answer.loading || (data === undefined && answer.failure !== null) ? undefined : rows}
          rowKey={(row) => `${cellText(row[key])} ${cellText(row[''])}`}
          onPeek={(row) => changePlace({ peek: cellText(row[key]) })}
          {...(hasCustomers ? { rowTo: (row: SchemaRow) => addresses.customer(cellText(row[schema.rowKey])) } : {})}
          complete={false}
          total={data?.total}
          filtered={rowKey !== ''}
          empty={<Empty title={t.noRows}>{t.noRowsText}</Empty>}
          filteredEmpty={<Empty title={t.noSuchRow} />}
          error={
            answer.failure === null ? undefined : (
              <FailurePanel
                failure={answer.failure}
                operation={schemaTableOperations.listRows}
                retry={answer.refresh}
              />
            )
          }
          foot={
            <>
              {rowKey === '' && data !== undefined ? (
                <span>{t.shown(format.number(offset + 1), format.number(end), format.number(data.total))}</span>
              ) : null}
              {answer.asOf === null ? null : <AsOf at={answer.asOf} stale={answer.old} />}
            </>
          }
        />
        {peek === undefined || rows === undefined ? null : (
          <RowPeek
            of={peek}
            shown={peeked === undefined ? null : lookAt(columns, peeked)}
            complete={false}
            title={t.rows}
            to={peeked === undefined || !hasCustomers ? null : addresses.customer(cellText(peeked[schema.rowKey]))}
            onClose={() => changePlace({ peek: undefined })}
          />
        )}
      </div>
      {rowKey === '' && data !== undefined && data.total > pageSize ? (
        <PageButtons offset={offset} end={end} total={data.total} onChange={onChange} />
      ) : null}
    </div>
  );
}

/** Columns of the schema's fields, the key first. */
function columnsOf({ fields, rowKey }: DataSchema, format: Format): readonly Column<SchemaRow>[] {
  return [...fields]
    .sort((a, b) => Number(b.name === rowKey) - Number(a.name === rowKey) || a.ordinal - b.ordinal)
    .map(
      ({ name, dataType }): Column<SchemaRow> => ({
        key: name,
        header: name,
        cell: ({ [name]: value }) =>
          dataType.startsWith('timestamp') && typeof value === 'string' ? format.instant(value) : cellText(value),
        text: (row) => csvValueOf(row[name]),
        align: numericTypes.has(dataType) ? 'end' : 'start',
        width: widthOf(dataType),
        // A time with its end cut off says nothing.
        grow: dataType.startsWith('timestamp') ? 0 : 1,
      }),
    );
}

/** Finds a row by its key. */
function RowSearch({ schema, rowKey, onChange }: Omit<SchemaRowsProps, 'offset'>) {
  const [text, setText] = useState(rowKey);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange({ key: text === '' ? undefined : text, offset: undefined });
  };
  return (
    <form className="flex flex-wrap items-end gap-2 max-sm:w-full" onSubmit={submit}>
      <TextField
        label={t.findBy(schema.rowKey)}
        icon={<Search />}
        className="w-72 max-sm:w-full"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button submit>{t.find}</Button>
      {rowKey === '' ? null : (
        <Button
          kind="quiet"
          onClick={() => {
            setText('');
            onChange({ key: undefined });
          }}
        >
          {listTexts.clear}
        </Button>
      )}
      <FormLink
        operation={schemaTableOperations.insertRows}
        to={addresses.importRows({ schema: schema.id })}
        title={schemaTitles.importFile}
        icon={<Upload aria-hidden className="size-4" />}
      />
    </form>
  );
}

interface PageButtonsProps extends Pick<SchemaRowsProps, 'offset' | 'onChange'> {
  /** Number of the last row of the page. */
  readonly end: number;
  readonly total: number;
}

function PageButtons({ offset, end, total, onChange }: PageButtonsProps) {
  return (
    <div className="flex gap-2">
      <Button
        disabledReason={offset === 0 ? t.noEarlier : null}
        onClick={() => onChange({ offset: Math.max(0, offset - pageSize) || undefined })}
      >
        {t.earlier}
      </Button>
      <Button disabledReason={end >= total ? t.noLater : null} onClick={() => onChange({ offset: offset + pageSize })}>
        {t.later}
      </Button>
    </div>
  );
}
