import { profileTexts as t } from '../../messages/catalogue/ranking-profiles.ts';
import { useFormat } from '../../ui/provider.tsx';
import { sharesOf } from './weights.ts';

/** The share of each objective, as bars with their numbers. */
export function WeightBars({ weights }: { readonly weights: unknown }) {
  const format = useFormat();
  const shares = sharesOf(weights);
  if (shares.length === 0) return <p className="text-soft">{t.noWeight}</p>;
  return (
    <ul className="flex flex-col gap-2">
      {shares.map(({ key, weight, share }) => (
        <li key={key} className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 gap-y-1 text-dense">
          <span className="min-w-0 break-words">{t.objectives[key] ?? key}</span>
          <span className="tabular-nums">
            {format.percent(share)} <span className="text-faint">({format.number(weight)})</span>
          </span>
          <span aria-hidden className="col-span-2 h-1.5 overflow-hidden rounded-control bg-sunken">
            <span data-mark className="block h-full bg-accent" style={{ width: `${share * 100}%` }} />
          </span>
        </li>
      ))}
    </ul>
  );
}
