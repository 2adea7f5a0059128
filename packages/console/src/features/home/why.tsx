import type { RecommendAnswer } from '@arbiter/contract/deciding/recommendation';
import { homeTexts as t } from '../../messages/home.ts';
import { addresses } from '../../route/addresses.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { useFormat } from '../../ui/provider.tsx';

const factors = ['propensity', 'relevance', 'impact', 'emphasis', 'fitMultiplier'] as const;

/** Of what the score of the first offer is made, and the way to the whole explanation. */
export function Why({ answer }: { answer: RecommendAnswer | null }) {
  const format = useFormat();
  if (answer === null) return <p className="text-soft">{t.whyWait}</p>;
  const [item, next] = answer.decisions;
  const { recommendationId } = answer;
  const { channelId } = answer;
  return (
    <>
      {item?.scoreComponents === undefined ? (
        <p className="text-soft">{t.whyEmpty}</p>
      ) : (
        <>
          <p>
            {next === undefined || next.score === undefined || item.score === undefined
              ? t.whyAlone(item.offerName ?? '')
              : t.whyFirst(
                  item.offerName ?? '',
                  format.fixed(item.score, 3),
                  next.offerName ?? '',
                  format.fixed(next.score, 3),
                )}
          </p>
          <dl className="flex flex-col gap-1.5">
            {factors.map((name) => {
              const value = item.scoreComponents?.[name] ?? 0;
              return (
                <div
                  key={name}
                  className="grid grid-cols-[12rem_minmax(0,1fr)_3.5rem] items-center gap-3 max-sm:grid-cols-[6rem_minmax(0,1fr)_3.5rem]"
                >
                  <dt className="text-soft">
                    {t.factors[name]}
                    <span className="text-dense text-faint max-sm:hidden">, {t.factorHelps[name]}</span>
                  </dt>
                  <dd className="h-2 overflow-hidden rounded-control bg-sunken" aria-hidden>
                    <div
                      data-mark
                      className="h-full bg-accent"
                      style={{ width: `${Math.round(Math.min(1, Math.max(0, value)) * 100)}%` }}
                    />
                  </dd>
                  <dd className="text-end tabular-nums">{format.fixed(value, 3)}</dd>
                </div>
              );
            })}
            <div className="grid grid-cols-[6rem_minmax(0,1fr)_3.5rem] gap-3 border-line border-t pt-1.5 font-medium">
              <dt className="col-span-2">
                {t.score} · {item.offerName}
              </dt>
              <dd className="text-end tabular-nums">{item.score === undefined ? '' : format.fixed(item.score, 3)}</dd>
            </div>
          </dl>
          <p className="text-dense text-soft">{t.whyParts}</p>
        </>
      )}
      {recommendationId === null ? (
        <ButtonLink
          className="w-fit"
          to={addresses.simulate({
            customer: answer.customerId,
            ...(channelId === null ? {} : { channel: channelId }),
          })}
        >
          {t.openShow}
        </ButtonLink>
      ) : (
        <ButtonLink kind="primary" className="w-fit" to={addresses.decision(recommendationId)}>
          {t.openDecision}
        </ButtonLink>
      )}
    </>
  );
}
