import { type Segment, segmentOperations } from '@arbiter/contract/catalogue/segments';
import { useList, useOperation } from '../../data/use-operation.ts';
import { ConditionView } from '../../forms/condition-view.tsx';
import { ListTable } from '../../forms/list-table.tsx';
import { ListTools } from '../../forms/list-tools.tsx';
import { RecordPage, versionFacts } from '../../forms/record-page.tsx';
import { useListLook } from '../../forms/use-list-look.ts';
import { segmentTexts as t } from '../../messages/segments.ts';
import { addresses } from '../../route/addresses.ts';
import { useParam } from '../../route/use-address.ts';
import { AsOf } from '../../ui/as-of.tsx';
import { Id } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import type { Column } from '../../ui/table-column.ts';

const parents = [{ title: t.segments, to: addresses.segments() }];

/** One segment, read: who belongs to it, and its members. */
export function SegmentPage() {
  const id = useParam('id');
  const answer = useOperation(segmentOperations.get, { params: { id } });
  return (
    <RecordPage answer={answer} operation={segmentOperations.get} kind="segment" id={id} parents={parents}>
      {(body) => (
        <div className="grid items-start gap-4 md:grid-cols-2">
          <Definition segment={body} />
          <Members id={body.id} />
        </div>
      )}
    </RecordPage>
  );
}

function Definition({ segment }: { readonly segment: Segment }) {
  const format = useFormat();
  const { filters, customerCount, lastRefreshedAt, baseSchema, joins, viewName } = segment;
  return (
    <Section title={t.who}>
      <div className="flex flex-col gap-4">
        <ConditionView condition={filters} otherwise={t.everybody} />
        <Facts
          facts={[
            {
              label: t.customers,
              value:
                customerCount === null ? (
                  t.counting
                ) : (
                  <span className="inline-flex flex-wrap items-center gap-x-2">
                    {format.number(customerCount)}
                    {lastRefreshedAt === null ? null : <AsOf at={lastRefreshedAt} word={t.counted} />}
                  </span>
                ),
            },
            { label: t.base, value: <Link to={addresses.schema(baseSchema.id)}>{baseSchema.name}</Link> },
            {
              label: t.joins,
              value:
                joins.length === 0
                  ? null
                  : joins.map(({ alias, match, baseField, joinField, schemaId }) => (
                      <span key={alias} className="block">
                        {t.join(alias, match === 'none')}{' '}
                        <Link to={addresses.schema(schemaId)}>
                          <code className="text-caption">
                            {joinField} = {baseField}
                          </code>
                        </Link>
                      </span>
                    )),
            },
            { label: t.view, value: <Id id={viewName} what="view name" whole /> },
            ...versionFacts(segment, format),
          ]}
        />
      </div>
    </Section>
  );
}

const memberColumns: readonly Column<{ readonly customerId: string }>[] = [
  {
    key: 'id',
    header: t.customer,
    cell: ({ customerId }) => customerId,
    text: ({ customerId }) => customerId,
    width: 200,
  },
];

function Members({ id }: { readonly id: string }) {
  const list = useList(segmentOperations.customers, { params: { id }, query: { limit: 100 } });
  const look = useListLook(segmentOperations.customers.id, memberColumns, { stateIn: 'page' });
  return (
    <Section title={t.members} flush actions={<ListTools small look={look} title={t.members} list={list} />}>
      <ListTable
        list={list}
        operation={segmentOperations.customers}
        label={t.members}
        columns={look.columns}
        rowKey={({ customerId }) => customerId}
        rowTo={({ customerId }) => addresses.customer(customerId)}
        maxHeight="27.25rem"
        empty={<Empty title={t.nobody} level={3} />}
      />
    </Section>
  );
}
