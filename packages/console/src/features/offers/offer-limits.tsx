import type { Offer } from '@arbiter/contract/catalogue/offers';
import { listText } from '../../messages/conditions.ts';
import { offerTexts as t } from '../../messages/offers.ts';
import { Facts } from '../../ui/facts.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { limitsOf } from './limits.ts';
import { limitTexts, Meter, moneyText } from './meter.tsx';
import { useToday } from './use-today.ts';

const periods = ['daily', 'weekly', 'monthly', 'total'] as const;

/** Budget, stock and caps: what is set, and how much of it is used. */
export function Limits({ offer }: { readonly offer: Offer }) {
  const format = useFormat();
  const { budget, frequencyCaps } = offer;
  const limits = limitsOf(offer, useToday());
  const perCustomer = frequencyCaps.perCustomer ?? {};
  const caps = periods.flatMap((period) => {
    const most = perCustomer[period];
    return typeof most === 'number' ? [`${format.number(most)} ${t.capPeriods[period]}`] : [];
  });
  const prices = [
    { cents: budget.costPerImpressionCents, text: t.perImpression },
    { cents: budget.costPerClickCents, text: t.perClick },
    { cents: budget.costPerConversionCents, text: t.perConversion },
  ].flatMap(({ cents, text }) =>
    typeof cents === 'number' ? [`${moneyText(format, cents, budget.currency)} ${text}`] : [],
  );
  const nothing = limits.length === 0 && caps.length === 0;
  return (
    <Section title={t.limits}>
      {nothing ? <p className="text-soft">{t.noLimits}</p> : null}
      <Facts
        facts={[
          ...limits.map((limit) => ({
            label: limitTexts[limit.key],
            value: <Meter limit={limit} currency={budget.currency} />,
          })),
          { label: t.caps, value: caps.length === 0 ? null : t.atMost(listText(caps)) },
          { label: t.cost, value: prices.length === 0 ? null : listText(prices) },
        ]}
      />
      {limits.length === 0 ? null : <p className="pt-2 text-caption text-faint">{t.counters}</p>}
    </Section>
  );
}
