import { offerTexts as t } from '../../messages/catalogue/offers.ts';
import { cx } from '../../ui/cx.ts';
import type { Format } from '../../ui/format.ts';
import { useFormat } from '../../ui/provider.tsx';
import { type Limit, usedShare } from './limits.ts';

export const limitTexts: Readonly<Record<Limit['key'], string>> = {
  dayCost: t.dayCost,
  lifeCost: t.lifeCost,
  dayShown: t.dayShown,
  lifeShown: t.lifeShown,
  stock: t.stock,
};

/** Cents as money of a currency; without one, of the tenant's. */
export function moneyText(format: Format, cents: number, currency: string | null | undefined): string {
  const { locale, currency: usual } = format.locale;
  return new Intl.NumberFormat(locale, { style: 'currency', currency: currency ?? usual }).format(cents / 100);
}

export interface MeterProps {
  readonly limit: Limit;
  readonly currency: string | null | undefined;
  /** Short form for a row of a list. */
  readonly small?: boolean;
}

/** How much of a limit is used: a bar, and the same in words. */
export function Meter({ limit, currency, small = false }: MeterProps) {
  const format = useFormat();
  const share = usedShare(limit);
  const amount = (value: number) =>
    limit.unit === 'cents' ? moneyText(format, value, currency) : format.number(value);
  const words =
    limit.key === 'stock'
      ? t.stockLeft(amount(limit.most - limit.used), amount(limit.most))
      : t.usedOf(amount(limit.used), amount(limit.most));
  const full = limit.most === 0 ? t.closed : share >= 1 ? t.usedUp : null;
  return (
    <span className={small ? 'flex min-w-0 items-center gap-2' : 'flex flex-col gap-1'}>
      <span
        aria-hidden
        className={cx('h-1.5 overflow-hidden rounded-control bg-sunken', small ? 'w-10 shrink-0' : 'w-full')}
      >
        <span
          data-mark
          className={cx('block h-full', share >= 1 ? 'bg-block' : share >= 0.8 ? 'bg-warn' : 'bg-accent')}
          style={{ width: `${share * 100}%` }}
        />
      </span>
      <span className="truncate">
        {words}
        {full === null ? null : <span className="font-medium text-block"> · {full}</span>}
        {small ? <span className="text-faint"> {t.ofLimit[limit.key]}</span> : null}
      </span>
    </span>
  );
}
