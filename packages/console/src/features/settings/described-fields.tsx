import { tenantSettingsOperations } from '@arbiter/contract/identity/tenant-settings';
import { useMemo, useState } from 'react';
import { stepsOf, valueAt, withValue } from '../../forms/editing/changes.ts';
import type { FieldForm } from '../../forms/editing/field-props.ts';
import { type FieldSpec, fieldsOf } from '../../forms/editing/field-spec.ts';
import { FieldInput } from '../../forms/editing/inputs/field-input.tsx';
import { settingsTexts as t } from '../../messages/settings.ts';
import { describedSettings } from './settings-changes.ts';
import type { SettingsForm } from './use-settings-form.ts';

const flat = (fields: readonly FieldSpec[]): readonly FieldSpec[] =>
  fields.flatMap((field) => [field, ...flat(field.fields ?? [])]);

const fields = flat(
  fieldsOf(tenantSettingsOperations.update, undefined, {
    references: { '/defaultArbitrationProfileId': 'rankingProfile', '/recordReads/segments': 'segment' },
    kinds: { '/defaultArbitrationProfileId': 'reference' },
    labels: t.describedLabels,
    help: t.describedHelps,
  }),
);

/** A setting whose field comes from the operation's body. */
export function DescribedField({ form, path }: { readonly form: SettingsForm; readonly path: string }) {
  const fieldForm = useFieldForm(form);
  const field = fields.find((each) => each.path === path);
  if (field === undefined) throw new Error(`no setting at ${path}`);
  return (
    <fieldset disabled={form.isReadOnly} className="min-w-0">
      <FieldInput form={fieldForm} field={{ ...field, isNullable: false }} />
      {form.isReadOnly ? <p className="text-caption text-soft">{t.needsAdmin}</p> : null}
    </fieldset>
  );
}

function useFieldForm(form: SettingsForm): FieldForm {
  const [inputErrors, setInputErrors] = useState<ReadonlyMap<string, string>>(new Map());
  const { failures } = form;
  const errors = useMemo(
    () => new Map([...failures.map(({ path, message }) => [path, message] as const), ...inputErrors]),
    [failures, inputErrors],
  );
  return {
    errors,
    valueAt: (path) => valueAt(form.values, stepsOf(path)),
    set: (path, value) => {
      const next: Readonly<Record<string, unknown>> = { ...Object(withValue(form.values, stepsOf(path), value)) };
      const name = describedSettings.find((each) => path === `/${each}` || path.startsWith(`/${each}/`));
      if (name !== undefined) form.set({ [name]: next[name] });
    },
    setInputError: (path, message) =>
      setInputErrors((before) => {
        if (before.get(path) === message) return before;
        const errorsLeft = new Map(before);
        if (message === undefined) errorsLeft.delete(path);
        else errorsLeft.set(path, message);
        return errorsLeft;
      }),
  };
}
