import { categoryOperations } from '@arbiter/contract/catalogue/categories';
import { type Offer, offerOperations } from '@arbiter/contract/catalogue/offers';
import { useMemo } from 'react';
import { useList } from '../../data/use-operation.ts';
import { statusField } from '../../forms/bulk/bulk-fields.ts';
import { CreateLink } from '../../forms/editing/record-links.tsx';
import { choiceOf } from '../../forms/list-filters.tsx';
import { creativesColumn, nameColumn, priorityColumn, statusColumn } from '../../forms/record-columns.tsx';
import { RecordList } from '../../forms/record-list.tsx';
import { statusChoice } from '../../forms/status-badge.tsx';
import { catalogueTitles } from '../../messages/catalogue/catalogue-titles.ts';
import { offerTexts as t } from '../../messages/catalogue/offers.ts';
import { addresses } from '../../route/addresses.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Link } from '../../ui/link.tsx';
import { useFormat } from '../../ui/provider.tsx';
import type { Column } from '../../ui/table/table-column.ts';
import { limitsOf, plainLimit, tightest } from './limits.ts';
import { Meter } from './meter.tsx';
import { type OfferFigures, useOfferFigures } from './offer-figures.ts';
import { plainSchedule, ScheduleText } from './schedule-text.tsx';
import { useToday } from './use-today.ts';

/** The limit with the highest usage. */
function Budget({ offer }: { readonly offer: Offer }) {
  const limit = tightest(limitsOf(offer, useToday()));
  if (limit === null) return <span className="text-soft">{t.noBudget}</span>;
  return <Meter limit={limit} currency={offer.budget.currency} small />;
}

type FiguresOf = ReturnType<typeof useOfferFigures>;

/** `today`: the day in the tenant's zone, to which counters of a day belong. */
const columnsOn = (today: string, figuresOf: FiguresOf): readonly Column<Offer>[] => [
  nameColumn(190),
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
    width: 216,
    grow: 2,
  },
  priorityColumn,
  {
    key: 'schedule',
    header: t.schedule,
    cell: ({ schedule }) => <ScheduleText schedule={schedule} />,
    text: ({ schedule }) => plainSchedule(schedule),
    width: 96,
    halfCard: true,
  },
  {
    key: 'budget',
    header: t.budget,
    cell: (offer) => <Budget offer={offer} />,
    text: (offer) => plainLimit(offer, today) ?? t.noBudget,
    width: 96,
    halfCard: true,
  },
  {
    key: 'impressions',
    header: t.shown7,
    cell: ({ id }) => <Impressions id={id} of={figuresOf(id)} />,
    text: ({ id }) => figuresOf(id).impressions,
    align: 'end',
    width: 124,
    grow: 0,
  },
  {
    key: 'conversion',
    header: t.conversion7,
    cell: ({ id }) => <Conversion of={figuresOf(id)} />,
    text: ({ id }) => figuresOf(id).conversion,
    align: 'end',
    width: 124,
    grow: 0,
  },
  creativesColumn(t.creatives, (id) => addresses.creatives({ offerId: id })),
];

const bulk = {
  operations: offerOperations,
  fields: [statusField, { name: 'categoryId' }, { name: 'priority' }, { name: 'tags' }],
  spec: { labels: { '/categoryId': t.category }, help: { '/categoryId': '' } },
};

interface FigureProps {
  readonly of: OfferFigures;
}

/** Impressions, linked to the decisions that showed the offer. */
function Impressions({ id, of: { impressions } }: FigureProps & { readonly id: string }) {
  const format = useFormat();
  return (
    <Link to={addresses.decisions({ offerId: id })} title={t.openDecisions}>
      {impressions === null ? '–' : format.number(impressions)}
    </Link>
  );
}

function Conversion({ of: { conversion } }: FigureProps) {
  const format = useFormat();
  return conversion === null ? <span className="text-faint">–</span> : format.percent(conversion, 1);
}

/** All offers. */
export function OfferList() {
  const today = useToday();
  const figuresOf = useOfferFigures();
  const columns = useMemo(() => columnsOn(today, figuresOf), [today, figuresOf]);
  const categories = useList(categoryOperations.list, { query: { limit: 200 } });
  return (
    <RecordList
      kind="offer"
      operation={offerOperations.list}
      lead={t.lead}
      actions={
        <>
          <ButtonLink to={addresses.offerMatrix()}>{catalogueTitles.offerMatrix}</ButtonLink>
          <CreateLink kind="offer" operation={offerOperations.create} />
        </>
      }
      columns={columns}
      bulk={bulk}
      choices={[statusChoice, choiceOf('categoryId', t.category, categories.rows)]}
      empty={{
        title: t.empty,
        text: t.emptyText,
        next: <CreateLink kind="offer" operation={offerOperations.create} />,
      }}
    />
  );
}
