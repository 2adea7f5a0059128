import type { RecommendAnswer } from '@arbiter/contract/deciding/recommendation';
import type { EmptyReason } from '@arbiter/engine';
import { emptyTexts } from '../../messages/drops.ts';
import { homeTexts as t } from '../../messages/home.ts';
import { Badge } from '../../ui/badge.tsx';
import { useFormat } from '../../ui/provider.tsx';

/** Words of a creative that say most, in the order in which one is taken. */
const leading = ['subject', 'headline', 'title', 'body', 'message'] as const;

function words(content: unknown): string | null {
  if (typeof content !== 'object' || content === null) return null;
  for (const name of leading) {
    const text: unknown = Reflect.get(content, name);
    if (typeof text === 'string' && text !== '') return text;
  }
  return null;
}

const isEmptyReason = (reason: string): reason is EmptyReason => reason in emptyTexts;

/** What was decided: the offers in their order with the words the customer would see, or why there is none. */
export function Outcome({ answer }: { answer: RecommendAnswer }) {
  const format = useFormat();
  const reason = answer.emptyReason;
  return (
    <div className="flex flex-col gap-2" role="status">
      {answer.known ? null : <p className="text-dense text-warn">{t.unknown}</p>}
      {answer.decisions.length === 0 ? (
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone="block">{reason !== null && isEmptyReason(reason) ? emptyTexts[reason].title : t.nothing}</Badge>
          <span className="text-soft">
            {reason !== null && isEmptyReason(reason) ? emptyTexts[reason].text : reason}
          </span>
        </p>
      ) : (
        <ol className="divide-y divide-line rounded-card border border-line">
          {answer.decisions.map((item) => (
            <li key={item.rank} className="grid grid-cols-[auto_minmax(0,1fr)_auto] gap-x-3 px-3 py-2">
              <span className="text-soft">#{item.rank}</span>
              <span className="min-w-0">
                <span className="font-medium">{item.offerName}</span>
                <span className="block truncate text-dense text-soft">{words(item.content)}</span>
              </span>
              <span className="tabular-nums">{item.score === undefined ? '' : format.fixed(item.score, 3)}</span>
            </li>
          ))}
        </ol>
      )}
      {answer.dryRun ? <p className="text-dense text-soft">{t.forShow}</p> : null}
    </div>
  );
}
