import type { RecordedItem } from '@arbiter/contract/deciding/decision-record';
import type { DecisionRecord } from '@arbiter/contract/deciding/decisions';
import type { Explanation } from '@arbiter/contract/explanation/explanation';
import { textTexts } from '../../../messages/content/texts.ts';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { humanKey } from '../../../messages/human-key.ts';
import { Section } from '../../../ui/page.tsx';
import { HtmlPreview } from '../../../ui/preview/html-preview.tsx';
import { isMarkup } from '../../../ui/preview/markup.ts';

export interface CreativeTabProps {
  readonly record: DecisionRecord;
  readonly explanation: Explanation;
}

/** The content of each item as delivered. */
export function CreativeTab({ record, explanation }: CreativeTabProps) {
  const items = record.result?.items ?? [];
  const names = new Map(explanation.items.map(({ offerId, offerName }) => [offerId, offerName]));
  if (items.length === 0) return <p className="text-soft">{t.creativeNone}</p>;
  return (
    <div className="flex flex-col gap-4">
      <p className="text-soft">{t.creativeAbout}</p>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        {items.map((item) => (
          <Item key={item.rank} item={item} name={names.get(item.offerId) ?? t.unnamed} />
        ))}
      </div>
    </div>
  );
}

function Item({ item, name }: { readonly item: RecordedItem; readonly name: string }) {
  const { content = {}, personalization = {} } = item;
  const { _errors: errors, ...computed } = personalization;
  return (
    <Section title={t.creativeOf(item.rank, name)}>
      <div className="flex flex-col gap-3">
        {Object.keys(content).length === 0 ? (
          <p className="text-soft">{t.noContent}</p>
        ) : (
          <Words values={content} large />
        )}
        {Object.keys(computed).length === 0 ? null : (
          <>
            <h3 className="text-caption text-soft">{t.personalization}</h3>
            <Words values={computed} />
          </>
        )}
        {errors === undefined ? null : <p className="text-dense text-warn">{JSON.stringify(errors)}</p>}
      </div>
    </Section>
  );
}

function Value({ name, value }: { readonly name: string; readonly value: unknown }) {
  if (typeof value !== 'string') return JSON.stringify(value);
  return isMarkup(value) ? <HtmlPreview html={value} what={name} /> : value;
}

function Words({
  values,
  large = false,
}: {
  readonly values: Readonly<Record<string, unknown>>;
  readonly large?: boolean;
}) {
  return (
    <dl className="grid grid-cols-[8.5rem_minmax(0,1fr)] items-baseline gap-x-4 gap-y-1.5">
      {Object.entries(values).map(([key, value]) => (
        <div key={key} className="contents">
          <dt className="text-caption break-words text-faint">{textTexts.labels[key] ?? humanKey(key)}</dt>
          <dd className={large ? 'break-words whitespace-pre-wrap' : 'text-dense break-words'}>
            <Value name={key} value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
