import { type FormEvent, useState } from 'react';
import { useOperation } from '../../../data/use-operation.ts';
import { filterTexts, decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { endAfter, lastDayBefore } from '../../../route/days.ts';
import type { SearchChange } from '../../../route/use-address.ts';
import { Button } from '../../../ui/button.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { type Pick, PickField, type PickFieldProps } from '../../../ui/pick-field.tsx';
import { filterOptions } from './filter-options.ts';
import { filterPicks } from './filter-picks.ts';
import { chipsOf, type DecisionSearch } from './filters.ts';
import { isNamed, named } from './named-value.tsx';

export interface FilterDialogProps {
  readonly search: DecisionSearch;
  readonly change: (change: SearchChange<DecisionSearch>, how?: { readonly push: boolean }) => void;
  readonly channels: readonly { readonly id: string; readonly name: string }[];
  readonly onClose: () => void;
}

/** All filters. They apply together, so that incomplete dates request nothing. */
export function FilterDialog({ search, change, channels, onClose }: FilterDialogProps) {
  const [draft, setDraft] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(chipsOf(search).map(({ name, value }) => [name, value])),
  );
  const options = filterOptions(channels);
  const apply = (event: FormEvent) => {
    event.preventDefault();
    const typed = Object.entries(filterTexts).map(([name]) => [name, typedValue(name, draft[name])]);
    change(Object.fromEntries(typed), { push: true });
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t.addFilter}
      footer={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button kind="primary" submit form="decision-filters">
            {t.apply}
          </Button>
        </>
      }
    >
      <form id="decision-filters" onSubmit={apply} className="grid gap-3 py-1 sm:grid-cols-2">
        {Object.entries(filterTexts).map(([name, label]) => {
          const choices = options[name];
          const stored = draft[name] ?? '';
          const value = name === 'to' ? lastDayBefore(stored) : stored;
          const set = (next: string) => setDraft({ ...draft, [name]: name === 'to' ? endAfter(next) : next });
          if (choices !== undefined) {
            return (
              <SelectField
                key={name}
                label={label}
                value={value}
                placeholder={t.any}
                options={choices}
                onChange={(event) => set(event.target.value)}
              />
            );
          }
          const find = filterPicks[name];
          if (find !== undefined) {
            return <Picked key={name} {...{ name, label, value, find }} onValue={set} />;
          }
          const type = name === 'from' || name === 'to' ? 'date' : name === 'version' ? 'number' : 'text';
          return (
            <TextField
              key={name}
              label={label}
              type={type}
              value={value}
              onChange={(event) => set(event.target.value)}
            />
          );
        })}
      </form>
    </Dialog>
  );
}

interface PickedProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly find: PickFieldProps['find'];
  readonly onValue: (value: string) => void;
}

/** A record picker. Loads the name for an ID from the address; selected records have one. */
function Picked({ name, label, value, find, onValue }: PickedProps) {
  const [chosen, setChosen] = useState<Pick | null>(null);
  const isHere = chosen?.value === value;
  const known = useOperation(
    isNamed(name) ? named[name].get : named.offerId.get,
    { params: { id: value } },
    { enabled: isNamed(name) && value !== '' && !isHere, keepPrevious: false },
  );
  return (
    <PickField
      label={label}
      shown={isHere ? chosen.label : value === '' ? '' : (known.data?.name ?? value)}
      find={find}
      onPick={(pick) => {
        setChosen(pick);
        onValue(pick?.value ?? '');
      }}
    />
  );
}

function typedValue(name: string, text: string | undefined): string | number | boolean | undefined {
  const value = text?.trim() ?? '';
  if (value === '') return undefined;
  if (name === 'version') return Number.isInteger(Number(value)) ? Number(value) : undefined;
  if (name === 'explored') return value === 'true';
  return value;
}
