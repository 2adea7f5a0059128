import { type KeyboardEvent, useId, useState } from 'react';
import { conditionInputTexts as t } from '../../../messages/catalogue/condition-input.ts';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { FilterChip } from '../../../ui/filter-chip.tsx';
import type { ConditionField } from './condition-fields.ts';
import type { ConditionLeaf } from './condition-model.ts';
import { shapeOf, shownValue, typedValue, type ValueType } from './operators.ts';
import { useValueSuggestions, type ValueSuggestions } from './value-suggestions.ts';

export interface ValueInputProps {
  readonly leaf: ConditionLeaf;
  readonly field: ConditionField | undefined;
  readonly error: string | undefined;
  readonly onChange: (value: unknown) => void;
}

/** What a field is compared with: nothing, one value, two, a list or a number of days. */
export function ValueInput({ leaf, field, error, onChange }: ValueInputProps) {
  const [isWanted, setWanted] = useState(false);
  const suggestions = useValueSuggestions(field, isWanted);
  const type = field?.type ?? 'unknown';
  const shape = shapeOf(leaf.operator);
  const { value } = leaf;
  if (shape === 'none') return null;
  const one = { type, suggestions, error, onFocus: () => setWanted(true) };
  if (shape === 'list') return <ListValue {...one} values={Array.isArray(value) ? value : []} onChange={onChange} />;
  if (shape === 'days') {
    return <OneValue {...one} type="number" label={t.value} unit={t.days} value={value} onChange={onChange} />;
  }
  if (shape === 'two') {
    const [lower, upper] = Array.isArray(value) ? value : [];
    return (
      <div className="grid grid-cols-2 gap-2">
        <OneValue {...one} label={t.from} value={lower} onChange={(next) => onChange([next, upper])} />
        <OneValue {...one} error={undefined} label={t.to} value={upper} onChange={(next) => onChange([lower, next])} />
      </div>
    );
  }
  if (type === 'flag') {
    return (
      <SelectField
        label={t.value}
        labelHidden
        error={error}
        options={[
          { value: 'true', label: t.yes },
          { value: 'false', label: t.no },
        ]}
        value={String(value)}
        onChange={({ target }) => onChange(target.value === 'true')}
      />
    );
  }
  return <OneValue {...one} label={t.value} value={value} onChange={onChange} />;
}

interface OneValueProps {
  readonly type: ValueType;
  readonly label: string;
  readonly unit?: string;
  readonly value: unknown;
  readonly error: string | undefined;
  readonly suggestions: ValueSuggestions;
  readonly onChange: (value: unknown) => void;
  readonly onFocus: () => void;
}

const isDay = (text: string): boolean => text === '' || /^\d{4}-\d{2}-\d{2}$/.test(text);

const rangeHelp = ({ range }: ValueSuggestions): string | undefined =>
  range === null ? undefined : t.range(range.least, range.most);

/** One value. What was typed stays as it is, even while it isn't a number yet. */
function OneValue({ type, label, unit, value, error, suggestions, onChange, onFocus }: OneValueProps) {
  const list = useId();
  const [text, setText] = useState(() => shownValue(value));
  const shown = typedValue(text, type) === value ? text : shownValue(value);
  const { values } = suggestions;
  return (
    <>
      <TextField
        label={label}
        labelHidden
        {...{ error, onFocus }}
        unit={unit}
        help={rangeHelp(suggestions)}
        type={type === 'day' && isDay(shown) ? 'date' : 'text'}
        inputMode={type === 'number' ? 'decimal' : undefined}
        list={values.length === 0 ? undefined : list}
        autoComplete="off"
        placeholder={label}
        value={shown}
        onChange={({ target }) => {
          setText(target.value);
          onChange(typedValue(target.value, type));
        }}
      />
      {values.length === 0 ? null : <Options id={list} values={values} />}
    </>
  );
}

function Options({ id, values }: { readonly id: string; readonly values: readonly string[] }) {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}

interface ListValueProps extends Omit<OneValueProps, 'label' | 'unit' | 'value' | 'onChange'> {
  readonly values: readonly unknown[];
  readonly onChange: (values: readonly unknown[]) => void;
}

/** A list of values. Enter or a comma adds what was typed; Backspace in the empty field removes the last. */
function ListValue({ type, values, error, suggestions, onChange, onFocus }: ListValueProps) {
  const list = useId();
  const [text, setText] = useState('');
  const add = (typed: string) => {
    const next = typed
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '')
      .map((one) => typedValue(one, type));
    setText('');
    if (next.length > 0) onChange([...new Set([...values, ...next])]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && text.trim() !== '') {
      // Enter doesn't submit the form while there's something to add.
      event.preventDefault();
      add(text);
    } else if (event.key === 'Backspace' && text === '' && values.length > 0) onChange(values.slice(0, -1));
  };
  const others = suggestions.values.filter((value) => !values.some((one) => shownValue(one) === value));
  return (
    <div className="flex flex-col gap-1.5">
      {values.length === 0 ? null : (
        <div className="flex flex-wrap gap-1.5">
          {values.map((value) => (
            <FilterChip
              key={shownValue(value)}
              removes={t.removeValue(shownValue(value))}
              onRemove={() => onChange(values.filter((one) => one !== value))}
            >
              {shownValue(value)}
            </FilterChip>
          ))}
        </div>
      )}
      <TextField
        label={t.values}
        labelHidden
        {...{ error, onFocus, onKeyDown }}
        list={others.length === 0 ? undefined : list}
        autoComplete="off"
        placeholder={t.addValue}
        value={text}
        onBlur={() => add(text)}
        onChange={({ target }) => {
          if (target.value.includes(',') || others.includes(target.value)) add(target.value);
          else setText(target.value);
        }}
      />
      {others.length === 0 ? null : <Options id={list} values={others} />}
    </div>
  );
}
