import { scopeTexts as t } from '../../../messages/lists/scopes.ts';
import { SelectField } from '../../../ui/field.tsx';
import type { Values } from '../changes.ts';
import type { FieldInputProps } from '../field-props.ts';
import type { FieldSpec } from '../field-spec.ts';
import { ReferenceInput } from './reference-input.tsx';
import { RowsInput } from './rows-input.tsx';

/** Entity types of scopes whose word differs. */
const entities: Readonly<Record<string, string>> = { subcategory: 'subCategory' };

interface Scope {
  readonly scope?: unknown;
  readonly scopeId?: unknown;
}

const scopesOf = (value: unknown): readonly Scope[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each !== null) : [];

/** The scopes of a record as bodies take them: records answer with more. */
export const withPlainScopes = (record: Values): Values => ({
  ...record,
  scopes: scopesOf(record.scopes).map(({ scope, scopeId }) => ({ scope, scopeId })),
});

export const everything = [{ scope: 'global', scopeId: null }];

/** What a rule or a policy applies to: everything, or chosen records. */
export function ScopesInput({ form, field }: FieldInputProps) {
  const { path } = field;
  const scopes = scopesOf(form.valueAt(path));
  const isGlobal = scopes.some(({ scope }) => scope === 'global');
  const kinds = (field.fields ?? []).find(({ name }) => name === 'scope')?.options ?? [];
  const [first = 'offer'] = kinds.filter((kind) => kind === 'offer');
  return (
    <div className="flex flex-col gap-3">
      <SelectField
        label={t.label}
        error={form.errors.get(path)}
        options={[
          { value: 'all', label: t.everything },
          { value: 'some', label: t.some },
        ]}
        value={isGlobal ? 'all' : 'some'}
        onChange={({ target }) =>
          form.set(path, target.value === 'all' ? everything : [{ scope: first, scopeId: null }])
        }
      />
      {isGlobal ? null : (
        <RowsInput
          form={form}
          field={{ ...field, label: t.targets, help: scopes.length === 0 ? t.none : '' }}
          start={{ scope: first, scopeId: null }}
          rowLabel={(_, position) => t.target(position + 1)}
          control={(each, row) => <Part form={form} field={each} scope={String(row.scope)} />}
        />
      )}
    </div>
  );
}

interface PartProps extends FieldInputProps {
  readonly scope: string;
}

function Part({ form, field, scope }: PartProps) {
  if (field.name !== 'scope') {
    const own: FieldSpec = { ...field, label: t.record, help: '', kind: 'reference', to: entities[scope] ?? scope };
    return <ReferenceInput key={scope} form={form} field={own} />;
  }
  const target = field.path.replace(/\/scope$/, '');
  const options = (field.options ?? []).filter((option) => option !== 'global');
  return (
    <SelectField
      label={t.kind}
      error={form.errors.get(field.path)}
      options={options.map((value) => ({ value, label: t.kinds[value] ?? value }))}
      value={scope}
      // A target of another kind is another record.
      onChange={(event) => form.set(target, { scope: event.target.value, scopeId: null })}
    />
  );
}
