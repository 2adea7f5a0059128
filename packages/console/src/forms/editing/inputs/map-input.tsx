import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { editingTexts as t } from '../../../messages/lists/editing.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { fieldId } from '../field-id.ts';
import type { FieldInputProps } from '../field-props.ts';
import { readValue, writeValue } from './typed-value.ts';

/** An entry as it's typed: a key may be empty or there twice for a moment. */
type Entry = readonly [key: string, value: string];

const entriesOf = (value: unknown, write: (each: unknown) => string): readonly Entry[] =>
  typeof value === 'object' && value !== null ? Object.entries(value).map(([key, each]) => [key, write(each)]) : [];

const writeText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const readNumber = (text: string): unknown => (text.trim() === '' ? text : Number(text));
const readText = (text: string): unknown => text;

/** Texts, numbers or values of any type by keys of one's own: headers, lengths by field, columns of a customer. */
export function MapInput({ field, form }: FieldInputProps) {
  const { path, label, help, kind, isNumeric = false } = field;
  const write = kind === 'values' ? writeValue : writeText;
  const read = kind === 'values' ? readValue : isNumeric ? readNumber : readText;
  const value = form.valueAt(path);
  const [typed, setTyped] = useState<readonly Entry[]>(() => entriesOf(value, write));
  const stored = entriesOf(value, write);
  // What isn't stored yet stays visible; a discard brings the stored entries back.
  const isTyping = stored.every(([key]) => typed.some(([each]) => each === key));
  const entries = isTyping ? typed : stored;
  const put = (next: readonly Entry[]) => {
    setTyped(next);
    const full = next.filter(([key]) => key.trim() !== '');
    form.set(path, Object.fromEntries(full.map(([key, each]) => [key.trim(), read(each)])));
  };
  const change = (at: number, entry: Entry) => put(entries.map((each, position) => (position === at ? entry : each)));
  const error = [...form.errors].find(([at]) => at === path || at.startsWith(`${path}/`))?.[1];
  return (
    <fieldset id={fieldId(path)} tabIndex={-1} className="flex min-w-0 flex-col gap-2">
      <legend className="pb-1 text-dense font-medium text-ink">{label}</legend>
      {entries.map(([key, each], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: keys are being typed
        <div key={at} className="flex items-end gap-1.5">
          <TextField
            label={t.key(label, at + 1)}
            labelHidden
            placeholder={t.keyShort}
            className="min-w-0 grow"
            value={key}
            onChange={({ target }) => change(at, [target.value, each])}
          />
          <TextField
            label={t.value(label, at + 1)}
            labelHidden
            placeholder={t.valueShort}
            className="min-w-0 grow"
            inputMode={isNumeric ? 'numeric' : undefined}
            value={each}
            onChange={({ target }) => change(at, [key, target.value])}
          />
          <Button
            kind="quiet"
            icon={<X aria-hidden className="size-4" />}
            aria-label={t.remove(key === '' ? String(at + 1) : key)}
            onClick={() => put(entries.filter((_, position) => position !== at))}
          />
        </div>
      ))}
      <Button
        size="small"
        className="w-fit"
        aria-label={t.add(label)}
        icon={<Plus aria-hidden className="size-4" />}
        onClick={() => setTyped([...entries, ['', '']])}
      >
        {t.addShort}
      </Button>
      {error === undefined ? (
        help === '' ? null : (
          <p className="text-caption text-soft">{help}</p>
        )
      ) : (
        <p className="text-caption text-block first-letter:uppercase">{error}</p>
      )}
    </fieldset>
  );
}
