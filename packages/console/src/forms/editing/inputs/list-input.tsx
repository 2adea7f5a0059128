import { Plus } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { editingTexts as t } from '../../../messages/lists/editing.ts';
import { Button } from '../../../ui/button.tsx';
import { CheckField, controlClass, Field, useField } from '../../../ui/field.tsx';
import { FilterChip } from '../../../ui/filter-chip.tsx';
import { fieldId } from '../field-id.ts';
import type { FieldInputProps } from '../field-props.ts';

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

/** More choices than this are shown in two columns. */
const oneColumn = 8;

/** A list of texts, or of choices. Enter adds what was typed; Backspace in the empty field removes the last. */
export function ListInput({ field, form, optionLabels = {}, className }: FieldInputProps) {
  const { path, label, help, isRequired, kind, options = [] } = field;
  const values = textsOf(form.valueAt(path));
  const set = (next: readonly string[]) => form.set(path, next);
  // An error of one entry is shown at the list.
  const error = [...form.errors].find(([at]) => at === path || at.startsWith(`${path}/`))?.[1];
  if (kind === 'choices') {
    return (
      <fieldset className="flex flex-col gap-1">
        <legend className="text-dense font-medium text-ink">{label}</legend>
        <div className={options.length > oneColumn ? 'grid gap-1 sm:grid-cols-2' : 'flex flex-col gap-1'}>
          {options.map((option) => (
            <CheckField
              key={option}
              label={<span className="min-w-0 break-all">{optionLabels[option] ?? option}</span>}
              checked={values.includes(option)}
              onChange={({ target }) =>
                set(target.checked ? [...values, option] : values.filter((each) => each !== option))
              }
            />
          ))}
        </div>
        <p className={error === undefined ? 'text-caption text-soft' : 'text-caption text-block'}>{error ?? help}</p>
      </fieldset>
    );
  }
  return (
    <Field
      {...{ label, error, className }}
      id={fieldId(path)}
      help={help === '' ? undefined : help}
      isRequired={isRequired}
    >
      <TextsControl label={label} values={values} onChange={set} />
    </Field>
  );
}

interface TextsControlProps {
  readonly label: string;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

function TextsControl({ label, values, onChange }: TextsControlProps) {
  const wiring = useField();
  const [text, setText] = useState('');
  const add = () => {
    const next = text.trim();
    setText('');
    if (next !== '' && !values.includes(next)) onChange([...values, next]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && text.trim() !== '') {
      // Enter in the field doesn't submit the form while there's something to add.
      event.preventDefault();
      add();
    } else if (event.key === 'Backspace' && text === '' && values.length > 0) onChange(values.slice(0, -1));
  };
  return (
    <div className="flex flex-col gap-1.5">
      {values.length === 0 ? null : (
        <div className="flex flex-wrap gap-1.5">
          {values.map((value) => (
            <FilterChip
              key={value}
              removes={t.remove(value)}
              onRemove={() => onChange(values.filter((each) => each !== value))}
            >
              {value}
            </FilterChip>
          ))}
        </div>
      )}
      <span className="flex gap-1.5">
        <input
          {...wiring}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={onKeyDown}
          onBlur={add}
          className={controlClass}
        />
        <Button icon={<Plus aria-hidden className="size-4" />} aria-label={t.add(label)} onClick={add} />
      </span>
    </div>
  );
}
