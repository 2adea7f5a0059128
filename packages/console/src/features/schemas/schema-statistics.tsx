import { type SchemaStats, schemaFigureOperations } from '@arbiter/contract/catalogue/schema-figures';
import type { DataSchema } from '@arbiter/contract/catalogue/schemas';
import { useOperation } from '../../data/use-operation.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { schemaTexts as t } from '../../messages/catalogue/schemas/schemas.ts';
import { AsOf } from '../../ui/as-of.tsx';
import type { Format } from '../../ui/format.ts';
import { useFormat } from '../../ui/provider.tsx';
import { DataTable } from '../../ui/table/table.tsx';
import type { Column } from '../../ui/table/table-column.ts';

type FieldStats = SchemaStats['fields'][number];

/** Statistics of a schema's rows, field by field. */
export function SchemaStatistics({ schema }: { readonly schema: DataSchema }) {
  const answer = useOperation(schemaFigureOperations.stats, { params: { id: schema.id } });
  return (
    <Loaded answer={answer} operation={schemaFigureOperations.stats}>
      {(stats) => <Statistics stats={stats} />}
    </Loaded>
  );
}

function Statistics({ stats }: { readonly stats: SchemaStats }) {
  const format = useFormat();
  const { totalRows } = stats;
  const columns = statisticsColumns(format, totalRows);
  return (
    <DataTable
      label={t.statistics}
      columns={columns}
      rows={stats.fields}
      rowKey={({ name }) => name}
      complete
      empty={null}
      density="comfortable"
      partial={stats.sampled ? t.sampled : undefined}
      foot={
        <>
          <span>
            {format.number(totalRows)} {t.rows.toLocaleLowerCase()}
          </span>
          <AsOf at={stats.cachedAt} word="counted" />
        </>
      }
    />
  );
}

function statisticsColumns(format: Format, totalRows: number): readonly Column<FieldStats>[] {
  const share = (count: number) => (totalRows === 0 ? '–' : format.percent(count / totalRows));
  return [
    {
      key: 'name',
      header: t.field,
      cell: ({ name }) => <code className="text-caption">{name}</code>,
      text: ({ name }) => name,
      sortBy: ({ name }) => name,
      width: 190,
    },
    {
      key: 'distinct',
      header: t.distinct,
      cell: ({ distinctCount }) => format.number(distinctCount),
      text: ({ distinctCount }) => distinctCount,
      sortBy: ({ distinctCount }) => distinctCount,
      align: 'end',
      width: 130,
      grow: 0,
    },
    {
      key: 'missing',
      header: t.missing,
      cell: ({ nullCount }) => share(nullCount),
      text: ({ nullCount }) => nullCount,
      sortBy: ({ nullCount }) => nullCount,
      align: 'end',
      width: 100,
      grow: 0,
    },
    {
      key: 'range',
      header: t.range,
      cell: (field) =>
        field.type === 'numeric' && field.avg !== null
          ? `${field.min} to ${field.max}, ${format.number(field.avg, 2)}`
          : '–',
      text: (field) =>
        field.type === 'numeric' && field.avg !== null ? `${field.min} to ${field.max}, ${field.avg}` : null,
      width: 200,
    },
    {
      key: 'frequent',
      header: t.frequent,
      cell: (field) =>
        field.type === 'text' && field.topValues.length > 0
          ? field.topValues.map(({ value, count }) => `${String(value)} (${share(count)})`).join(', ')
          : '–',
      text: (field) =>
        field.type === 'text'
          ? field.topValues.map(({ value, count }) => `${String(value)} (${count})`).join(', ')
          : null,
      width: 320,
      grow: 2,
    },
  ];
}
