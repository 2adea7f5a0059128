import { schemaOperations } from '@arbiter/contract/catalogue/schemas';
import { type DecisionListRow, decisionListOperations } from '@arbiter/contract/deciding/decision-lists';
import { Search } from 'lucide-react';
import { type FormEvent, useMemo, useState } from 'react';
import { useOperation } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { ListTools } from '../../forms/list-tools.tsx';
import { numericTypes } from '../../forms/numeric-types.ts';
import { useListLook } from '../../forms/use-list-look.ts';
import { customerTexts as t } from '../../messages/customers.ts';
import { addresses } from '../../route/addresses.ts';
import { AsOf } from '../../ui/as-of.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { csvValueOf } from '../../ui/csv.ts';
import { Empty } from '../../ui/empty.tsx';
import { TextField } from '../../ui/field.tsx';
import { useLinks } from '../../ui/link.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { DataTable } from '../../ui/table/table.tsx';
import type { Column } from '../../ui/table/table-column.ts';
import { attributeLabel, attributeText } from './attribute-text.ts';

/** Number of decisions searched for customers. */
const looked = 100;
/** Rows and columns of the customer table. */
const rowsShown = 50;
const columnsShown = 5;

/** Opens a customer by ID, from recent decisions, or from the customer table. */
export function CustomerList() {
  return (
    <Page title={t.customers} lead={t.listLead}>
      <OpenById />
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <RecentCustomers />
        <StoredCustomers />
      </div>
    </Page>
  );
}

function OpenById() {
  const [text, setText] = useState('');
  const links = useLinks();
  const open = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') links.go(addresses.customer(text.trim()));
  };
  return (
    <search>
      <form onSubmit={open} className="flex max-w-xl items-end gap-2">
        <TextField
          className="grow"
          data-filter
          label={t.openLabel}
          icon={<Search />}
          placeholder={t.openPlaceholder}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button kind="primary" submit>
          {t.open}
        </Button>
      </form>
    </search>
  );
}

interface Recent {
  readonly customerId: string;
  readonly decidedAt: string;
  readonly decisions: number;
}

/** Customers of recent decisions, newest first. */
function recentOf(rows: readonly DecisionListRow[]): readonly Recent[] {
  const found = new Map<string, Recent>();
  for (const { customerId, decidedAt } of rows) {
    if (customerId === null) continue;
    const known = found.get(customerId);
    found.set(customerId, {
      customerId,
      decidedAt: known?.decidedAt ?? decidedAt,
      decisions: (known?.decisions ?? 0) + 1,
    });
  }
  return [...found.values()];
}

function RecentCustomers() {
  const format = useFormat();
  const decisions = useOperation(decisionListOperations.list, { query: { limit: looked } });
  const rows = useMemo(() => recentOf(decisions.data?.data ?? []), [decisions.data]);
  const columns: readonly Column<Recent>[] = [
    {
      key: 'customer',
      header: t.key,
      cell: ({ customerId }) => customerId,
      text: ({ customerId }) => customerId,
      grow: 2,
    },
    {
      key: 'last',
      header: t.lastDecided,
      width: 170,
      cell: ({ decidedAt }) => format.instant(decidedAt),
      text: ({ decidedAt }) => decidedAt,
    },
    {
      key: 'count',
      header: t.decisions,
      align: 'end',
      width: 96,
      grow: 0,
      cell: (row) => format.number(row.decisions),
      text: (row) => row.decisions,
    },
  ];
  const look = useListLook('customers.recent', columns, { stateIn: 'page' });
  const list = { rows, total: null, complete: false, old: decisions.old, loading: decisions.loading };
  return (
    <Section
      title={t.recent}
      flush
      about={decisions.asOf === null ? null : <AsOf at={decisions.asOf} />}
      actions={<ListTools small look={look} title={t.recent} list={list} />}
    >
      <DataTable
        label={t.customers}
        columns={look.columns}
        rows={decisions.loading ? undefined : rows}
        rowKey={(row) => row.customerId}
        rowTo={(row) => addresses.customer(row.customerId)}
        complete={false}
        maxHeight="60dvh"
        error={
          decisions.failure === null ? undefined : (
            <FailurePanel
              failure={decisions.failure}
              operation={decisionListOperations.list}
              retry={decisions.refresh}
            />
          )
        }
        empty={
          <Empty
            level={3}
            title={t.recentNone}
            actions={<ButtonLink to={addresses.simulate()}>{t.simulateOne}</ButtonLink>}
          >
            {t.recentNoneText}
          </Empty>
        }
      />
    </Section>
  );
}

