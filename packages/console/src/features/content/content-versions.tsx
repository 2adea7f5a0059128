import { type ContentItem, type ContentVersion, contentOperations } from '@arbiter/contract/catalogue/content';
import { useMemo, useState } from 'react';
import { can } from '../../data/can.ts';
import { useMutate, useOperation } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { Loaded } from '../../forms/loaded.tsx';
import { contentTexts as t } from '../../messages/content/items.ts';
import { editingTexts } from '../../messages/lists/editing.ts';
import { Button } from '../../ui/button.tsx';
import { Diff } from '../../ui/diff/diff.tsx';
import type { Json } from '../../ui/diff/differences.ts';
import { SelectField } from '../../ui/field.tsx';
import { ConfirmDialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { DataTable } from '../../ui/table/table.tsx';
import type { Column } from '../../ui/table/table-column.ts';
import { whyNotChange } from './content-enabled.ts';
import { Person } from './person.tsx';

/** Versions, newest first, with a comparison of any two and a revert to an older one. */
export function ContentVersions({ item }: { readonly item: ContentItem }) {
  const answer = useOperation(contentOperations.versions, { params: { id: item.id } });
  const columns = useColumns(item);
  return (
    <Section title={t.versions} flush>
      <Loaded answer={answer} operation={contentOperations.versions}>
        {(versions) => (
          <>
            <DataTable
              label={t.versions}
              columns={columns}
              rows={versions}
              rowKey={({ id }) => id}
              complete
              maxHeight="20rem"
              empty={<p className="p-4 text-soft">{t.none}</p>}
            />
            {versions.length < 2 ? null : <Comparison versions={versions} />}
          </>
        )}
      </Loaded>
    </Section>
  );
}

function useColumns(item: ContentItem): readonly Column<ContentVersion>[] {
  const format = useFormat();
  return useMemo(
    () => [
      {
        key: 'version',
        header: t.versionHead,
        cell: ({ version }) =>
          version === item.publishedVersion ? `${t.version(version)} · ${t.liveMark}` : t.version(version),
        text: ({ version }) => version,
        width: 110,
        grow: 0,
      },
      {
        key: 'kind',
        header: t.action,
        cell: ({ kind }) => t.kinds[kind],
        text: ({ kind }) => kind,
        width: 110,
        grow: 0,
      },
      {
        key: 'at',
        header: t.changed,
        cell: ({ createdAt }) => format.moment(createdAt),
        text: ({ createdAt }) => createdAt,
        width: 150,
        grow: 0,
      },
      {
        key: 'by',
        header: t.by,
        cell: ({ changedBy }) => <Person id={changedBy} />,
        text: ({ changedBy }) => changedBy,
        width: 150,
      },
      {
        key: 'note',
        header: t.note,
        cell: ({ changeNote }) => changeNote ?? '–',
        text: ({ changeNote }) => changeNote,
        width: 160,
        grow: 2,
      },
      {
        key: 'revert',
        header: '',
        cell: ({ version }) => (version < item.version ? <Revert item={item} version={version} /> : null),
        text: null,
        width: 100,
        grow: 0,
      },
    ],
    [item, format],
  );
}

/** Brings an older version back as a new draft. Asks first, because it replaces the working copy. */
function Revert({ item, version }: { readonly item: ContentItem; readonly version: number }) {
  const [isAsking, setAsking] = useState(false);
  const mutation = useMutate(contentOperations.revert);
  const permission = can(contentOperations.revert);
  const revert = async () => {
    if (!(await mutation.done({ params: { id: item.id, version: String(version) } }))) return;
    setAsking(false);
    toast({ text: t.reverted(version) });
  };
  return (
    <>
      <Button
        size="small"
        aria-label={t.revertTo(version)}
        disabledReason={permission.allowed ? whyNotChange() : editingTexts.needsRole(permission.needs)}
        onClick={() => {
          mutation.clear();
          setAsking(true);
        }}
      >
        {t.revert}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={t.revertQuestion(version)}
        act={t.revert}
        busy={mutation.busy}
        onConfirm={() => void revert()}
      >
        <p>{t.revertText}</p>
        {mutation.failure === null ? null : (
          <FailurePanel failure={mutation.failure} operation={contentOperations.revert} retry={() => void revert()} />
        )}
      </ConfirmDialog>
    </>
  );
}

function partsOf({ content, blocks, personalization }: ContentVersion): Json {
  const parts: Readonly<Record<string, unknown>> = { content, blocks, personalization };
  return parts as Json;
}

function Comparison({ versions }: { readonly versions: readonly ContentVersion[] }) {
  const [from, setFrom] = useState<string | null>(null);
  const [to, setTo] = useState<string | null>(null);
  const at = (number: string | null, usual: number) =>
    versions.find(({ version }) => String(version) === number) ?? versions[usual];
  const [before, after] = [at(from, 1), at(to, 0)];
  const options = versions.map(({ version }) => ({ value: String(version), label: t.version(version) }));
  if (before === undefined || after === undefined) return null;
  return (
    <div className="flex flex-col gap-3 border-t border-line p-4">
      <div className="flex flex-wrap items-end gap-2">
        <SelectField
          label={t.compareFrom}
          className="w-28"
          options={options}
          value={String(before.version)}
          onChange={({ target }) => setFrom(target.value)}
        />
        <SelectField
          label={t.compareTo}
          className="w-28"
          options={options}
          value={String(after.version)}
          onChange={({ target }) => setTo(target.value)}
        />
      </div>
      <Diff
        before={partsOf(before)}
        after={partsOf(after)}
        names={{ before: t.version(before.version), after: t.version(after.version) }}
      />
    </div>
  );
}
