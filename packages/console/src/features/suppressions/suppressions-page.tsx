import {
  type Suppression,
  suppressionOperations,
  suppressionScopes,
  suppressionTypes,
} from '@arbiter/contract/deciding/suppressions';
import { Plus } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { can } from '../../data/can.ts';
import { deleteLater, undoMs, usePendingDeletions } from '../../data/pending-deletions.ts';
import { useList, useMutate } from '../../data/use-operation.ts';
import { ListTable } from '../../forms/list-table.tsx';
import { ListTools, ViewLinks } from '../../forms/list-tools.tsx';
import { SearchField } from '../../forms/search-field.tsx';
import { useListLook } from '../../forms/use-list-look.ts';
import { suppressionTexts as t } from '../../messages/catalogue/suppressions.ts';
import { deletionTexts } from '../../messages/lists/editing.ts';
import { useSearch } from '../../route/use-address.ts';
import { useKeys } from '../../route/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { CheckField, SelectField } from '../../ui/field.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { Page } from '../../ui/page.tsx';
import { NewSuppression } from './new-suppression.tsx';
import { suppressionColumns } from './suppression-columns.tsx';

const rowKey = ({ id, customerId, scope, scopeId, policyId }: Suppression): string =>
  id ?? `${customerId} ${scope} ${scopeId} ${policyId}`;

const filters = ['customerId', 'scope', 'policyType', 'includeExpired'] as const;

const useSuppressionSearch = () => useSearch(suppressionOperations.list.query);

/** Ends suppressions, with Undo. */
function useLift() {
  const { done } = useMutate(suppressionOperations.deleteById);
  return (id: string, customerId: string): void => {
    const undo = deleteLater(id, () => {
      void done({ params: { id } }).then((isDone) =>
        toast({ text: isDone ? t.lifted(customerId) : t.notLifted(customerId) }),
      );
    });
    toast({
      text: t.lifting(customerId),
      staysMs: undoMs,
      action: { label: deletionTexts.undo, run: () => void (undo() && toast({ text: t.notLifted(customerId) })) },
    });
  };
}

/** Every suppression, newest first: what it blocks, who set it, and until when. */
export function SuppressionsPage() {
  const [search, change] = useSuppressionSearch();
  const [isAdding, setAdding] = useState(false);
  const list = useList(suppressionOperations.list, { query: { ...search, limit: 100 } });
  const deletions = usePendingDeletions();
  const rows = list.rows.filter(({ id }) => id === null || !deletions.has(id));
  const lift = useLift();
  const mayAdd = can(suppressionOperations.create);
  const mayLift = can(suppressionOperations.deleteById);
  useKeys(mayAdd.allowed ? [{ keys: 'c', title: t.add, run: () => setAdding(true) }] : []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same act in every render
  const columns = useMemo(
    () =>
      suppressionColumns(({ id, customerId }) => (
        <Button
          size="small"
          aria-label={t.liftOf(customerId)}
          disabledReason={id === null ? t.computed : mayLift.allowed ? null : t.needsRole(mayLift.needs)}
          onClick={() => id !== null && lift(id, customerId)}
        >
          {t.lift}
        </Button>
      )),
    [mayLift.allowed],
  );
  const look = useListLook(suppressionOperations.list.id, columns, { defaultDensity: 'comfortable' });
  const isFiltered = filters.some((name) => search[name] !== undefined);
  const clear = () => change(Object.fromEntries(filters.map((name) => [name, undefined])), { push: true });
  const add = (
    <Button
      kind="primary"
      icon={<Plus aria-hidden className="size-4" />}
      disabledReason={mayAdd.allowed ? null : t.needsRole(mayAdd.needs)}
      onClick={() => setAdding(true)}
    >
      {t.add}
    </Button>
  );
  return (
    <Page title={t.title} lead={t.lead} actions={add}>
      <Filters {...{ search, change, isFiltered, clear }}>
        <ListTools look={look} title={t.title} list={list} further={{ id: ({ id }) => id }} />
      </Filters>
      <ViewLinks look={look} />
      <ListTable
        list={{ ...list, rows }}
        operation={suppressionOperations.list}
        label={t.title}
        columns={look.columns}
        sort={look.sort}
        onSort={look.onSort}
        density={look.defaultDensity}
        rowKey={rowKey}
        filtered={isFiltered}
        maxHeight="max(24rem, calc(100dvh - 18rem))"
        empty={
          <Empty title={t.none} actions={add}>
            {t.noneText}
          </Empty>
        }
        filteredEmpty={<Empty title={t.noneFiltered} actions={<Button onClick={clear}>{t.clear}</Button>} />}
      />
      {isAdding ? <NewSuppression customerId={search.customerId ?? ''} onClose={() => setAdding(false)} /> : null}
    </Page>
  );
}

type Search = ReturnType<typeof useSuppressionSearch>;

interface FiltersProps {
  readonly search: Search[0];
  readonly change: Search[1];
  readonly isFiltered: boolean;
  readonly clear: () => void;
  readonly children: ReactNode;
}

function Filters({ search, change, isFiltered, clear, children }: FiltersProps) {
  return (
    <div className="flex flex-wrap items-end gap-2" data-print="none">
      <SearchField
        label={t.customerId}
        value={search.customerId ?? ''}
        onChange={(customerId) => change({ customerId })}
      />
      <Choice
        label={t.scope}
        any={t.anyScope}
        options={suppressionScopes.map((value) => ({ value, label: t.scopes[value] }))}
        value={search.scope}
        onChange={(scope) => change({ scope: suppressionScopes.find((each) => each === scope) })}
      />
      <Choice
        label={t.by}
        any={t.anyOrigin}
        options={suppressionTypes.map((value) => ({ value, label: t.types[value] }))}
        value={search.policyType}
        onChange={(type) => change({ policyType: suppressionTypes.find((each) => each === type) })}
      />
      <div className="flex h-8 items-center">
        <CheckField
          label={t.includeExpired}
          checked={search.includeExpired === true}
          onChange={({ target }) => change({ includeExpired: target.checked || undefined })}
        />
      </div>
      {isFiltered ? (
        <Button kind="quiet" onClick={clear}>
          {t.clear}
        </Button>
      ) : null}
      {children}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly any: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}

function Choice({ label, any, options, value, onChange }: ChoiceProps) {
  return (
    <SelectField
      label={label}
      labelHidden
      className="w-44 max-sm:min-w-36 max-sm:flex-1"
      placeholder={any}
      options={options}
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
