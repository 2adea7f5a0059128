import { Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { sameValue } from '../../../forms/editing/changes.ts';
import { useCustomerFields } from '../../../forms/editing/condition/condition-fields.ts';
import { fieldId } from '../../../forms/editing/field-id.ts';
import type { RecordForm } from '../../../forms/editing/use-record-form.ts';
import { TokenShare } from '../../../forms/texts/token-share.tsx';
import { contentFormTexts as t } from '../../../messages/content/form.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { personalizationOf, type Variable, variablesOf } from './variables.ts';

const path = '/personalization';

/** Names in braces in texts: the source of each value, and its fallback. */
export function VariablesInput({ form }: { readonly form: RecordForm }) {
  const list = useId();
  const fields = useCustomerFields();
  const value = form.valueAt(path) ?? {};
  const [typed, setTyped] = useState<readonly Variable[]>(() => variablesOf(value));
  // Names that are being typed aren't stored; a discard brings the stored ones back.
  const stored = variablesOf(value);
  const entries = sameValue(personalizationOf(typed), personalizationOf(stored)) ? typed : stored;
  const put = (next: readonly Variable[]) => {
    setTyped(next);
    form.set(path, personalizationOf(next));
  };
  const change = (at: number, part: Partial<Variable>) =>
    put(entries.map((each, position) => (position === at ? { ...each, ...part } : each)));
  const error = form.errors.get(path);
  return (
    <div id={fieldId(path)} tabIndex={-1} className="flex flex-col gap-3">
      <p className="text-caption text-soft">{t.variablesText}</p>
      {error === undefined ? null : <p className="text-caption text-block first-letter:uppercase">{error}</p>}
      <datalist id={list}>
        {fields.map(({ name }) => (
          <option key={name} value={name.startsWith('customer.') ? name : `customer.${name}`} />
        ))}
      </datalist>
      {entries.map((entry, at) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: names are being typed
          key={at}
          aria-label={t.variable(String(at + 1))}
          className="grid min-w-0 items-start gap-1.5 sm:grid-cols-[1fr_1fr_1fr_auto]"
        >
          <TextField label={t.name} value={entry.name} onChange={({ target }) => change(at, { name: target.value })} />
          <TextField
            label={t.source}
            help={<TokenShare source={entry.source} />}
            error={form.errors.get(`${path}/${entry.name}/source`) ?? form.errors.get(`${path}/${entry.name}`)}
            list={list}
            autoComplete="off"
            value={entry.source}
            onChange={({ target }) => change(at, { source: target.value })}
          />
          <TextField
            label={t.fallback}
            error={form.errors.get(`${path}/${entry.name}/fallback`)}
            value={entry.fallback}
            onChange={({ target }) => change(at, { fallback: target.value })}
          />
          <Button
            kind="quiet"
            className="sm:mt-6"
            icon={<Trash2 aria-hidden className="size-4" />}
            aria-label={t.removeVariable(entry.name === '' ? String(at + 1) : entry.name)}
            onClick={() => put(entries.filter((_, position) => position !== at))}
          />
        </fieldset>
      ))}
      <div>
        <Button size="small" onClick={() => setTyped([...entries, { name: '', source: '', fallback: '' }])}>
          {t.addVariable}
        </Button>
      </div>
    </div>
  );
}
