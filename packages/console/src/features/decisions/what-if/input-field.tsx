import type { InputEdit, WhatIfField } from '../../../engine-worker/what-if.ts';
import { whatIfTexts as t } from '../../../messages/decisions/what-if.ts';
import { humanKey } from '../../../messages/human-key.ts';
import { CheckField, TextField } from '../../../ui/field.tsx';

export interface InputFieldProps {
  readonly field: WhatIfField;
  /** The changed value; undefined: as recorded. */
  readonly edit: InputEdit['to'] | undefined;
  readonly onChange: (to: InputEdit['to']) => void;
}

/** How far a slider goes from the recorded value. */
const reachOf = (value: number): number => Math.max(10, Math.abs(value));

/** An input of a decision: a slider for a number, a switch, or a text. */
export function InputField({ field: { path, value }, edit, onChange }: InputFieldProps) {
  const shown = edit === undefined ? value : edit;
  const label = humanKey(path.replace(/^(customer|attributes)\./, ''));
  const help = edit === undefined ? undefined : t.recorded(value === null ? t.missing : String(value));
  if (typeof value === 'boolean') {
    return (
      <CheckField
        label={label}
        help={help}
        checked={shown === true}
        onChange={({ target }) => onChange(target.checked)}
      />
    );
  }
  if (typeof value === 'number') {
    const reach = reachOf(value);
    const number = typeof shown === 'number' ? shown : value;
    const step = Number.isInteger(value) ? 1 : reach / 100;
    return (
      <div className="grid grid-cols-[8rem_minmax(0,1fr)] items-start gap-3">
        <TextField
          type="number"
          step="any"
          label={label}
          help={help}
          value={number}
          onChange={({ target }) => {
            if (!Number.isNaN(target.valueAsNumber)) onChange(target.valueAsNumber);
          }}
        />
        <input
          type="range"
          aria-label={t.slider(label)}
          className="mt-6 h-8 w-full accent-accent"
          min={value - reach}
          max={value + reach}
          step={step}
          value={number}
          onChange={({ target }) => onChange(target.valueAsNumber)}
        />
      </div>
    );
  }
  return (
    <TextField
      label={label}
      help={help}
      dir="auto"
      maxLength={255}
      placeholder={t.missing}
      value={shown === null ? '' : String(shown)}
      onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
    />
  );
}
