import { decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { emptyTexts } from '@arbiter/contract/explanation/texts';
import { type DecisionTestDraft, decisionTestRunOperations } from '@arbiter/contract/judging/decision-test-runs';
import { decisionTestOperations } from '@arbiter/contract/judging/decision-tests';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import Type from 'typebox';
import { useMutate, useOperation } from '../../../data/use-operation.ts';
import type { Values } from '../../../forms/editing/changes.ts';
import { FieldGroup, FieldGroups } from '../../../forms/editing/field-group.tsx';
import { FieldInput } from '../../../forms/editing/inputs/field-input.tsx';
import { type FormParts, RecordEditor } from '../../../forms/editing/record-editor.tsx';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { editTitles } from '../../../messages/edit-titles.ts';
import { decisionTestFormTexts as t } from '../../../messages/judging/decision-tests.ts';
import { recordKinds } from '../../../records/record-kinds.ts';
import { useSearch } from '../../../route/use-address.ts';
import { SelectField } from '../../../ui/field.tsx';
import { Page } from '../../../ui/page.tsx';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { Skeleton } from '../../../ui/progress.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import { testSpec } from './form-spec.ts';
import { leanForm } from './lean-form.ts';

const FormSearch = Type.Object({ decision: Type.Optional(Type.String()) });

/** Creates a decision test, or changes one. A new one may start with a decision. */
export function TestForm() {
  const [{ decision }] = useSearch(FormSearch);
  const blank = useMemo(() => ({ name: '', given: { now: new Date().toISOString() }, expect: {} }), []);
  return decision === undefined ? <Editor initial={blank} notice={null} /> : <FromDecision id={decision} />;
}

/** The form filled in from a decision. Its customer's values are left out: tests outlive the customer's erasure. */
function FromDecision({ id }: { readonly id: string }) {
  const format = useFormat();
  const { run, failure } = useMutate(decisionTestRunOperations.draft);
  const [draft, setDraft] = useState<DecisionTestDraft | null>(null);
  useEffect(() => {
    void run({ params: { id }, body: {} }).then(setDraft);
  }, [run, id]);
  const initial = useMemo(
    () => (draft === null ? null : { ...draft.test, name: t.nameFrom(format.instant(draft.test.given.now)) }),
    [draft, format],
  );
  if (draft !== null && initial !== null)
    return <Editor initial={initial} notice={<LeftOut names={draft.leftOut} />} />;
  const { titles, path } = recordKinds.decisionTest;
  return (
    <Page title={editTitles.create(titles.one)} parents={[{ title: titles.many, to: path }]}>
      {failure === null ? (
        <Skeleton className="h-80 w-full" />
      ) : (
        <FailurePanel
          failure={failure}
          operation={decisionTestRunOperations.draft}
          retry={() => void run({ params: { id }, body: {} }).then(setDraft)}
        />
      )}
    </Page>
  );
}

function LeftOut({ names }: { readonly names: readonly string[] }) {
  return (
    <ProblemPanel tone="info" title={t.fromDecision(names.length)}>
      <p>{names.length === 0 ? t.allCopied : t.fromDecisionText}</p>
      {names.length === 0 ? null : (
        <ul className="mt-1 flex flex-wrap gap-x-3 gap-y-1">
          {names.map((name) => (
            <li key={name}>
              <code className="text-caption text-ink">{name}</code>
            </li>
          ))}
        </ul>
      )}
    </ProblemPanel>
  );
}

function Editor({ initial, notice }: { readonly initial: Values; readonly notice: ReactNode }) {
  return (
    <RecordEditor kind="decisionTest" operations={decisionTestOperations} spec={testSpec} initial={initial}>
      {(parts) => (
        <>
          {notice}
          <Fields {...parts} />
        </>
      )}
    </RecordEditor>
  );
}

const column = 'flex min-w-0 flex-col gap-4';

function Fields({ form, field, record }: FormParts) {
  const lean = leanForm(form);
  const input = (path: string) => <FieldInput key={path} form={lean} field={field(path)} />;
  return (
    <FieldGroups>
      <div className={column}>
        <FieldGroup title={t.basics}>
          <FieldInput form={form} field={field('/name')} />
          {record === null ? input('/decisionFlowId') : <FixedFlow id={String(record.decisionFlowId)} />}
          <FieldInput form={form} field={field('/description')} />
        </FieldGroup>
        <FieldGroup title={t.expected}>
          {['/expect/first', '/expect/includes', '/expect/excludes', '/expect/order', '/expect/count'].map(input)}
          <EmptyReason form={lean} field={field('/expect/emptyReason')} />
        </FieldGroup>
      </div>
      <div className={column}>
        <FieldGroup title={t.customer}>
          {['/given/customer', '/given/segments', '/given/request/channel'].map(input)}
          {['/given/request/limit', '/given/now'].map(input)}
        </FieldGroup>
        <FieldGroup title={t.before}>{['/given/contacts'].map(input)}</FieldGroup>
        <FieldGroup title={t.more}>
          {['/given/attributes', '/given/request/context', '/given/request/placement'].map(input)}
          {['/given/request/placements', '/given/request/excludeOffers', '/given/request/locale'].map(input)}
          {['/given/request/currency', '/given/evidence', '/given/seed', '/expect/probability'].map(input)}
        </FieldGroup>
      </div>
    </FieldGroups>
  );
}

function FixedFlow({ id }: { readonly id: string }) {
  const { data } = useOperation(decisionFlowOperations.get, { params: { id } });
  return (
    <div>
      <h3 className="text-dense font-medium">{t.labels['/decisionFlowId']}</h3>
      <p>{data?.name ?? '…'}</p>
      <p className="text-caption text-soft">{t.fixedFlow}</p>
    </div>
  );
}

const reasons = Object.entries(emptyTexts).map(([value, { title }]) => ({ value, label: title }));

function EmptyReason({ form, field }: Parameters<typeof FieldInput>[0]) {
  const value = form.valueAt(field.path);
  return (
    <SelectField
      label={field.label}
      error={form.errors.get(field.path)}
      placeholder={t.anyReason}
      options={reasons}
      value={typeof value === 'string' ? value : ''}
      onChange={({ target }) => form.set(field.path, target.value)}
    />
  );
}
