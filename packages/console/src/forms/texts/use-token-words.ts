import { useMemo } from 'react';
import { textTexts as t } from '../../messages/content/texts.ts';
import type { ListedWord } from '../../ui/completion/word-list.tsx';
import { useCustomerFields } from '../editing/condition/condition-fields.ts';

/** Returns the names that a text may have in braces: its own tokens, then the values of customers. */
export function useTokenWords(tokens: readonly string[]): readonly ListedWord[] {
  const fields = useCustomerFields();
  const own = tokens.filter((name) => name !== '').join(' ');
  return useMemo(() => {
    const tokenNames = own === '' ? [] : own.split(' ');
    const known = new Set(tokenNames);
    return [
      ...tokenNames.map((text) => ({ text, detail: t.fromToken })),
      ...fields.filter(({ name }) => !known.has(name)).map(({ name }) => ({ text: name, detail: t.fromCustomer })),
    ];
  }, [fields, own]);
}
