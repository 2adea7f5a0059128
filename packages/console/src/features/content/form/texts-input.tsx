import { fieldId } from '../../../forms/editing/field-id.ts';
import type { RecordForm } from '../../../forms/editing/use-record-form.ts';
import { contentKeys, longKeys, templateTypeOf } from '../../../forms/texts/template-keys.ts';
import { TokenField } from '../../../forms/texts/token-field.tsx';
import { useTokenWords } from '../../../forms/texts/use-token-words.ts';
import { contentFormTexts as t } from '../../../messages/content/form.ts';
import { textTexts } from '../../../messages/content/texts.ts';
import { humanKey } from '../../../messages/human-key.ts';
import { variablesOf } from './variables.ts';

const isValues = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The texts of the channel's type. */
export function TextsInput({ form }: { readonly form: RecordForm }) {
  const value = form.valueAt('/content');
  const content = isValues(value) ? value : {};
  const words = useTokenWords(variablesOf(form.valueAt('/personalization')).map(({ name }) => name));
  const type = templateTypeOf(String(form.valueAt('/channelType') ?? ''));
  const error = form.errors.get('/content');
  const hasTemplate = typeof form.valueAt('/parentTemplateId') === 'string';
  return (
    <div id={fieldId('/content')} tabIndex={-1} className="flex flex-col gap-3">
      {hasTemplate ? <p className="text-caption text-soft">{t.textsOfTemplate}</p> : null}
      {error === undefined ? null : <p className="text-caption text-block first-letter:uppercase">{error}</p>}
      {contentKeys(type, content).map((key) => {
        const path = `/content/${key}`;
        const text = content[key];
        return (
          <TokenField
            key={key}
            id={fieldId(path)}
            label={textTexts.labels[key] ?? humanKey(key)}
            help={key === 'body' ? t.bodyHelp : undefined}
            error={form.errors.get(path)}
            isLong={longKeys.has(key)}
            words={words}
            value={typeof text === 'string' ? text : ''}
            onChange={(next) => form.set(path, next === '' ? undefined : next)}
          />
        );
      })}
    </div>
  );
}
