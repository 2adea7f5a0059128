import { useState } from 'react';
import { textTexts as t } from '../../messages/content/texts.ts';
import { TextField } from '../../ui/field.tsx';

/** The customer of a preview: applied on Enter, or when the field loses the focus. */
export function CustomerField({ onPick }: { readonly onPick: (customerId: string) => void }) {
  const [typed, setTyped] = useState('');
  const commit = () => onPick(typed.trim());
  return (
    <TextField
      label={t.asCustomer}
      help={t.asCustomerHelp}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        // Inside a form, Enter would save it.
        event.preventDefault();
        commit();
      }}
    />
  );
}
