import type { Placement } from '@arbiter/contract/catalogue/placements';
import { fieldId } from '../../../forms/editing/field-id.ts';
import { FieldInput } from '../../../forms/editing/inputs/field-input.tsx';
import type { FormParts } from '../../../forms/editing/record-editor.tsx';
import { lengthOf } from '../../../forms/texts/shown-texts.ts';
import { contentKeys, longKeys } from '../../../forms/texts/template-keys.ts';
import { TokenField } from '../../../forms/texts/token-field.tsx';
import { useTokenWords } from '../../../forms/texts/use-token-words.ts';
import { creativeTexts } from '../../../messages/catalogue/creatives.ts';
import { textTexts as t } from '../../../messages/content/texts.ts';
import { humanKey } from '../../../messages/human-key.ts';
import { useFormat } from '../../../ui/provider.tsx';

export interface ContentInputsProps extends Pick<FormParts, 'form' | 'field'> {
  readonly templateType: string;
  readonly content: Readonly<Record<string, unknown>>;
  /** Requirements of the placement. */
  readonly rules: Placement['schema'] | null;
  /** Names of the creative's own tokens. */
  readonly tokens: readonly string[];
}

/** The texts of the template type, with what the placement requires of them. */
export function ContentInputs({ form, field, templateType, content, rules, tokens }: ContentInputsProps) {
  const format = useFormat();
  const words = useTokenWords(tokens);
  const shown = contentKeys(templateType, content);
  if (shown.length === 0) return <FieldInput form={form} field={field('/content')} />;
  return shown.map((key) => {
    const path = `/content/${key}`;
    const value = content[key];
    const text = typeof value === 'string' ? value : '';
    const most = rules?.maxLength?.[key];
    const used = lengthOf(text);
    const isOver = most !== undefined && used > most;
    const limit = most === undefined ? undefined : creativeTexts.limit(format.number(used), format.number(most));
    const look = {
      id: fieldId(path),
      label: t.labels[key] ?? humanKey(key),
      isRequired: rules?.requiredFields?.includes(key) === true,
      help: limit,
      error: form.errors.get(path) ?? (isOver ? limit : undefined),
      value: text,
    };
    return (
      <TokenField
        key={key}
        {...look}
        isLong={longKeys.has(key)}
        words={words}
        onChange={(next) => form.set(path, next === '' ? undefined : next)}
      />
    );
  });
}
