import { decisionListOperations } from '@arbiter/contract/deciding/decision-lists';
import { useList } from '../../data/use-operation.ts';
import { ListTable } from '../../forms/list-table.tsx';
import { offerTexts as t } from '../../messages/catalogue/offers.ts';
import { addresses } from '../../route/addresses.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';

const shownRows = 5;

/** The newest decisions that showed the offer. */
export function OfferDecisions({ id }: { readonly id: string }) {
  const format = useFormat();
  const operation = decisionListOperations.list;
  const list = useList(operation, { query: { offerId: id, limit: shownRows } });
  return (
    <Section title={t.decisions} flush>
      <ListTable
        first
        list={{ ...list, rows: list.rows.slice(0, shownRows) }}
        operation={operation}
        label={t.decisions}
        columns={[
          {
            key: 'at',
            header: t.at,
            cell: ({ decidedAt }) => format.moment(decidedAt),
            text: ({ decidedAt }) => decidedAt,
            width: 140,
          },
          {
            key: 'customer',
            header: t.customer,
            cell: ({ customerId }) => customerId ?? t.erased,
            text: ({ customerId }) => customerId ?? t.erased,
            width: 120,
          },
          {
            key: 'first',
            header: t.first,
            cell: ({ topOffer }) => topOffer?.offerName ?? '–',
            text: ({ topOffer }) => topOffer?.offerName ?? null,
            width: 170,
          },
        ]}
        rowKey={({ recommendationId }) => recommendationId}
        rowTo={({ recommendationId }) => addresses.decision(recommendationId)}
        empty={
          <Empty title={t.never} level={3} actions={<ButtonLink to={addresses.simulate()}>{t.simulate}</ButtonLink>}>
            {t.neverText}
          </Empty>
        }
      />
    </Section>
  );
}
