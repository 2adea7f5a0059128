import { neverExpires, type Suppression } from '@arbiter/contract/deciding/suppressions';
import type { ReactNode } from 'react';
import { RecordLink } from '../../forms/record-name.tsx';
import { suppressionTexts as t } from '../../messages/catalogue/suppressions.ts';
import { addresses } from '../../route/addresses.ts';
import { Badge } from '../../ui/badge.tsx';
import { Link } from '../../ui/link.tsx';
import { useFormat } from '../../ui/provider.tsx';
import type { Column } from '../../ui/table/table-column.ts';

function Moment({ at }: { readonly at: string }) {
  const format = useFormat();
  return <time dateTime={at}>{format.moment(at)}</time>;
}

function Until({ row: { expiresAt, isActive } }: { readonly row: Suppression }) {
  if (expiresAt === neverExpires) return t.never;
  return (
    <span className="inline-flex items-center gap-2">
      <Moment at={expiresAt} />
      {isActive ? null : <Badge tone="neutral">{t.over}</Badge>}
    </span>
  );
}

const reasonOf = ({ policyType, reason }: Suppression): string =>
  policyType === 'cooldown' ? t.cooldown : t.afterOutcome(reason);

function What({ row: { scope, scopeId, offerName } }: { readonly row: Suppression }) {
  if (scope === 'global') return t.everything;
  if (scope === 'category') return <RecordLink kind="category" id={scopeId} />;
  return offerName === null ? (
    <RecordLink kind="offer" id={scopeId} />
  ) : (
    <Link to={addresses.offer(scopeId)}>{offerName}</Link>
  );
}

/** Columns of the list. `lift`: the button that ends a row. */
export const suppressionColumns = (lift: (row: Suppression) => ReactNode): readonly Column<Suppression>[] => [
  {
    key: 'customer',
    header: t.customer,
    cell: ({ customerId }) => <Link to={addresses.customer(customerId)}>{customerId}</Link>,
    text: ({ customerId }) => customerId,
    width: 170,
  },
  {
    key: 'what',
    header: t.what,
    cell: (row) => <What row={row} />,
    text: ({ scope, scopeId, offerName }) => (scope === 'global' ? t.everything : (offerName ?? scopeId)),
    width: 190,
  },
  { key: 'reason', header: t.reason, cell: reasonOf, text: reasonOf, width: 220, grow: 2 },
  {
    key: 'by',
    header: t.by,
    cell: ({ policyType, policyId }) =>
      policyId === null ? t.types[policyType] : <Link to={addresses.policy(policyId)}>{t.types[policyType]}</Link>,
    text: ({ policyType }) => t.types[policyType],
    width: 110,
    grow: 0,
  },
  {
    key: 'since',
    header: t.since,
    cell: ({ createdAt }) => <Moment at={createdAt} />,
    text: ({ createdAt }) => createdAt,
    width: 140,
    grow: 0,
  },
  {
    key: 'until',
    header: t.until,
    cell: (row) => <Until row={row} />,
    text: ({ expiresAt }) => (expiresAt === neverExpires ? t.never : expiresAt),
    width: 150,
    grow: 0,
  },
  { key: 'lift', header: '', cell: lift, text: null, width: 100, grow: 0 },
];
