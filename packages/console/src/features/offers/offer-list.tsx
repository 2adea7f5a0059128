import { categoryOperations } from '@arbiter/contract/catalogue/categories';
import { type Offer, offerOperations } from '@arbiter/contract/catalogue/offers';
import { useMemo } from 'react';
import { useList } from '../../data/use-operation.ts';
import {
  creativesColumn,
  decisionsColumn,
  nameColumn,
  priorityColumn,
  statusColumn,
} from '../../forms/record-columns.tsx';
import { choiceOf, RecordListPage } from '../../forms/record-list.tsx';
import { statusChoice } from '../../forms/status-badge.tsx';
import { offerTexts as t } from '../../messages/offers.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import { Link } from '../../ui/link.tsx';
import type { Column } from '../../ui/table-column.ts';
import { limitsOf, plainLimit, tightest } from './limits.ts';
import { Meter } from './meter.tsx';
import { plainSchedule, ScheduleText } from './schedule-text.tsx';
import { useToday } from './use-today.ts';

/** The limit that is nearest to its end. */
function Budget({ offer }: { readonly offer: Offer }) {
  const limit = tightest(limitsOf(offer, useToday()));
  if (limit === null) return <span className="text-soft">{t.noBudget}</span>;
  return <Meter limit={limit} currency={offer.budget.currency} small />;
}

/** `today`: the day in the tenant's zone, to which counters of a day belong. */
const columnsOn = (today: string): readonly Column<Offer>[] => [
  nameColumn(240),
  statusColumn,
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
    text: ({ categoryRef, subCategoryRef }) =>
      categoryRef === null
        ? t.noCategory
        : [categoryRef, subCategoryRef].flatMap((one) => (one === null ? [] : [one.name])).join(' / '),
    sortBy: ({ categoryRef, subCategoryRef }) =>
      categoryRef === null ? null : `${categoryRef.name} ${subCategoryRef?.name ?? ''}`,
    width: 200,
  },
  priorityColumn,
  {
    key: 'schedule',
    header: t.schedule,
    cell: ({ schedule }) => <ScheduleText schedule={schedule} />,
    text: ({ schedule }) => plainSchedule(schedule),
    width: 210,
    halfCard: true,
  },
  {
    key: 'budget',
    header: t.budget,
    cell: (offer) => <Budget offer={offer} />,
    text: (offer) => plainLimit(offer, today) ?? t.noBudget,
    width: 170,
    halfCard: true,
  },
  creativesColumn(t.creatives, (id) => addresses.creatives({ offerId: id })),
  decisionsColumn((id) => addresses.decisions({ offerId: id })),
];

/** All offers. */
export function OfferList() {
  const today = useToday();
  const columns = useMemo(() => columnsOn(today), [today]);
  const [search, change] = useSearch(offerOperations.list.query);
  const list = useList(offerOperations.list, { query: { limit: 100, ...search } });
  const categories = useList(categoryOperations.list, { query: { limit: 200 } });
  const byCategory = choiceOf('categoryId', t.category, categories.rows);
  return (
    <RecordListPage
      list={list}
      operation={offerOperations.list}
      title={t.offers}
      lead={t.lead}
      columns={columns}
      rowTo={addresses.offer}
      filters={search}
      onFilter={change}
      choices={[statusChoice, byCategory]}
      empty={{ title: t.empty, text: t.emptyText }}
    />
  );
}
