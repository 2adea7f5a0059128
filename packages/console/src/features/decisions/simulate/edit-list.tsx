import { schemaOperations } from '@arbiter/contract/catalogue/schemas';
import { segmentOperations } from '@arbiter/contract/catalogue/segments';
import { Plus, X } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { useOperation } from '../../../data/use-operation.ts';
import { readValue, writeValue } from '../../../forms/editing/inputs/typed-value.ts';
import { simulateTexts as t } from '../../../messages/simulate.ts';
import type { SearchChange } from '../../../route/use-address.ts';
import { Button } from '../../../ui/button.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { Section } from '../../../ui/page.tsx';
import { hasEdits, type SimulateSearch, weightNames, withoutEdits } from './question.ts';
import { readNamedValue, withValue } from './values.ts';

type Kind = 'profile' | 'attributes' | 'segments';

export interface EditListProps {
  readonly search: SimulateSearch;
  readonly change: (change: SearchChange<SimulateSearch>, how?: { readonly push: boolean }) => void;
}

/** Edits of customer and request, each as a chip, and a line to add one. */
export function EditList({ search, change }: EditListProps) {
  const clear = () => {
    const remaining = withoutEdits(search);
    const removed = Object.keys(search).filter((each) => !(each in remaining));
    change(Object.fromEntries(removed.map((each) => [each, undefined])), { push: true });
  };
  return (
    <Section
      title={t.edits}
      actions={
        hasEdits(search) ? (
          <Button size="small" kind="quiet" onClick={clear}>
            {t.clearEdits}
          </Button>
        ) : null
      }
    >
      <div className="flex flex-col gap-3">
        <Chips search={search} change={change} />
        <AddForm search={search} change={change} />
      </div>
    </Section>
  );
}

const kinds = ['profile', 'attributes', 'segments'] as const;

function Chips({ search, change }: EditListProps) {
  const remove = (kind: Kind, text: string) => {
    const left = (search[kind] ?? []).filter((each) => each !== text);
    change({ [kind]: left.length === 0 ? undefined : left }, { push: true });
  };
  const chips = kinds.flatMap((kind) =>
    (search[kind] ?? []).map((text) => ({ kind, text, label: labelOf(kind, text) })),
  );
  return (
    <div className="flex flex-wrap gap-2">
      {hasEdits(search) ? null : <p className="text-soft">{t.noEdits}</p>}
      {chips.map(({ kind, text, label }) => (
        <span
          key={`${kind} ${text}`}
          className="inline-flex h-7 max-w-full items-center gap-1 rounded-control border border-draft bg-draft-soft ps-2 text-dense"
        >
          <span className="truncate font-medium text-draft">{label}</span>
          <Button
            kind="quiet"
            size="small"
            aria-label={t.removeEdit(label)}
            icon={<X aria-hidden className="size-3.5" />}
            onClick={() => remove(kind, text)}
          />
        </span>
      ))}
      {weightNames.map((weight) =>
        search[weight] === undefined ? null : (
          <span
            key={weight}
            className="inline-flex h-7 items-center rounded-control border border-draft bg-draft-soft px-2 text-dense font-medium text-draft"
          >
            {`${t.weightNames[weight]} ^ ${search[weight]}`}
          </span>
        ),
      )}
    </div>
  );
}

const kindOptions = [
  { value: 'profile', label: t.addProfile },
  { value: 'attributes', label: t.addAttribute },
  { value: 'segments', label: t.addSegment },
];

function AddForm({ search, change }: EditListProps) {
  const [kind, setKind] = useState<Kind>('profile');
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const suggested = useSuggestions(kind);
  const listId = useId();
  const add = (event: FormEvent) => {
    event.preventDefault();
    const wanted = name.trim();
    if (wanted === '') return;
    const edited =
      kind === 'segments'
        ? [...new Set([...(search.segments ?? []), wanted])]
        : withValue(search[kind], wanted, readValue(value.trim()));
    change({ [kind]: edited }, { push: true });
    setName('');
    setValue('');
  };
  return (
    <form
      onSubmit={add}
      className="grid grid-cols-[minmax(9rem,1fr)_minmax(0,1fr)] items-end gap-2 sm:grid-cols-[10rem_minmax(0,1fr)_minmax(0,1fr)_auto]"
    >
      <SelectField
        label={t.editKind}
        value={kind}
        options={kindOptions}
        onChange={(event) => setKind(event.target.value as Kind)}
      />
      <TextField label={t.editName} list={listId} value={name} onChange={(event) => setName(event.target.value)} />
      <datalist id={listId}>
        {suggested.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      {kind === 'segments' ? (
        <span />
      ) : (
        <TextField label={t.editValue} value={value} onChange={(event) => setValue(event.target.value)} />
      )}
      <Button submit icon={<Plus aria-hidden className="size-4" />}>
        {t.add}
      </Button>
    </form>
  );
}

/** Suggested names: columns of the customer table, or segments. Request attributes are free text. */
function useSuggestions(kind: Kind): readonly string[] {
  const schemas = useOperation(schemaOperations.list, { query: { limit: 100 } }, { enabled: kind === 'profile' });
  const segments = useOperation(segmentOperations.list, { query: { limit: 200 } }, { enabled: kind === 'segments' });
  if (kind === 'segments') return segments.data?.data.map(({ name }) => name) ?? [];
  if (kind === 'attributes') return [];
  const table = schemas.data?.data.find(({ entityType }) => entityType === 'customer');
  return table?.fields.map(({ name }) => name) ?? [];
}

function labelOf(kind: Kind, text: string): string {
  if (kind === 'segments') return `+ ${text}`;
  const named = readNamedValue(text);
  return named === null ? text : `${named.name} = ${writeValue(named.value)}`;
}
