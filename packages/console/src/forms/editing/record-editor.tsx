import type { Operation } from '@arbiter/contract/core/operation';
import { type ReactNode, useMemo } from 'react';
import { codeOf, type Failure } from '../../data/failure.ts';
import { type Mutation, useMutate, useOperation } from '../../data/use-operation.ts';
import { editTitles } from '../../messages/edit-titles.ts';
import { editingTexts as t } from '../../messages/lists/editing.ts';
import type { RecordKindValue } from '../../records/record-kind.ts';
import { type RecordKind, recordKinds } from '../../records/record-kinds.ts';
import { addresses } from '../../route/addresses.ts';
import { useOptionalParam } from '../../route/use-address.ts';
import { useLinks } from '../../ui/link.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../loaded.tsx';
import { needsApproval, type Write } from './approval-need.ts';
import { type Values, valuesOf } from './changes.ts';
import { type FieldSpec, fieldsOf, requiredIn, type SpecOptions, secretsIn } from './field-spec.ts';
import { RecordFormFrame } from './record-form.tsx';
import { refusalOf } from './role-refusal.tsx';
import { type ApprovalRequest, useApprovalRequest } from './use-approval-request.ts';
import { type RecordForm, useRecordForm } from './use-record-form.ts';

/** The operations of a record that a form needs. */
export interface EditorOperations {
  readonly list: Operation;
  readonly get: Operation;
  readonly create: Operation;
  readonly updateById: Operation;
}

/** A record as the form reads it. */
interface EditedRecord extends Values {
  readonly id: string;
  readonly name: string;
  readonly displayName?: string;
  /** Flows call it `rowVersion`. */
  readonly version?: number;
  readonly rowVersion?: number;
}

/** Returns the display name of a record. Schemas also have a table name. */
const nameOf = ({ name, displayName }: Pick<EditedRecord, 'name' | 'displayName'>): string => displayName ?? name;

export interface FormParts {
  readonly form: RecordForm;
  /** Returns the field at a JSON pointer: `/schedule/startDate`. Throws if the body has none. */
  readonly field: (path: string) => FieldSpec;
  /** The stored record; null for a new one. */
  readonly record: Values | null;
}

export interface RecordEditorProps {
  readonly kind: RecordKind;
  /** Titles and addresses of records that share the list of another kind. */
  readonly as?: Pick<RecordKindValue, 'titles' | 'path' | 'record'>;
  /** Fields of objects whose shape depends on other values, by property: the config of a rule. */
  readonly shapes?: (values: Values) => Readonly<Record<string, readonly FieldSpec[]>>;
  readonly operations: EditorOperations;
  readonly spec?: SpecOptions;
  /** The values of a record as its body takes them, where it answers with more. */
  readonly asBody?: (record: Values) => Values;
  /** Values that a new record starts with. */
  readonly initial?: Values;
  /** Title of the page of a stored record. Default: `Edit <name>`. */
  readonly editing?: (name: string) => string;
  /** Query that reads the record. */
  readonly query?: Values;
  /** Stands in place of the form of a record that nobody can change now, or of a new one; null: the form. */
  readonly instead?: (record: Values | null) => ReactNode;
  readonly children: (parts: FormParts) => ReactNode;
}

const nothing: Values = {};

const same = (record: Values): Values => record;
const noneInstead = (): null => null;

/** The fields with the shapes that follow from the values. */
function shaped(fields: readonly FieldSpec[], shapes: RecordEditorProps['shapes'], values: Values) {
  if (shapes === undefined) return fields;
  const groups = shapes(values);
  return fields.map((field) => {
    const own = groups[field.name];
    return own === undefined ? field : { ...field, kind: 'group' as const, fields: own };
  });
}

/** The form of a record in the address, or of a new one. Its fields come from the operation's body. */
export function RecordEditor(props: RecordEditorProps) {
  const id = useOptionalParam('id');
  return id === undefined ? <NewRecord {...props} /> : <StoredRecord {...props} id={id} />;
}

function NewRecord(props: RecordEditorProps) {
  const { kind, as, operations, spec, shapes, initial = nothing, instead = noneInstead, children } = props;
  const { titles, path, record } = as ?? recordKinds[kind];
  const links = useLinks();
  const { create } = operations;
  const mutation = useSave(create);
  const secrets = useMemo(() => secretsIn(spec), [spec]);
  const form = useRecordForm({
    ...{ draft: `${titles.one} new`, stored: initial, version: undefined, failure: mutation.failure, secrets },
  });
  const { entityType } = operations.list.resource ?? {};
  const approval = useApproval({ operation: create, entityType, before: null, after: form.values }, mutation.failure);
  const all = useMemo(() => fieldsOf(create, operations.list.resource, spec), [create, operations, spec]);
  const fields = shaped(all, shapes, form.values);
  const save = async (changes: Values) => {
    if (approval.isNeeded) {
      const name = String(form.values.name);
      const isFiled = await approval.file({
        ...{ entityId: 'new', entityName: name === '' ? titles.one : name, action: 'create' },
        payload: { ...initial, ...changes },
      });
      if (!isFiled) return;
      form.discard();
      links.go(path);
      return;
    }
    const createdRecord = await mutation.run({ body: { ...initial, ...changes } });
    if (createdRecord === null) return;
    form.discard();
    toast({ text: t.created(nameOf(createdRecord)) });
    links.go(record(createdRecord.id));
  };
  const list = { title: titles.many, to: path };
  const refusal = instead(null) ?? (approval.isNeeded ? null : refusalOf(create, list));
  return (
    <Page title={editTitles.create(titles.one)} parents={[list]}>
      {refusal ?? (
        <RecordFormFrame
          {...{ form, fields, operation: create, ...approval.shown(mutation) }}
          act={approval.isNeeded ? t.requestApproval : t.create(titles.one)}
          isNew
          onSave={(changes) => void save(changes)}
          onCancel={() => links.go(path)}
        >
          {children({ form, field: finder(fields), record: null })}
        </RecordFormFrame>
      )}
    </Page>
  );
}

