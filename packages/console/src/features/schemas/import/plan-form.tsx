import { schemaRecordOperations } from '@arbiter/contract/catalogue/schemas';
import { useMemo } from 'react';
import { useList } from '../../../data/use-operation.ts';
import { fileImportTexts as t } from '../../../messages/catalogue/schemas/file-import.ts';
import { schemaFormTexts } from '../../../messages/catalogue/schemas/schema-form.ts';
import { CheckField, SelectField, TextField } from '../../../ui/field.tsx';
import { Section } from '../../../ui/page.tsx';
import { tableNameOf } from '../form/column-shape.ts';
import { ColumnRows, type ColumnRowsProps } from './column-rows.tsx';
import { type ImportPlan, rowNumber } from './import-plan.ts';

/** Problems of the form's inputs, by name. */
export type PlanProblems = Readonly<Partial<Record<'displayName' | 'key' | 'childField', string>>>;

export interface PlanFormProps extends ColumnRowsProps {
  readonly problems: PlanProblems;
}

/** Edits how to load a file: name, key, kind of rows, and columns. */
export function PlanForm({ plan, problems, errors, onChange }: PlanFormProps) {
  const set = (change: Partial<ImportPlan>) => onChange({ ...plan, ...change });
  const isCustomers = plan.schemaType === 'customer';
  const columns = plan.columns.map(({ name, header }) => ({ value: name, label: header === '' ? name : header }));
  return (
    <>
      <div className="grid items-start gap-x-4 gap-y-3 rounded-card border border-line bg-surface p-4 md:grid-cols-2">
        <TextField
          label={t.name}
          help={t.nameHelp(tableNameOf(plan.displayName))}
          error={problems.displayName}
          maxLength={255}
          value={plan.displayName}
          onChange={({ target }) => set({ displayName: target.value })}
        />
        <SelectField
          label={isCustomers ? t.key : t.keyOther}
          help={plan.key === '' ? t.keyMissing : t.keyHelp}
          error={problems.key}
          {...(plan.key === '' ? { placeholder: t.chooseKey } : {})}
          options={[...columns, { value: rowNumber, label: t.rowNumber }]}
          value={plan.key}
          onChange={({ target }) => set({ key: target.value })}
        />
        <SelectField
          label={t.about}
          options={Object.entries(schemaFormTexts.schemaTypes).map(([value, label]) => ({ value, label }))}
          value={plan.schemaType}
          onChange={({ target }) => set({ schemaType: target.value })}
        />
        {isCustomers ? null : <ParentInputs {...{ plan, problems, columns, set }} />}
        <CheckField
          label={t.reads}
          help={t.readsHelp}
          checked={plan.autoEnrich}
          onChange={({ target }) => set({ autoEnrich: target.checked })}
        />
      </div>
      <Section title={t.columns} flush>
        <ColumnRows plan={plan} errors={errors} onChange={onChange} />
        <p className="border-t border-line px-4 py-2 text-caption text-soft">{t.privacyHelp}</p>
      </Section>
    </>
  );
}

interface ParentInputsProps {
  readonly plan: ImportPlan;
  readonly problems: PlanProblems;
  readonly columns: readonly { readonly value: string; readonly label: string }[];
  readonly set: (change: Partial<ImportPlan>) => void;
}

/** The customers that other rows belong to. */
function ParentInputs({ plan, problems, columns, set }: ParentInputsProps) {
  const list = useList(schemaRecordOperations.list, { query: { schemaType: 'customer', limit: 200 } });
  const parents = useMemo(() => list.rows.filter(({ linkedSchemaId }) => linkedSchemaId === null), [list.rows]);
  const choose = (parentId: string) => {
    const parent = parents.find(({ id }) => id === parentId);
    const same = plan.columns.find(({ name }) => name === parent?.rowKey.toLowerCase())?.name ?? '';
    set({ parentId, childField: plan.childField === '' ? same : plan.childField });
  };
  return (
    <>
      <SelectField
        label={t.parent}
        placeholder={t.parentNone}
        options={parents.map(({ id, displayName }) => ({ value: id, label: displayName }))}
        value={plan.parentId}
        onChange={({ target }) => choose(target.value)}
      />
      {plan.parentId === '' ? null : (
        <SelectField
          label={t.child}
          error={problems.childField}
          {...(plan.childField === '' ? { placeholder: t.chooseKey } : {})}
          options={columns}
          value={plan.childField}
          onChange={({ target }) => set({ childField: target.value })}
        />
      )}
    </>
  );
}
