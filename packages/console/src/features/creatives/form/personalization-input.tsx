import { Trash2 } from 'lucide-react';
import { useId } from 'react';
import { useCustomerFields } from '../../../forms/editing/condition/condition-fields.ts';
import { fieldId } from '../../../forms/editing/field-id.ts';
import type { FormParts } from '../../../forms/editing/record-editor.tsx';
import { TokenShare } from '../../../forms/texts/token-share.tsx';
import { creativeFormTexts as t } from '../../../messages/catalogue/creative-form.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';

interface Entry {
  readonly variable: string;
  readonly source?: string | null;
  readonly fallback?: unknown;
}

const path = '/personalization';

/** Tokens of the texts: the source of each value, and its fallback. */
export function PersonalizationInput({ form }: Pick<FormParts, 'form'>) {
  const list = useId();
  const fields = useCustomerFields();
  const value = form.valueAt(path);
  const entries: readonly Entry[] = Array.isArray(value) ? value : [];
  const set = (at: number, change: Partial<Entry>) =>
    form.set(
      path,
      entries.map((entry, index) => (index === at ? { ...entry, ...change } : entry)),
    );
  const errorAt = (at: number, name: string) => form.errors.get(`${path}/${at}/${name}`);
  return (
    <div id={fieldId(path)} tabIndex={-1} className="flex flex-col gap-3">
      <p className="text-caption text-soft">{t.tokensText}</p>
      <datalist id={list}>
        {fields.map(({ name }) => (
          <option key={name} value={name.startsWith('customer.') ? name : `customer.${name}`} />
        ))}
      </datalist>
      {entries.map((entry, at) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: entries are identified by position
          key={at}
          aria-label={t.token(String(at + 1))}
          className="grid min-w-0 items-start gap-1.5 sm:grid-cols-[1fr_1fr_1fr_auto]"
        >
          <TextField
            label={t.variable}
            error={errorAt(at, 'variable')}
            value={entry.variable}
            onChange={({ target }) => set(at, { variable: target.value })}
          />
          <TextField
            label={t.source}
            help={<TokenShare source={entry.source ?? ''} />}
            error={errorAt(at, 'source')}
            list={list}
            autoComplete="off"
            value={entry.source ?? ''}
            onChange={({ target }) => set(at, { source: target.value === '' ? null : target.value })}
          />
          <TextField
            label={t.fallback}
            error={errorAt(at, 'fallback')}
            value={typeof entry.fallback === 'string' ? entry.fallback : JSON.stringify(entry.fallback ?? '')}
            onChange={({ target }) => set(at, { fallback: target.value })}
          />
          <Button
            kind="quiet"
            className="sm:mt-6"
            icon={<Trash2 aria-hidden className="size-4" />}
            aria-label={t.removeToken(entry.variable)}
            onClick={() =>
              form.set(
                path,
                entries.filter((_, index) => index !== at),
              )
            }
          />
        </fieldset>
      ))}
      <div>
        <Button size="small" onClick={() => form.set(path, [...entries, { variable: '', source: null, fallback: '' }])}>
          {t.addToken}
        </Button>
      </div>
    </div>
  );
}
