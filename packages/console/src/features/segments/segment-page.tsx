import { type Segment, segmentOperations } from '@arbiter/contract/catalogue/segments';
import { can } from '../../data/can.ts';
import { useList, useMutate } from '../../data/use-operation.ts';
import { ConditionView } from '../../forms/condition-view.tsx';
import { RecordActions } from '../../forms/editing/record-actions.tsx';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { ListTable } from '../../forms/list-table.tsx';
import { ListTools } from '../../forms/list-tools.tsx';
import { versionFacts } from '../../forms/record-page.tsx';
import { RecordScreen } from '../../forms/record-screen.tsx';
import { useListLook } from '../../forms/use-list-look.ts';
import { segmentFormTexts as form } from '../../messages/catalogue/segment-form.ts';
import { segmentTexts as t } from '../../messages/catalogue/segments.ts';
import { editingTexts } from '../../messages/lists/editing.ts';
import { idTexts } from '../../messages/ui.ts';
import { addresses } from '../../route/addresses.ts';
import { AsOf } from '../../ui/as-of.tsx';
import { Button } from '../../ui/button.tsx';
import { Id } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Link } from '../../ui/link.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import type { Column } from '../../ui/table/table-column.ts';
import { SegmentOverlap } from './segment-overlap.tsx';
import { SegmentUses } from './segment-uses.tsx';

/** A segment: its conditions and its members. */
export function SegmentPage() {
  return (
    <RecordScreen
      kind="segment"
      operation={segmentOperations.get}
      actions={(_, record) => <RecordActions kind="segment" operations={segmentOperations} record={record} />}
    >
      {(segment) => (
        <div className="grid items-start gap-4 md:grid-cols-2">
          <div className="flex min-w-0 flex-col gap-4">
            <Definition segment={segment} />
            <SegmentUses id={segment.id} />
            <SegmentOverlap segment={segment} />
          </div>
          <Members id={segment.id} />
        </div>
      )}
    </RecordScreen>
  );
}

function Definition({ segment }: { readonly segment: Segment }) {
  const format = useFormat();
  const { filters, customerCount, lastRefreshedAt, baseSchema, joins, viewName } = segment;
  return (
    <Section title={t.who} actions={<Recount id={segment.id} />}>
      <div className="flex min-w-0 flex-col gap-4">
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
            { label: t.view, value: <Id id={viewName} what={idTexts.viewName} whole /> },
            ...versionFacts(segment, format),
          ]}
        />
      </div>
    </Section>
  );
}

/** Counts the members now. */
function Recount({ id }: { readonly id: string }) {
  const format = useFormat();
  const { run, busy, failure } = useMutate(segmentOperations.refresh);
  const permission = can(segmentOperations.refresh);
  const count = async () => {
    const answer = await run({ params: { id } });
    if (answer === null) return;
    const { customerCount } = answer;
    toast({ text: customerCount === null ? form.refreshing : form.refreshed(format.number(customerCount)) });
  };
  return (
    <>
      <Button
        size="small"
        busy={busy}
        disabledReason={permission.allowed ? null : editingTexts.needsRole(permission.needs)}
        onClick={() => void count()}
      >
        {form.refresh}
      </Button>
      {failure === null ? null : (
        <FailurePanel failure={failure} operation={segmentOperations.refresh} retry={() => void count()} />
      )}
    </>
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
