import { useState } from 'react';
import { previewTexts as t } from '../../messages/preview.ts';
import { CheckField } from '../field.tsx';
import { Segmented } from '../segmented.tsx';
import { PreviewFrame } from './preview-frame.tsx';

export interface HtmlPreviewProps {
  readonly html: string;
  /** Name of the text: "body". */
  readonly what: string;
}

const ways = ['desktop', 'phone', 'source'] as const;
/** Widths of the devices, in pixels. */
const widths = { desktop: 640, phone: 360 } as const;
/** An external image. */
const namesImages = /<img|background|url\(/i;

/** A tenant's HTML, rendered or as source. Scripts don't run. */
export function HtmlPreview({ html, what }: HtmlPreviewProps) {
  const [way, setWay] = useState<(typeof ways)[number]>('desktop');
  const [images, setImages] = useState(false);
  return (
    <div className="flex flex-col gap-2">
      <div>
        <Segmented
          label={t.way(what)}
          options={ways.map((key) => ({ key, label: t.ways[key] }))}
          value={way}
          onChange={setWay}
        />
      </div>
      {way === 'source' ? (
        <SourceText text={html} label={what} />
      ) : (
        <>
          <PreviewFrame html={html} label={t.of(what)} width={widths[way]} images={images} />
          {namesImages.test(html) ? (
            <CheckField
              label={t.images}
              help={t.imagesHelp}
              checked={images}
              onChange={({ target }) => setImages(target.checked)}
            />
          ) : null}
        </>
      )}
    </div>
  );
}

/** A text as stored. */
export function SourceText({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <section tabIndex={0} aria-label={label} className="max-h-96 overflow-auto rounded-card bg-sunken p-3">
      <pre className="text-caption break-words whitespace-pre-wrap text-ink">{text}</pre>
    </section>
  );
}
