import type { BoundCreative } from '@arbiter/contract/channels';
import { RecordLink } from '../../forms/record-name.tsx';
import { StatusBadge } from '../../forms/status-badge.tsx';
import { channelTexts as t } from '../../messages/channels.ts';
import { listTexts } from '../../messages/lists.ts';
import { addresses } from '../../route/addresses.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { DataTable } from '../../ui/table.tsx';
import type { Column } from '../../ui/table-column.ts';

const columns: readonly Column<BoundCreative>[] = [
  { key: 'name', header: listTexts.name, cell: ({ name }) => name, sortBy: ({ name }) => name, width: 230, grow: 2 },
  {
    key: 'offer',
    header: t.offer,
    cell: ({ offerId }) => <RecordLink kind="offer" id={offerId} />,
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
    width: 130,
  },
  {
    key: 'status',
    header: listTexts.status,
    cell: ({ status }) => <StatusBadge status={status} />,
    sortBy: ({ status }) => status,
    width: 100,
    grow: 0,
  },
];

export interface BoundCreativesProps {
  readonly label: string;
  readonly creatives: readonly BoundCreative[];
  /** The placement is known from the page. */
  readonly ofOnePlacement?: boolean;
}

/** Creatives of a channel or a placement. Rows outside the window are not drawn, so names are asked for as they come. */
export function BoundCreatives({ label, creatives, ofOnePlacement = false }: BoundCreativesProps) {
  return (
    <DataTable
      label={label}
      columns={ofOnePlacement ? columns.filter(({ key }) => key !== 'placement') : columns}
      rows={creatives}
      rowKey={({ id }) => id}
      rowTo={({ id }) => addresses.creative(id)}
      complete
      maxHeight="26rem"
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
