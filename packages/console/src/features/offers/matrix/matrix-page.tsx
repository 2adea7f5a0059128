import { channelOperations } from '@arbiter/contract/catalogue/channels';
import { creativeOperations } from '@arbiter/contract/catalogue/creatives';
import { type Offer, offerOperations } from '@arbiter/contract/catalogue/offers';
import { useMemo } from 'react';
import Type from 'typebox';
import { can } from '../../../data/can.ts';
import { useList } from '../../../data/use-operation.ts';
import { ListTable } from '../../../forms/list-table.tsx';
import { nameColumn } from '../../../forms/record-columns.tsx';
import { offerTexts } from '../../../messages/catalogue/offers.ts';
import { offerMatrixTexts as t } from '../../../messages/outlook/offer-matrix.ts';
import { addresses } from '../../../route/addresses.ts';
import { useSearch } from '../../../route/use-address.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { CheckField } from '../../../ui/field.tsx';
import { Link } from '../../../ui/link.tsx';
import { Page } from '../../../ui/page.tsx';
import type { Column } from '../../../ui/table/table-column.ts';
import { cellOf, hasHole } from './cells.ts';

const Search = Type.Object({ holes: Type.Optional(Type.Boolean()) });

/** Which active offers have creatives on which channels, and where one is missing. */
export function MatrixPage() {
  const [{ holes = false }, change] = useSearch(Search);
  const offers = useList(offerOperations.list, { query: { status: 'active', limit: 200 } });
  const channels = useList(channelOperations.list, { query: { status: 'active', limit: 200 } });
  const columns = useMemo(() => columnsOf(channels.rows), [channels.rows]);
  const ids = channels.rows.map(({ id }) => id);
  const rows = holes ? offers.rows.filter((offer) => hasHole(offer, ids)) : offers.rows;
  return (
    <Page title={t.title} lead={t.lead} parents={[{ title: offerTexts.offers, to: addresses.offers() }]}>
      <div className="flex min-w-0 flex-col gap-3">
        <CheckField
          label={t.onlyHoles}
          help={offers.complete ? undefined : t.ofLoaded}
          checked={holes}
          onChange={({ target }) => change({ holes: target.checked || undefined })}
        />
        <ListTable
          list={{ ...offers, rows, loading: offers.loading || channels.loading }}
          operation={offerOperations.list}
          label={offerTexts.offers}
          columns={columns}
          rowKey={({ id }) => id}
          rowTo={({ id }) => addresses.offer(id)}
          maxHeight="max(24rem, calc(100dvh - 16rem))"
          filtered={holes}
          empty={
            <Empty title={t.empty} actions={<ButtonLink to={addresses.offers()}>{offerTexts.offers}</ButtonLink>}>
              {t.emptyText}
            </Empty>
          }
          filteredEmpty={<Empty title={t.noHoles}>{t.noHolesText}</Empty>}
        />
      </div>
    </Page>
  );
}

const columnsOf = (channels: readonly { readonly id: string; readonly name: string }[]): readonly Column<Offer>[] => [
  nameColumn(240),
  ...channels.map(
    (channel): Column<Offer> => ({
      key: channel.id,
      header: channel.name,
      cell: (offer) => <Cell offer={offer} channel={channel} />,
      text: (offer) => cellOf(offer, channel.id).active,
      width: 160,
    }),
  ),
];

interface CellProps {
  readonly offer: Offer;
  readonly channel: { readonly id: string; readonly name: string };
}

function Cell({ offer, channel }: CellProps) {
  const { active, idle } = cellOf(offer, channel.id);
  const to = addresses.creatives({ offerId: offer.id, channelId: channel.id });
  if (active > 0) return <Link to={to}>{t.active(active)}</Link>;
  if (idle > 0) {
    return (
      <Link to={to} className="text-warn">
        {t.idle(idle)}
      </Link>
    );
  }
  if (!can(creativeOperations.create).allowed) return <span className="text-faint">{offerTexts.hole}</span>;
  return (
    <Link
      to={addresses.newCreative({ offerId: offer.id, channelId: channel.id })}
      title={t.addTo(offer.name, channel.name)}
    >
      {offerTexts.add}
    </Link>
  );
}