/** Operations of records answer with the record, which the types of all of them together don't say. */
function recordOf(body: unknown): EditedRecord {
  if (typeof body === 'object' && body !== null && 'id' in body && 'name' in body) {
    const { id, name } = body;
    if (typeof id === 'string' && typeof name === 'string') return { ...body, id, name };
  }
  throw new Error('the operation answers without a record');
}

function useSave(operation: Operation) {
  const { run, busy, failure } = useMutate(operation);
  const save = async (input: Parameters<typeof run>[0]): Promise<EditedRecord | null> => {
    const body = await run(input);
    return body === null ? null : recordOf(body);
  };
  return { run: save, busy, failure };
}

function StoredRecord(props: RecordEditorProps & { readonly id: string }) {
  const { kind, as, operations, id, query, editing = t.editing } = props;
  const { titles, path, record } = as ?? recordKinds[kind];
  const input = { params: { id }, ...(query === undefined ? {} : { query }) };
  const read = useOperation(operations.get, input);
  const answer = { ...read, data: read.data === undefined ? undefined : recordOf(read.data) };
  const name = answer.data === undefined ? undefined : nameOf(answer.data);
  return (
    <Page
      title={name === undefined ? editTitles.edit(titles.one) : editing(name)}
      parents={[
        { title: titles.many, to: path },
        { title: name ?? titles.one, to: record(id) },
      ]}
    >
      <Loaded answer={answer} operation={operations.get} instead={{ title: titles.many, to: path }}>
        {(body) => <Editing {...props} body={body} />}
      </Loaded>
    </Page>
  );
}

function Editing(props: RecordEditorProps & { readonly body: EditedRecord }) {
  const { kind, as, operations, spec, shapes, body, asBody = same, instead = noneInstead, children } = props;
  const { titles, record } = as ?? recordKinds[kind];
  const links = useLinks();
  const { updateById } = operations;
  const rowVersion = body.rowVersion ?? body.version;
  const mutation = useSave(updateById);
  const all = useMemo(() => {
    const required = requiredIn(operations.create);
    return fieldsOf(updateById, operations.list.resource, { ...spec, required });
  }, [updateById, operations, spec]);
  const stored = useMemo(
    () =>
      valuesOf(
        asBody(body),
        all.map(({ name }) => name),
      ),
    [body, all, asBody],
  );
  const secrets = useMemo(() => secretsIn(spec), [spec]);
  const form = useRecordForm({
    ...{ draft: `${titles.one} ${body.id}`, stored, version: rowVersion, failure: mutation.failure, secrets },
  });
  const fields = shaped(all, shapes, form.values);
  const page = record(body.id);
  const { entityType } = operations.list.resource ?? {};
  const approval = useApproval(
    { operation: updateById, entityType, before: stored, after: form.values },
    mutation.failure,
  );
  const save = async (changes: Values) => {
    if (approval.isNeeded) {
      const request = { entityId: body.id, entityName: body.name, action: 'update', payload: changes } as const;
      if (!(await approval.file(request))) return;
      form.discard();
      links.go(page);
      return;
    }
    const input = { params: { id: body.id }, body: { ...changes, rowVersion } };
    const saved = await mutation.run(input);
    if (saved === null) return;
    form.discard();
    toast({ text: t.saved(nameOf(saved)) });
    links.go(page);
  };
  const refusal =
    instead(body) ?? (approval.isNeeded ? null : refusalOf(updateById, { title: nameOf(body), to: page }));
  return (
    refusal ?? (
      <RecordFormFrame
        {...{ form, fields, operation: updateById, ...approval.shown(mutation) }}
        act={approval.isNeeded ? t.requestApproval : t.save}
        isNew={false}
        onSave={(changes) => void save(changes)}
        onCancel={() => links.go(page)}
      >
        {children({ form, field: finder(fields), record: body })}
      </RecordFormFrame>
    )
  );
}

/** Whether a save has to be requested, and what requests it. The server's refusal to save directly counts too. */
function useApproval(write: Write, refusal: Failure | null) {
  const { file, busy, failure } = useApprovalRequest();
  const links = useLinks();
  const isRefused = codeOf(refusal) === 'approval_required';
  const isNeeded = needsApproval(write) || isRefused;
  return {
    isNeeded,
    async file(request: Omit<ApprovalRequest, 'entityType'>): Promise<boolean> {
      const isFiled = await file({ ...request, entityType: write.entityType ?? '' });
      if (isFiled) {
        toast({
          text: t.requested(request.entityName),
          action: { label: t.seeRequests, run: () => links.go(addresses.approvals({ tab: 'mine' })) },
        });
      }
      return isFiled;
    },
    shown: (save: Pick<Mutation<Operation>, 'busy' | 'failure'>) => ({
      isRequest: isNeeded,
      busy: busy || save.busy,
      failure: failure ?? save.failure,
    }),
  };
}

/** Finds a field by its pointer. */
function finder(fields: readonly FieldSpec[]): (path: string) => FieldSpec {
  const all = new Map<string, FieldSpec>();
  const add = (list: readonly FieldSpec[]): void => {
    for (const field of list) {
      all.set(field.path, field);
      add(field.fields ?? []);
    }
  };
  add(fields);
  return (path) => {
    const field = all.get(path);
    if (field === undefined) throw new Error(`the body has no field ${path}`);
    return field;
  };
}
