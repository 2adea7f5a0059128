import type { BoundCreative } from '@arbiter/contract/catalogue/channels';
import { nameColumn, statusColumn } from '../../forms/record-columns.tsx';
import { RecordLink } from '../../forms/record-name.tsx';
import { channelTexts as t } from '../../messages/channels.ts';
import { addresses } from '../../route/addresses.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { DataTable } from '../../ui/table.tsx';
import type { Column } from '../../ui/table-column.ts';

const columns: readonly Column<BoundCreative>[] = [
  nameColumn(230),
  {
    key: 'offer',
    header: t.offer,
    cell: ({ offerId }) => <RecordLink kind="offer" id={offerId} />,
    text: ({ offerId }) => offerId,
    width: 190,
  },
  {
    key: 'placement',
    header: t.placement,
    cell: ({ placementId }) =>
      placementId === null ? (
        <span className="text-soft">{t.openToAnyShort}</span>
      ) : (
        <RecordLink kind="placement" id={placementId} />
      ),
    text: ({ placementId }) => placementId ?? t.openToAnyShort,
    width: 130,
  },
  statusColumn,
];

export interface BoundCreativesProps {
  readonly label: string;
  readonly creatives: readonly BoundCreative[];
  /** The page already names the placement. */
  readonly ofOnePlacement?: boolean;
}

/** Creatives of a channel or placement. Only visible rows render, so names load as they appear. */
export function BoundCreatives({ label, creatives, ofOnePlacement = false }: BoundCreativesProps) {
  return (
    <DataTable
      label={label}
      columns={ofOnePlacement ? columns.filter(({ key }) => key !== 'placement') : columns}
      rows={creatives}
      rowKey={({ id }) => id}
      rowTo={({ id }) => addresses.creative(id)}
      complete
      maxHeight="27.25rem"
      empty={
        <Empty
          title={t.noCreatives}
          level={3}
          actions={<ButtonLink to={addresses.offers()}>{t.openOffers}</ButtonLink>}
        >
          {t.noCreativesText}
        </Empty>
      }
    />
  );
}
