import type { Simulation } from '@arbiter/contract/deciding/simulations';
import { impactTexts as t } from '../../messages/outlook/impact.ts';
import { addresses } from '../../route/addresses.ts';
import { Link } from '../../ui/link.tsx';
import { useFormat } from '../../ui/provider.tsx';

/** Offers shown per list. */
const maxOffers = 8;

/** Names of what is compared. */
export interface ImpactSides {
  readonly own: string;
  readonly other: string;
}

export interface ImpactFiguresProps {
  readonly simulation: Simulation;
  readonly sides: ImpactSides;
}

/** Shows the result of a simulation: how many customers get different offers, and which offers gain and lose. */
export function ImpactFigures({ simulation, sides }: ImpactFiguresProps) {
  const format = useFormat();
  const { sampledCustomers: sampled, compare, diff } = simulation;
  if (sampled === 0) return <p>{t.nobody}</p>;
  const number = (value: number) => format.number(value);
  const score = (value: number | null | undefined) => (value == null ? '–' : format.fixed(value, 3));
  const rows = [
    [t.reached, number(simulation.customersWithOffers), compare && number(compare.customersWithOffers)],
    [t.delivered, number(simulation.offersDelivered), compare && number(compare.offersDelivered)],
    [t.score, score(simulation.averageScore), compare && score(compare.averageScore)],
  ] as const;
  return (
    <div className="flex flex-col gap-3">
      {diff === null ? null : (
        <p className="font-medium">
          {diff.changedCustomers === 0
            ? t.same(number(sampled))
            : t.changed(
                format.percent(diff.changedCustomers / sampled),
                number(diff.changedCustomers),
                number(sampled),
              )}
        </p>
      )}
      <div className="overflow-x-auto">
        <table className="text-dense">
          <thead>
            <tr className="text-caption text-soft">
              <td />
              <th scope="col" className="px-3 text-end font-medium">
                {sides.own}
              </th>
              {compare === null ? null : (
                <th scope="col" className="px-3 text-end font-medium">
                  {sides.other}
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map(([label, draft, live]) => (
              <tr key={label}>
                <th scope="row" className="py-0.5 pe-3 text-start font-normal text-soft">
                  {label}
                </th>
                <td className="px-3 text-end font-medium">{draft}</td>
                {compare === null ? null : <td className="px-3 text-end">{live}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {diff === null ? null : (
        <div className="grid gap-4 sm:grid-cols-2">
          <OfferList title={t.gained} sign="+" offers={diff.gained} />
          <OfferList title={t.lost} sign="−" offers={diff.lost} />
        </div>
      )}
    </div>
  );
}

interface OfferListProps {
  readonly title: string;
  readonly sign: string;
  readonly offers: readonly { readonly offerId: string; readonly offerName: string; readonly count: number }[];
}

function OfferList({ title, sign, offers }: OfferListProps) {
  const format = useFormat();
  if (offers.length === 0) return null;
  return (
    <section aria-label={title} className="min-w-0 text-dense">
      <h3 className="text-caption font-semibold text-soft">{title}</h3>
      <ul>
        {offers.slice(0, maxOffers).map(({ offerId, offerName, count }) => (
          <li key={offerId} className="flex justify-between gap-3 py-0.5">
            <Link to={addresses.offer(offerId)} className="min-w-0 truncate">
              <span dir="auto">{offerName}</span>
            </Link>
            <span className="shrink-0">
              {sign}
              {t.customers(format.number(count))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
