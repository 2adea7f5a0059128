import {
  type KindOfProvider,
  type NotificationKind,
  type NotificationProvider,
  notificationKinds,
  notificationOperations,
} from '@arbiter/contract/operations/notifications';
import { Send } from 'lucide-react';
import { useMemo } from 'react';
import { useMutate, useOperation } from '../../data/use-operation.ts';
import type { Values } from '../../forms/editing/changes.ts';
import { FieldGroup, FieldGroups } from '../../forms/editing/field-group.tsx';
import { type FieldSpec, fieldsOf } from '../../forms/editing/field-spec.ts';
import { FieldInput } from '../../forms/editing/inputs/field-input.tsx';
import { RecordFormFrame } from '../../forms/editing/record-form.tsx';
import { type RecordForm, useRecordForm } from '../../forms/editing/use-record-form.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { destinationTexts as t } from '../../messages/access/destinations.ts';
import { editTitles } from '../../messages/edit-titles.ts';
import { editingTexts } from '../../messages/lists/editing.ts';
import { settingsTexts } from '../../messages/settings.ts';
import { addresses } from '../../route/addresses.ts';
import { useOptionalParam } from '../../route/use-address.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { useLinks } from '../../ui/link.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { Page } from '../../ui/page.tsx';
import { DeleteDestination } from './delete-destination.tsx';
import { configFields, configToSend, secretsOf } from './destination-fields.ts';
import { TestFailure } from './test-failure.tsx';
import { useTest } from './use-test.ts';

const spec = {
  labels: { '/name': t.name, '/kind': t.kind, '/enabled': t.enabled, '/config': t.config },
  help: { '/name': t.nameHelp, '/kind': '', '/enabled': t.enabledHelp },
};
const fields = fieldsOf(notificationOperations.create, undefined, spec);
const parents = [
  { title: settingsTexts.title, to: addresses.settings() },
  { title: t.title, to: addresses.destinations() },
];

/** Creates a destination, or changes one. */
export function DestinationForm() {
  const id = useOptionalParam('id');
  // The list describes the kinds.
  const list = useOperation(notificationOperations.list, { query: { limit: 1 } });
  return id === undefined ? (
    <Page title={editTitles.create(t.one)} parents={parents}>
      <Loaded answer={list} operation={notificationOperations.list}>
        {({ kinds }) => <NewDestination kinds={kinds} />}
      </Loaded>
    </Page>
  ) : (
    <StoredDestination id={id} list={list} />
  );
}

type ListOfKinds = ReturnType<typeof useOperation<typeof notificationOperations.list>>;

function StoredDestination({ id, list }: { id: string; list: ListOfKinds }) {
  const stored = useOperation(notificationOperations.get, { params: { id } });
  const testing = useTest();
  const name = stored.data?.name ?? t.one;
  return (
    <Page
      title={stored.data === undefined ? editTitles.edit(t.one) : editingTexts.editing(name)}
      parents={parents}
      actions={stored.data === undefined ? null : <DeleteDestination id={id} name={name} />}
    >
      <Loaded
        answer={stored}
        operation={notificationOperations.get}
        instead={{ title: t.title, to: addresses.destinations() }}
      >
        {(destination) => (
          <Loaded answer={list} operation={notificationOperations.list}>
            {({ kinds }) => <EditDestination kinds={kinds} stored={destination} testing={testing} />}
          </Loaded>
        )}
      </Loaded>
      <TestFailure {...testing} />
    </Page>
  );
}

const kindAt = (kinds: readonly KindOfProvider[], kind: unknown): KindOfProvider => {
  const found = kinds.find((each) => each.kind === kind) ?? kinds[0];
  if (found === undefined) throw new Error('the API describes no kind of destination');
  return found;
};
const configOf = (values: Values): Values => (values.config ?? {}) as Values;
const secretPaths = (kinds: readonly KindOfProvider[]) => [...new Set(kinds.flatMap(secretsOf))];
const fieldsWith = (kind: KindOfProvider): readonly FieldSpec[] =>
  fields.map((field) => (field.name === 'config' ? { ...field, kind: 'group', fields: configFields(kind) } : field));

const fresh: Values = { kind: 'slack', name: '', enabled: true, config: {} };

