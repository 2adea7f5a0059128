import { emptyText, reasonText, stageName } from '@arbiter/contract/explanation/texts';
import { ListFilter, Search } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { fateTexts, filterTexts, decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { addresses } from '../../../route/addresses.ts';
import { lastDayBefore } from '../../../route/days.ts';
import type { SearchChange } from '../../../route/use-address.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FilterChip } from '../../../ui/filter-chip.tsx';
import type { Format } from '../../../ui/format.ts';
import { later } from '../../../ui/later.tsx';
import { useLinks } from '../../../ui/link.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import { chipsOf, type DecisionSearch, type FilterName, isDecisionId } from './filters.ts';
import { isNamed, NamedValue } from './named-value.tsx';

const FilterDialog = later(() => import('./filter-dialog.tsx').then((module) => module.FilterDialog));

type Change = (change: SearchChange<DecisionSearch>, how?: { readonly push: boolean }) => void;

export interface DecisionFiltersProps {
  readonly search: DecisionSearch;
  readonly change: Change;
  readonly channels: readonly { readonly id: string; readonly name: string }[];
  /** Content at the end of the row. */
  readonly tools: ReactNode;
}

/** Filters as chips, a field for a customer or decision ID, and a dialog for more filters. */
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
            data-filter
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

interface ChipValueProps extends Pick<DecisionFiltersProps, 'channels'> {
  readonly name: FilterName;
  readonly value: string;
}

/** Label of a filter value; the name for records. */
function ChipValue({ name, value, channels }: ChipValueProps) {
  const format = useFormat();
  if (isNamed(name)) return <NamedValue name={name} id={value} />;
  return chipText(name, value, channels, format);
}

function chipText(name: FilterName, value: string, channels: DecisionFiltersProps['channels'], format: Format): string {
  if (name === 'from') return whenText(value, format);
  if (name === 'to') return whenText(lastDayBefore(value), format);
  if (name === 'explored') return value === 'true' ? t.yes : t.no;
  if (name === 'channelId') return channels.find(({ id }) => id === value)?.name ?? value;
  if (name === 'fate') return fateTexts[value] ?? value;
  if (name === 'reason') return reasonText(value).title;
  if (name === 'emptyReason') return emptyText(value).title;
  if (name === 'stage') return stageName(value);
  if (name === 'source') return t.sources[value] ?? value;
  return value;
}

/** Formats days as they are and instants for the tenant; leaves anything else unchanged. */
function whenText(value: string, format: Format): string {
  const at = Date.parse(value);
  return value.length === 10 || Number.isNaN(at) ? value : format.instant(at);
}
