import { useState } from 'react';
import { textTexts as t } from '../../messages/content/texts.ts';
import { humanKey } from '../../messages/human-key.ts';
import { HtmlPreview, SourceText } from '../../ui/preview/html-preview.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { shownOf } from './shown-texts.ts';
import { smsSize } from './sms-segments.ts';
import { type Device, previewWidths } from './template-keys.ts';

const large = new Set(['subject', 'headline', 'title']);
const devices: readonly Device[] = ['desktop', 'phone'];

export interface RenderedTextsProps {
  readonly content: Readonly<Record<string, unknown>>;
  /** Tokens without a value and without a fallback. */
  readonly missing: readonly string[];
  readonly templateType: string;
}

/** Texts as a customer gets them, at the width of a device. */
export function RenderedTexts({ content, missing, templateType }: RenderedTextsProps) {
  const [device, setDevice] = useState<Device>('desktop');
  const widths = previewWidths(templateType);
  const parts = shownOf(content);
  // HTML has its own switch.
  const hasDevices = widths.desktop !== widths.phone && parts.every(({ kind }) => kind !== 'markup');
  const isJson = templateType === 'webhook_json';
  return (
    <>
      {missing.map((token) => (
        <p key={token} className="text-dense text-warn">
          {t.missingToken(token)}
        </p>
      ))}
      {parts.length === 0 ? <p className="text-soft">{t.nothingYet}</p> : null}
      {parts.length === 0 || isJson || !hasDevices ? null : (
        <div>
          <Segmented
            label={t.device}
            options={devices.map((key) => ({ key, label: t.devices[key] }))}
            value={device}
            onChange={setDevice}
          />
        </div>
      )}
      {parts.length === 0 ? null : isJson ? (
        <SourceText text={JSON.stringify(content, null, 2)} label={t.rendered} />
      ) : (
        <section
          aria-label={t.rendered}
          className="flex max-w-full flex-col gap-3 rounded-card border border-line bg-raised p-4"
          style={{ width: widths[device] }}
        >
          {parts.map(({ key, kind, text }) => (
            <div key={key} className="flex min-w-0 flex-col gap-0.5">
              <p className="text-caption text-faint">{t.labels[key] ?? humanKey(key)}</p>
              {kind === 'markup' ? (
                <HtmlPreview html={text} what={key} />
              ) : (
                <p
                  className={large.has(key) ? 'text-section break-words' : 'break-words whitespace-pre-wrap'}
                  dir="auto"
                >
                  {text.trim()}
                </p>
              )}
              {templateType === 'sms_text' && key === 'body' ? <SmsLength text={text} /> : null}
            </div>
          ))}
        </section>
      )}
    </>
  );
}

/** How many messages an SMS is sent as, which is what it costs. */
function SmsLength({ text }: { readonly text: string }) {
  const format = useFormat();
  const { segments, isPlain } = smsSize(text);
  return (
    <p className="text-caption text-soft">
      {t.sms(format.number([...text].length), segments)}
      {isPlain ? null : ` ${t.smsAlphabet}`}
    </p>
  );
}