function NewDestination({ kinds }: { kinds: readonly KindOfProvider[] }) {
  const links = useLinks();
  const { run, busy, failure } = useMutate(notificationOperations.create);
  const secrets = useMemo(() => secretPaths(kinds), [kinds]);
  const form = useRecordForm({ draft: 'destination new', stored: fresh, version: undefined, failure, secrets });
  const kind = kindAt(kinds, form.values.kind);
  const save = async () => {
    const { name, enabled } = form.values;
    const created = await run({
      body: {
        kind: kind.kind,
        name: String(name).trim(),
        enabled: enabled === true,
        config: configToSend(kind, configOf(form.values), {}),
      },
    });
    if (created === null) return;
    form.discard();
    toast({ text: t.created(created.name) });
    links.go(addresses.editDestination(created.id));
  };
  return (
    <RecordFormFrame
      {...{ form, failure, busy }}
      fields={fieldsWith(kind)}
      operation={notificationOperations.create}
      act={t.create}
      isNew
      onSave={() => void save()}
      onCancel={() => links.go(addresses.destinations())}
    >
      <Fields form={form} kind={kind} isNew />
    </RecordFormFrame>
  );
}

interface EditProps {
  readonly kinds: readonly KindOfProvider[];
  readonly stored: NotificationProvider;
  readonly testing: ReturnType<typeof useTest>;
}

function EditDestination({ kinds, stored, testing }: EditProps) {
  const links = useLinks();
  const { id, name, enabled } = stored;
  const { run, busy, failure } = useMutate(notificationOperations.change);
  const values = useMemo(
    () => ({ kind: stored.kind, name: stored.name, enabled: stored.enabled, config: stored.config }),
    [stored],
  );
  // Destinations have no version, so the time of the last change serves as one.
  const version = Date.parse(stored.updatedAt);
  const kind = kindAt(kinds, stored.kind);
  const secrets = useMemo(() => secretPaths(kinds), [kinds]);
  const form = useRecordForm({ draft: `destination ${id}`, stored: values, version, failure, secrets });
  const save = async (changes: Values) => {
    const body = {
      ...('name' in changes ? { name: String(changes.name).trim() } : {}),
      ...('enabled' in changes ? { enabled: changes.enabled === true } : {}),
      ...('config' in changes ? { config: configToSend(kind, configOf(changes), stored.config) } : {}),
    };
    const saved = await run({ params: { id }, body });
    if (saved === null) return;
    form.discard();
    toast({ text: t.saved(saved.name) });
  };
  const hasChanges = Object.keys(form.changes).length > 0;
  return (
    <RecordFormFrame
      {...{ form, failure, busy }}
      fields={fieldsWith(kind)}
      operation={notificationOperations.change}
      act={editingTexts.save}
      isNew={false}
      onSave={(changes) => void save(changes)}
      onCancel={() => links.go(addresses.destinations())}
      actions={
        <Button
          icon={<Send aria-hidden className="size-4" />}
          busy={testing.busy}
          disabledReason={hasChanges ? t.testSaved : enabled ? null : t.enabledHelp}
          onClick={() => void testing.test({ id, name })}
        >
          {t.test}
        </Button>
      }
    >
      <Fields form={form} kind={kind} isNew={false} />
    </RecordFormFrame>
  );
}

function Fields({ form, kind, isNew }: { form: RecordForm; kind: KindOfProvider; isNew: boolean }) {
  const input = (name: string) =>
    fields.filter((field) => field.name === name).map((field) => <FieldInput key={name} form={form} field={field} />);
  return (
    <FieldGroups>
      <FieldGroup title={t.basics}>
        {input('name')}
        {isNew ? (
          <KindField form={form} />
        ) : (
          <TextField label={t.kind} help={t.kindFixed} value={t.kinds[kind.kind]} readOnly />
        )}
        {input('enabled')}
      </FieldGroup>
      <FieldGroup title={t.config}>
        {configFields(kind).map((field) => (
          <FieldInput key={`${kind.kind} ${field.path}`} form={form} field={field} />
        ))}
      </FieldGroup>
    </FieldGroups>
  );
}

function KindField({ form }: { form: RecordForm }) {
  const field = fields.find(({ name }) => name === 'kind');
  if (field === undefined) return null;
  const labels: Readonly<Record<NotificationKind, string>> = t.kinds;
  return <FieldInput form={form} field={{ ...field, options: notificationKinds }} optionLabels={labels} />;
}
