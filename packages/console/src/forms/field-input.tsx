import type { Ref } from 'react';
import { formTexts } from '../messages/forms.ts';
import { CheckField, SelectField, TextAreaField, TextField } from '../ui/field.tsx';
import type { FormField, TextType } from './fields.ts';

export interface FieldInputProps {
  readonly field: FormField;
  readonly value: string | boolean | readonly string[] | undefined;
  readonly onChange: (value: string | boolean | string[]) => void;
  readonly onBlur: () => void;
  readonly inputRef: Ref<HTMLElement>;
  readonly error: string | undefined;
  readonly unit: string | undefined;
  /** Words for the values of a choice. */
  readonly words: Readonly<Record<string, string>> | undefined;
}

const htmlTypes: Readonly<Record<TextType, string>> = {
  text: 'text',
  email: 'email',
  password: 'password',
  instant: 'text',
  id: 'text',
};

/** The input of a field, by its kind. */
export function FieldInput({ field, value, onChange, onBlur, inputRef, error, unit, words = {} }: FieldInputProps) {
  const { label, help, required, nullable, input } = field;
  const look = { label, help, error, optional: !required || nullable };
  const typed = { onBlur, value: typeof value === 'string' ? value : '' };
  const word = (option: string): string => words[option] ?? option;
  switch (input.kind) {
    case 'yes-no':
      if (typeof value === 'boolean') {
        return (
          <CheckField
            ref={asInput(inputRef)}
            label={label}
            help={error ?? help}
            checked={value}
            onBlur={onBlur}
            onChange={({ target }) => onChange(target.checked)}
          />
        );
      }
      return (
        <SelectField
          {...look}
          {...typed}
          ref={asSelect(inputRef)}
          placeholder={formTexts.notSet}
          options={[
            { value: 'true', label: formTexts.yes },
            { value: 'false', label: formTexts.no },
          ]}
          onChange={({ target }) => onChange(target.value)}
        />
      );
    case 'choice':
      return (
        <SelectField
          {...look}
          {...typed}
          ref={asSelect(inputRef)}
          placeholder={required && typed.value !== '' ? undefined : formTexts.notSet}
          options={input.options.map((option) => ({ value: option, label: word(option) }))}
          onChange={({ target }) => onChange(target.value)}
        />
      );
    case 'choices': {
      const chosen = typeof value === 'object' ? value : [];
      return (
        <fieldset className="flex flex-col gap-1">
          <legend className="pb-1 font-medium text-dense">{label}</legend>
          {input.options.map((option) => (
            <CheckField
              key={option}
              label={word(option)}
              checked={chosen.includes(option)}
              onBlur={onBlur}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, option] : chosen.filter((each) => each !== option))
              }
            />
          ))}
          {(error ?? help) ? (
            <p className={error ? 'text-block text-caption' : 'text-caption text-soft'}>{error ?? help}</p>
          ) : null}
        </fieldset>
      );
    }
    case 'lines':
    case 'json':
      return (
        <TextAreaField
          {...look}
          {...typed}
          ref={asArea(inputRef)}
          help={input.kind === 'lines' ? [help, formTexts.onePerLine].filter(Boolean).join(' ') : help}
          mono={input.kind === 'json'}
          spellCheck={false}
          onChange={({ target }) => onChange(target.value)}
        />
      );
    case 'number':
      return (
        <TextField
          {...look}
          {...typed}
          ref={asInput(inputRef)}
          unit={unit}
          inputMode={input.whole ? 'numeric' : 'decimal'}
          onChange={({ target }) => onChange(target.value)}
        />
      );
    case 'text': {
      const onText = ({ target }: { target: { value: string } }) => onChange(target.value);
      if (input.long) return <TextAreaField {...look} {...typed} ref={asArea(inputRef)} onChange={onText} />;
      return (
        <TextField
          {...look}
          {...typed}
          ref={asInput(inputRef)}
          help={input.type === 'instant' ? [help, formTexts.instant].filter(Boolean).join(' ') : help}
          type={htmlTypes[input.type]}
          mono={input.type === 'id'}
          unit={unit}
          onChange={onText}
        />
      );
    }
  }
}

// The library hands out one reference for every kind of element; each of these is an element that can take the focus.
const asInput = (ref: Ref<HTMLElement>) => ref as Ref<HTMLInputElement>;
const asSelect = (ref: Ref<HTMLElement>) => ref as Ref<HTMLSelectElement>;
const asArea = (ref: Ref<HTMLElement>) => ref as Ref<HTMLTextAreaElement>;
