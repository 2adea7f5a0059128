import type { Creative } from '@arbiter/contract/catalogue/creatives';
import { placementOperations } from '@arbiter/contract/catalogue/placements';
import { useOperation } from '../../data/use-operation.ts';
import { lengthOf, partsOf, type ShownContent, shownOf } from '../../forms/texts/shown-texts.ts';
import { creativeTexts as t } from '../../messages/catalogue/creatives.ts';
import { textTexts } from '../../messages/content/texts.ts';
import { humanKey } from '../../messages/human-key.ts';
import { previewTexts } from '../../messages/preview.ts';
import { Badge } from '../../ui/badge.tsx';
import { later } from '../../ui/later.tsx';
import { Section } from '../../ui/page.tsx';
import { HtmlPreview, SourceText } from '../../ui/preview/html-preview.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { Segmented } from '../../ui/segmented.tsx';

/** A separate chunk: few creatives show an item. */
const ContentItemLink = later(() => import('./content-item-link.tsx').then((module) => module.ContentItemLink));

export interface ContentProps {
  readonly creative: Creative;
  readonly view: 'words' | 'json';
  readonly onView: (view: 'words' | 'json') => void;
}

/** The stored content. Nothing runs: HTML renders in its own frame, and links don't work. */
export function Content({ creative, view, onView }: ContentProps) {
  const { content, contentItemId, placementId } = creative;
  const placement = useOperation(
    placementOperations.get,
    { params: { id: placementId ?? '' } },
    { enabled: placementId !== null },
  );
  const rules = placement.data?.schema ?? null;
  const shown = shownOf(content);
  const missing = (rules?.requiredFields ?? []).filter((key) => content[key] === undefined || content[key] === '');
  return (
    <Section
      title={t.content}
      actions={
        <Segmented
          label={t.view}
          options={[
            { key: 'words', label: t.words },
            { key: 'json', label: t.raw },
          ]}
          value={view}
          onChange={onView}
        />
      }
    >
      <div className="flex flex-col gap-4">
        {missing.map((key) => (
          <p key={key} className="text-dense text-warn">
            {t.missing(key)}
          </p>
        ))}
        {shown.length === 0 ? <p className="text-soft">{t.noContent}</p> : null}
        {contentItemId === null ? null : (
          <p className="text-dense">
            {t.contentItem} <ContentItemLink id={contentItemId} />{' '}
            <span className="text-soft">{t.contentItemLong}</span>
          </p>
        )}
        {view === 'json' ? (
          <SourceText text={JSON.stringify(content, null, 2)} label={t.raw} />
        ) : (
          <>
            <dl className="flex flex-col gap-3">
              {shown.map((one) => (
                <div key={one.key} className="flex flex-col gap-1">
                  <dt className="flex flex-wrap items-center gap-2">
                    <span className="text-caption text-faint">{textTexts.labels[one.key] ?? humanKey(one.key)}</span>
                    {one.kind === 'markup' ? <Badge tone="info">{previewTexts.html}</Badge> : null}
                    {one.kind === 'json' ? <Badge tone="neutral">{t.json}</Badge> : null}
                    <Length text={one.text} most={one.kind === 'json' ? undefined : rules?.maxLength?.[one.key]} />
                  </dt>
                  <dd className="min-w-0">
                    <Value shown={one} />
                  </dd>
                </div>
              ))}
            </dl>
            {shown.length === 0 ? null : <p className="text-caption text-faint">{t.contentLead}</p>}
          </>
        )}
      </div>
    </Section>
  );
}

/** Usage of the placement's maximum length. */
function Length({ text, most }: { readonly text: string; readonly most: number | undefined }) {
  const format = useFormat();
  if (most === undefined) return null;
  const used = lengthOf(text);
  return (
    <span className={used > most ? 'text-caption text-block' : 'text-caption text-faint'}>
      {t.limit(format.number(used), format.number(most))}
    </span>
  );
}

const large = new Set(['subject', 'title', 'headline']);

function Value({ shown: { key, kind, text } }: { readonly shown: ShownContent }) {
  if (kind === 'markup') return <HtmlPreview html={text} what={key} />;
  if (kind === 'json') return <SourceText text={text} label={key} />;
  return (
    <p className={large.has(key) ? 'text-section break-words whitespace-pre-wrap' : 'break-words whitespace-pre-wrap'}>
      {partsOf(text).map((part, at) =>
        part.token === null ? (
          part.text
        ) : (
          <code
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text are identified by position
            key={at}
            className="rounded-control bg-accent-soft px-1 text-[0.9em] text-accent-ink"
          >
            {part.text}
          </code>
        ),
      )}
    </p>
  );
}
