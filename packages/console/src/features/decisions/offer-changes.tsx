import { decisionTexts as t } from '../../messages/decisions.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { useFormat } from '../../ui/provider.tsx';
import type { Change, OfferDifference, OfferSide } from './differences.ts';
import { reasonText } from './drops.ts';

const tones: Readonly<Record<Change, Tone>> = {
  gained: 'pass',
  lost: 'block',
  moved: 'info',
  reason: 'warn',
  rescored: 'neutral',
  same: 'neutral',
};

/** Offers of two decisions, each with what became of it before and after. */
export function OfferChanges({
  rows,
  a,
  b,
}: {
  readonly rows: readonly OfferDifference[];
  readonly a?: string;
  readonly b?: string;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <section aria-label={t.compareOffers} tabIndex={0} className="overflow-x-auto">
      <table className="w-full min-w-130 text-dense">
        <thead className={a === undefined ? 'hidden-text' : ''}>
          <tr className="border-b border-line text-caption text-soft">
            <th scope="col" className="py-1 pe-3 text-start font-medium">
              {t.offers}
            </th>
            <th scope="col" className="py-1 pe-3 text-start font-medium" />
            <th scope="col" className="py-1 pe-3 text-start font-medium">
              {a}
            </th>
            <th scope="col" className="py-1 text-start font-medium">
              {b}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.offerId} className="border-b border-line last:border-0">
              <th scope="row" className="max-w-60 truncate py-1.5 pe-3 text-start font-medium">
                {row.name ?? row.offerId}
              </th>
              <td className="py-1.5 pe-3">
                <Badge tone={tones[row.change]}>{t.changes[row.change] ?? row.change}</Badge>
              </td>
              <td className="py-1.5 pe-3 text-soft">
                <Side side={row.a} />
              </td>
              <td className="py-1.5">
                <Side side={row.b} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Side({ side }: { readonly side: OfferSide | null }) {
  const format = useFormat();
  if (side === null) return t.notThere;
  const { fate, rank, score, reason } = side;
  const where = rank === null ? (reason === null ? t.fates[fate] : reasonText(reason).title) : t.shownAt(rank);
  return score === null ? where : `${where} · ${format.fixed(score, 4)}`;
}
