import type { ReactNode } from 'react';
import { listToolTexts } from '../messages/lists/list-tools.ts';
import { listTexts as t } from '../messages/lists/lists.ts';
import { Button } from '../ui/button.tsx';
import { CheckField, type Option, SelectField } from '../ui/field.tsx';
import { FilterChip } from '../ui/filter-chip.tsx';
import { middleCut } from '../ui/format.ts';
import { later } from '../ui/later.tsx';
import { isNamedKind, type NamedKind } from './named-kinds.ts';
import { SearchField } from './search-field.tsx';

/** Rarely shown, and loads the readers of seven record types. */
const RecordName = later(() => import('./record-name.tsx').then((module) => module.RecordName));

/** A filter with fixed options. */
export interface Choice {
  readonly key: string;
  readonly label: string;
  readonly options: readonly Option[];
  /** Text while nothing is selected; default: "Any" with the label. */
  readonly any?: string;
}

/** Filters of a list, from its address. */
export type Filters = Readonly<Record<string, unknown>>;

/** Creates a filter by another record. */
export const choiceOf = (
  key: string,
  label: string,
  records: readonly { readonly id: string; readonly name: string }[],
): Choice => ({ key, label, options: records.map(({ id, name }) => ({ value: id, label: name })) });

/** Query parameters that aren't filters. */
const notFilters: ReadonlySet<string> = new Set(['limit', 'cursor', 'includeDeleted']);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const labelOf = (name: string): string => listToolTexts.filters[name] ?? name;

/** Returns the names of the filters that are set. */
export const filterNames = (filters: Filters): readonly string[] =>
  Object.keys(filters).filter((name) => !notFilters.has(name) && textOf(filters[name]) !== '');

/** Returns the change that clears all filters. */
export const cleared = (filters: Filters): Filters =>
  Object.fromEntries(filterNames(filters).map((name) => [name, undefined]));

export interface ListFiltersProps {
  /** What the rows are, in the plural. */
  readonly title: string;
  readonly filters: Filters;
  readonly choices: readonly Choice[];
  /** Offers to include deleted records. */
  readonly hasDeleted: boolean;
  readonly onFilter: (change: Filters) => void;
  /** Shown after the filters. */
  readonly children: ReactNode;
}

/** The filters of a list in one row, and a chip for each filter that has no field. */
export function ListFilters({ title, filters, choices, hasDeleted, onFilter, children }: ListFiltersProps) {
  const names = filterNames(filters);
  const chips = names.filter((name) => name !== 'search' && !choices.some(({ key }) => key === name));
  return (
    <>
      <div className="flex flex-wrap items-end gap-2" data-print="none">
        <SearchField
          value={textOf(filters.search)}
          onChange={(search) => onFilter({ search })}
          label={t.search(title)}
        />
        {choices.map((choice) => (
          <ChoiceField key={choice.key} choice={choice} value={textOf(filters[choice.key])} onFilter={onFilter} />
        ))}
        {/* On narrow screens the selects fill their lines, with the rest below. */}
        <div className={hasDeleted ? 'contents max-sm:flex max-sm:w-full max-sm:flex-wrap max-sm:gap-2' : 'contents'}>
          {hasDeleted ? (
            <div className="flex h-8 items-center">
              <CheckField
                label={listToolTexts.includeDeleted}
                checked={filters.includeDeleted === true}
                onChange={({ target }) => onFilter({ includeDeleted: target.checked || undefined })}
              />
            </div>
          ) : null}
          {names.length > 0 ? (
            <Button kind="quiet" onClick={() => onFilter(cleared(filters))}>
              {t.clear}
            </Button>
          ) : null}
          {children}
        </div>
      </div>
      {chips.length === 0 ? null : (
        <div className="flex flex-wrap items-center gap-2" data-print="none">
          {chips.map((name) => (
            <FilterChip
              key={name}
              label={labelOf(name)}
              removes={listToolTexts.removeFilter(labelOf(name))}
              onRemove={() => onFilter({ [name]: undefined })}
            >
              <ChipValue name={name} filters={filters} />
            </FilterChip>
          ))}
        </div>
      )}
    </>
  );
}

interface ChoiceFieldProps extends Pick<ListFiltersProps, 'onFilter'> {
  readonly choice: Choice;
  readonly value: string;
}

function ChoiceField({ choice: { key, label, options, any }, value, onFilter }: ChoiceFieldProps) {
  return (
    <SelectField
      label={label}
      labelHidden
      className="w-44 max-sm:min-w-36 max-sm:flex-1"
      placeholder={any ?? t.any(label)}
      options={withSelected(options, value)}
      value={value}
      onChange={(event) => onFilter({ [key]: event.target.value || undefined })}
    />
  );
}

/** Returns the options, with the selected value if it isn't one of them, so that an active filter is visible. */
const withSelected = (options: readonly Option[], selected: string): readonly Option[] =>
  selected === '' || options.some(({ value }) => value === selected)
    ? options
    : [...options, { value: selected, label: middleCut(selected) }];

const kindsOfFilters: Readonly<Record<string, NamedKind>> = {
  offerId: 'offer',
  placementId: 'placement',
  channelId: 'channel',
  categoryId: 'category',
  subCategoryId: 'subcategory',
};

/** The value of a filter; the name of a record. */
function ChipValue({ name, filters }: { readonly name: string; readonly filters: Filters }) {
  const scope = textOf(filters.scope);
  const kind = name === 'scopeId' && isNamedKind(scope) ? scope : kindsOfFilters[name];
  const value = textOf(filters[name]);
  return kind === undefined ? value : <RecordName kind={kind} id={value} />;
}
