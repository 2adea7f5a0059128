import { useState } from 'react';
import { editingTexts as t } from '../../../messages/lists/editing.ts';
import { TextField } from '../../../ui/field.tsx';
import { fieldId } from '../field-id.ts';
import type { FieldInputProps } from '../field-props.ts';
import { centsOf, unitsOf } from './money.ts';

/** An amount in units of a currency; the body holds it in cents. */
export function MoneyInput({ field, form, className, currency }: FieldInputProps & { readonly currency: string }) {
  const { path, label, help } = field;
  const value = form.valueAt(path);
  const [text, setText] = useState(() => unitsOf(value));
  const error = form.errors.get(path);
  const isTyped = error === t.notMoney || (text !== '' && centsOf(text) === value);
  return (
    <TextField
      {...{ label, className, error }}
      id={fieldId(path)}
      help={help === '' ? undefined : help}
      unit={currency}
      inputMode="decimal"
      value={isTyped ? text : unitsOf(value)}
      onChange={({ target }) => {
        setText(target.value);
        const cents = centsOf(target.value);
        const isEmpty = target.value.trim() === '';
        form.setInputError(path, cents === null && !isEmpty ? t.notMoney : undefined);
        if (cents !== null || isEmpty) form.set(path, cents);
      }}
    />
  );
}