type StoredRow = Readonly<Record<string, unknown>>;

const unknownColumn: Column<StoredRow> = { key: 'customer', header: t.key, cell: () => null, text: () => '' };

/** Rows of the first customer schema, with a few columns. */
function StoredCustomers() {
  const format = useFormat();
  const schemas = useOperation(schemaOperations.list, { query: { limit: 100 } });
  const schema = schemas.data?.data.find(({ entityType }) => entityType === 'customer') ?? null;
  const stored = useOperation(
    schemaOperations.listRows,
    { params: { id: schema?.id ?? '' }, query: { limit: rowsShown } },
    { enabled: schema !== null },
  );
  const fields = schema?.fields ?? [];
  const keyField = fields.find(({ isPrimaryKey }) => isPrimaryKey)?.name ?? fields[0]?.name ?? 'id';
  const shown = [...fields]
    .sort((a, b) => Number(b.name === keyField) - Number(a.name === keyField))
    .slice(0, columnsShown);
  const known: readonly Column<StoredRow>[] = shown.map((field, at) => {
    const { name, dataType } = field;
    const header = attributeLabel(name, field);
    return {
      key: name,
      header,
      align: numericTypes.has(dataType) ? 'end' : 'start',
      // Numbers are narrower than long column names.
      width: at === 0 ? 130 : numericTypes.has(dataType) && header.length < 8 ? 70 : 116,
      cell: (row) => attributeText(row[name], field, format),
      text: (row) => csvValueOf(row[name]),
    };
  });
  // Before the schema is loaded, the table needs a column to show that it loads.
  const columns = known.length > 0 ? known : [unknownColumn];
  const rows: readonly StoredRow[] = stored.data?.rows ?? [];
  const title = schema === null ? t.customers : t.rowsOf(schema.displayName);
  const keyOf = (row: StoredRow) => String(row[keyField] ?? '');
  const look = useListLook('customers.stored', columns, { stateIn: 'page' });
  const list = {
    rows,
    total: stored.data?.total ?? null,
    complete: false,
    old: stored.old,
    loading: stored.data === undefined,
  };
  if (schemas.data !== undefined && schema === null) {
    return (
      <Section title={t.customers}>
        <Empty level={3} title={t.rowsNone} actions={<ButtonLink to={addresses.schemas()}>{t.schemas}</ButtonLink>}>
          {t.rowsNoneText}
        </Empty>
      </Section>
    );
  }
  return (
    <Section title={title} flush actions={<ListTools small look={look} title={title} list={list} />}>
      <DataTable
        label={title}
        columns={look.columns}
        rows={stored.data === undefined && stored.failure === null ? undefined : rows}
        rowKey={keyOf}
        rowTo={(row) => addresses.customer(keyOf(row))}
        complete={false}
        total={stored.data?.total}
        maxHeight="60dvh"
        error={
          stored.failure === null ? undefined : (
            <FailurePanel failure={stored.failure} operation={schemaOperations.listRows} retry={stored.refresh} />
          )
        }
        empty={
          <Empty
            level={3}
            title={t.profileNone}
            actions={<ButtonLink to={addresses.schemas()}>{t.schemas}</ButtonLink>}
          >
            {t.profileNoneText}
          </Empty>
        }
      />
    </Section>
  );
}
