import { contactPolicyOperations } from '@arbiter/contract/contact-policies';
import { offerOperations } from '@arbiter/contract/offers';
import { qualificationRuleOperations } from '@arbiter/contract/qualification-rules';
import { ListFilter, Search } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useOperation } from '../../data/use-operation.ts';
import { NameOf } from '../../forms/name-of.tsx';
import { fateTexts, filterTexts, decisionTexts as t } from '../../messages/decisions.ts';
import { addresses } from '../../route/addresses.ts';
import type { SearchChange } from '../../route/use-address.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FilterChip } from '../../ui/filter-chip.tsx';
import { useLinks } from '../../ui/link.tsx';
import { emptyText, reasonText, stageName } from './drops.ts';
import { filterOptions } from './filter-options.ts';
import { chipsOf, type DecisionSearch, type FilterName, isDecisionId } from './filters.ts';

type Change = (change: SearchChange<DecisionSearch>, how?: { readonly push: boolean }) => void;

export interface DecisionFiltersProps {
  readonly search: DecisionSearch;
  readonly change: Change;
  readonly channels: readonly { readonly id: string; readonly name: string }[];
  /** What stands at the end of the row. */
  readonly tools: ReactNode;
}

/** The filters as chips, a field that finds a customer or opens a decision, and a dialog for more. */
export function DecisionFilters({ search, change, channels, tools }: DecisionFiltersProps) {
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const links = useLinks();
  const chips = chipsOf(search);
  const find = (event: FormEvent) => {
    event.preventDefault();
    const wanted = text.trim();
    if (wanted === '') return;
    if (isDecisionId(wanted)) links.go(addresses.decision(wanted));
    else change({ customerId: wanted }, { push: true });
    setText('');
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <search className="w-full sm:w-80">
        <form onSubmit={find}>
          <TextField
            label={t.findLabel}
            labelHidden
            placeholder={t.find}
            icon={<Search />}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </form>
      </search>
      <Button icon={<ListFilter aria-hidden className="size-4" />} onClick={() => setOpen(true)}>
        {t.addFilter}
      </Button>
      {chips.map(({ name, value }) => (
        <FilterChip
          key={name}
          label={filterTexts[name] ?? name}
          removes={t.removeFilter(filterTexts[name] ?? name)}
          onRemove={() => change({ [name]: undefined }, { push: true })}
        >
          <ChipValue name={name} value={value} channels={channels} />
        </FilterChip>
      ))}
      {chips.length > 1 ? (
        <Button
          kind="quiet"
          size="small"
          onClick={() => change(Object.fromEntries(chips.map(({ name }) => [name, undefined])), { push: true })}
        >
          {t.clearFilters}
        </Button>
      ) : null}
      {tools}
      {open ? (
        <FilterDialog search={search} change={change} channels={channels} onClose={() => setOpen(false)} />
      ) : null}
    </div>
  );
}

/** Filters whose value is the id of a record. */
const named = {
  offerId: { kind: 'offer', get: offerOperations.get },
  policyId: { kind: 'policy', get: contactPolicyOperations.get },
  ruleId: { kind: 'rule', get: qualificationRuleOperations.get },
} as const;
const isNamed = (name: FilterName): name is keyof typeof named => Object.hasOwn(named, name);

function NamedValue({ name, id }: { readonly name: keyof typeof named; readonly id: string }) {
  const { kind, get } = named[name];
  return <NameOf answer={useOperation(get, { params: { id } }, { keepPrevious: false })} kind={kind} id={id} />;
}

interface ChipValueProps extends Pick<DecisionFiltersProps, 'channels'> {
  readonly name: FilterName;
  readonly value: string;
}

/** The value of a filter in words; of records the name. */
function ChipValue({ name, value, channels }: ChipValueProps) {
  if (isNamed(name)) return <NamedValue name={name} id={value} />;
  return chipText(name, value, channels);
}

function chipText(name: FilterName, value: string, channels: DecisionFiltersProps['channels']): string {
  if (name === 'channelId') return channels.find(({ id }) => id === value)?.name ?? value;
  if (name === 'fate') return fateTexts[value] ?? value;
  if (name === 'reason') return reasonText(value).title;
  if (name === 'emptyReason') return emptyText(value).title;
  if (name === 'stage') return stageName(value);
  if (name === 'source') return t.sources[value] ?? value;
  return value;
}

interface FilterDialogProps extends Omit<DecisionFiltersProps, 'tools'> {
  readonly onClose: () => void;
}

/** All filters at once. They act when they are applied, so that half a date asks for nothing. */
function FilterDialog({ search, change, channels, onClose }: FilterDialogProps) {
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
          const value = draft[name] ?? '';
          const set = (next: string) => setDraft({ ...draft, [name]: next });
          if (choices !== undefined) {
            return (
              <SelectField
                key={name}
                label={label}
                value={value}
                placeholder={t.all}
                options={choices}
                onChange={(event) => set(event.target.value)}
              />
            );
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

function typedValue(name: string, text: string | undefined): string | number | boolean | undefined {
  const value = text?.trim() ?? '';
  if (value === '') return undefined;
  if (name === 'version') return Number.isInteger(Number(value)) ? Number(value) : undefined;
  if (name === 'explored') return value === 'true';
  return value;
}
