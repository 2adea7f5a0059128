import { type ReactNode, useState } from 'react';
import { editingTexts as t } from '../../../messages/lists/editing.ts';
import { CheckField, SelectField, TextAreaField, TextField } from '../../../ui/field.tsx';
import { later } from '../../../ui/later.tsx';
import { Skeleton } from '../../../ui/progress.tsx';
import { fieldId } from '../field-id.ts';
import type { FieldInputProps } from '../field-props.ts';
import { ListInput } from './list-input.tsx';
import { SecretInput } from './secret-input.tsx';

/** As high as a label and its control, so that what is below stays in place. */
const waiting = <Skeleton className="h-14 w-full" />;
const MapInput = later(() => import('./map-input.tsx').then((module) => module.MapInput), waiting);
const RowsInput = later(() => import('./rows-input.tsx').then((module) => module.RowsInput), waiting);
const ReferenceInput = later(() => import('./reference-input.tsx').then((module) => module.ReferenceInput), waiting);

/** What every control of a field gets. */
function lookOf({ field, form, className }: FieldInputProps) {
  const { path, label, help, isRequired } = field;
  return {
    ...{ id: fieldId(path), label, help: help === '' ? undefined : help, className },
    error: form.errors.get(path),
    isRequired,
  };
}

/** The control for a property, by its kind. */
export function FieldInput(props: FieldInputProps): ReactNode {
  const { field, form, optionLabels = {}, unit } = props;
  const { path, kind, usual } = field;
  const value = form.valueAt(path);
  const look = lookOf(props);
  const text = typeof value === 'string' ? value : '';
  const empty = field.isNullable ? null : undefined;
  const setText = (next: string) => form.set(path, next === '' && field.isNullable ? null : next);
  switch (kind) {
    case 'text':
      return <TextField {...look} unit={unit} value={text} onChange={({ target }) => setText(target.value)} />;
    case 'longText':
      return <TextAreaField {...look} value={text} onChange={({ target }) => setText(target.value)} />;
    case 'integer':
    case 'number':
      return <NumberInput {...props} />;
    case 'instant':
      return <InstantInput {...props} />;
    case 'flag':
      return (
        <CheckField
          id={look.id}
          label={look.label}
          help={look.error ?? look.help}
          checked={value === true}
          onChange={({ target }) => form.set(path, target.checked)}
        />
      );
    case 'choice':
      return (
        <SelectField
          {...look}
          {...(field.isRequired && text !== ''
            ? {}
            : { placeholder: usual === undefined ? t.unset : t.usual(optionLabels[usual] ?? usual) })}
          options={(field.options ?? []).map((option) => ({ value: option, label: optionLabels[option] ?? option }))}
          value={text}
          onChange={({ target }) => form.set(path, target.value === '' ? empty : target.value)}
        />
      );
    case 'reference':
    case 'references':
      return <ReferenceInput {...props} />;
    case 'choices':
    case 'texts':
      return <ListInput {...props} />;
    case 'secret':
      return <SecretInput {...props} />;
    case 'rows':
      return <RowsInput {...props} />;
    case 'map':
    case 'values':
      return <MapInput {...props} />;
    case 'group':
      return <GroupInput {...props} />;
    case 'json':
      return <JsonInput {...props} />;
  }
}

/** The fields of an object, under its label. */
function GroupInput({ field, ...rest }: FieldInputProps) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="pb-1 text-dense font-medium text-ink">{field.label}</legend>
      {(field.fields ?? []).map((each) => (
        <FieldInput key={each.path} {...rest} field={each} />
      ))}
    </fieldset>
  );
}

const shownNumber = (value: unknown): string => (typeof value === 'number' ? String(value) : '');

/** A number. What can't be read as one stays in the field, with an error. */
function NumberInput(props: FieldInputProps) {
  const { field, form, unit } = props;
  const value = form.valueAt(field.path);
  const [text, setText] = useState(() => shownNumber(value));
  const isTyping = text !== '' && Number(text) === value;
  const invalid = form.errors.get(field.path) === t.notNumber;
  const shown = isTyping || invalid ? text : shownNumber(value);
  return (
    <TextField
      {...lookOf(props)}
      unit={unit}
      inputMode={field.kind === 'integer' ? 'numeric' : 'decimal'}
      value={shown}
      onChange={({ target }) => {
        const next = target.value.trim();
        setText(target.value);
        const isNumber = next !== '' && Number.isFinite(Number(next));
        form.setInputError(field.path, next === '' || isNumber ? undefined : t.notNumber);
        if (isNumber) form.set(field.path, Number(next));
        else if (next === '') form.set(field.path, field.isNullable ? null : undefined);
      }}
    />
  );
}

const localInstant = (at: string): string => {
  const date = new Date(at);
  const two = (part: number): string => String(part).padStart(2, '0');
  return Number.isNaN(date.getTime())
    ? ''
    : `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
};

/** An instant, typed in the browser's time zone. */
function InstantInput(props: FieldInputProps) {
  const { field, form } = props;
  const value = form.valueAt(field.path);
  return (
    <TextField
      {...lookOf(props)}
      type="datetime-local"
      value={typeof value === 'string' ? localInstant(value) : ''}
      onChange={({ target }) => {
        const at = new Date(target.value);
        form.set(field.path, Number.isNaN(at.getTime()) ? null : at.toISOString());
      }}
    />
  );
}

const shownJson = (value: unknown): string =>
  value === undefined || value === null ? '' : JSON.stringify(value, null, 2);

/** A value without a form of its own, as JSON. */
function JsonInput(props: FieldInputProps) {
  const { field, form } = props;
  const value = form.valueAt(field.path);
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextAreaField
      {...lookOf(props)}
      mono
      spellCheck={false}
      rows={6}
      value={typed ?? shownJson(value)}
      onBlur={() => {
        if (form.errors.get(field.path) === undefined) setTyped(null);
      }}
      onChange={({ target }) => {
        setTyped(target.value);
        try {
          const next: unknown = target.value.trim() === '' ? undefined : JSON.parse(target.value);
          form.setInputError(field.path, undefined);
          form.set(field.path, next);
        } catch (error) {
          form.setInputError(field.path, t.badJson(error instanceof Error ? error.message : ''));
        }
      }}
    />
  );
}
