import { categoryOperations } from '@arbiter/contract/categories';
import { type Offer, offerOperations } from '@arbiter/contract/offers';
import { useList } from '../../data/use-operation.ts';
import { RecordList } from '../../forms/record-list.tsx';
import { StatusBadge, statusChoice } from '../../forms/status-badge.tsx';
import { listTexts } from '../../messages/lists.ts';
import { offerTexts as t } from '../../messages/offers.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import type { Column } from '../../ui/table-column.ts';
import { limitsOf, tightest } from './limits.ts';
import { Meter } from './meter.tsx';
import { ScheduleText } from './schedule-text.tsx';
import { useToday } from './use-today.ts';

/** The limit that is nearest to its end. */
function Budget({ offer }: { readonly offer: Offer }) {
  const limit = tightest(limitsOf(offer, useToday()));
  if (limit === null) return <span className="text-soft">{t.noBudget}</span>;
  return <Meter limit={limit} currency={offer.budget.currency} small />;
}

const columns: readonly Column<Offer>[] = [
  { key: 'name', header: listTexts.name, cell: ({ name }) => name, sortBy: ({ name }) => name, width: 220 },
  {
    key: 'status',
    header: listTexts.status,
    cell: ({ status }) => <StatusBadge status={status} />,
    sortBy: ({ status }) => status,
    width: 100,
    grow: 0,
  },
  {
    key: 'category',
    header: t.category,
    cell: ({ categoryRef, subCategoryRef }) =>
      categoryRef === null ? (
        <span className="text-soft">{t.noCategory}</span>
      ) : (
        <Link to={addresses.category(subCategoryRef?.id ?? categoryRef.id)}>
          {subCategoryRef === null ? categoryRef.name : `${categoryRef.name} / ${subCategoryRef.name}`}
        </Link>
      ),
    sortBy: ({ categoryRef, subCategoryRef }) =>
      categoryRef === null ? null : `${categoryRef.name} ${subCategoryRef?.name ?? ''}`,
    width: 200,
  },
  {
    key: 'priority',
    header: listTexts.priority,
    cell: ({ priority }) => priority,
    sortBy: ({ priority }) => priority,
    align: 'end',
    width: 80,
    grow: 0,
  },
  { key: 'schedule', header: t.schedule, cell: ({ schedule }) => <ScheduleText schedule={schedule} />, width: 210 },
  { key: 'budget', header: t.budget, cell: (offer) => <Budget offer={offer} />, width: 220 },
  {
    key: 'creatives',
    header: t.creatives,
    cell: ({ id, creatives }) => (
      <Link to={addresses.creatives({ offerId: id })} aria-label={t.creativesOf(String(creatives.length))}>
        {creatives.length}
      </Link>
    ),
    sortBy: ({ creatives }) => creatives.length,
    align: 'end',
    width: 80,
    grow: 0,
  },
  {
    key: 'shown',
    header: t.shown,
    cell: ({ id }) => <Link to={addresses.decisions({ offerId: id })}>{t.open}</Link>,
    width: 80,
    grow: 0,
  },
];

/** All offers. */
export function OfferList() {
  const [search, change] = useSearch(offerOperations.list.query);
  const categories = useList(categoryOperations.list, { query: { limit: 200 } });
  const byCategory = {
    key: 'categoryId',
    label: t.category,
    options: categories.rows.map(({ id, name }) => ({ value: id, label: name })),
  };
  return (
    <Page title={t.offers} lead={t.lead}>
      <RecordList
        operation={offerOperations.list}
        input={{ query: { limit: 100, ...search } }}
        label={t.offers}
        columns={columns}
        rowKey={({ id }) => id}
        rowTo={({ id }) => addresses.offer(id)}
        filters={search}
        onFilter={change}
        choices={[statusChoice, byCategory]}
        empty={
          <Empty title={t.empty} actions={<ButtonLink to={addresses.home()}>{t.home}</ButtonLink>}>
            {t.emptyText}
          </Empty>
        }
      />
    </Page>
  );
}
