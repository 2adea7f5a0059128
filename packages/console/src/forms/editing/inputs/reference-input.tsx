import { editingTexts as t } from '../../../messages/lists/editing.ts';
import { Field, TextField } from '../../../ui/field.tsx';
import { FilterChip } from '../../../ui/filter-chip.tsx';
import { PickField } from '../../../ui/pick-field.tsx';
import { fieldId } from '../field-id.ts';
import type { FieldInputProps } from '../field-props.ts';
import { referenceSources } from './reference-sources.ts';
import { idsOf, useNames, useReferences } from './references.ts';

export interface ReferenceInputProps extends FieldInputProps {
  /** Restricts what can be chosen: `{ categoryId }` for its sub-categories. */
  readonly query?: Readonly<Record<string, unknown>>;
}

/** Chooses one record, or several, by typing part of a name. */
export function ReferenceInput({ field, form, className, query }: ReferenceInputProps) {
  const { path, label, help, isRequired, kind, to = '' } = field;
  const ids = idsOf(form.valueAt(path)).filter((id) => id !== '');
  const { find, nameOf } = useReferences(to, query);
  const { names, learn } = useNames(ids, nameOf);
  const [first = ''] = ids;
  const error = [...form.errors].find(([at]) => at === path || at.startsWith(`${path}/`))?.[1];
  const look = { label, isRequired, error, help: help === '' ? undefined : help, id: fieldId(path), className };
  if (!Object.hasOwn(referenceSources, to)) {
    return <TextField {...look} value={first} mono onChange={({ target }) => form.set(path, target.value || null)} />;
  }
  if (kind === 'reference') {
    return (
      <PickField
        {...look}
        required={isRequired && first !== ''}
        placeholder={isRequired ? t.chooseOne : t.none}
        shown={first === '' ? '' : (names.get(first) ?? '')}
        find={find}
        onPick={(pick) => {
          if (pick !== null) learn(pick.value, pick.label);
          form.set(path, pick?.value ?? null);
        }}
      />
    );
  }
  return (
    <div className="flex flex-col gap-1.5">
      <PickField
        {...look}
        placeholder={t.none}
        shown=""
        find={find}
        onPick={(pick) => {
          if (pick === null || ids.includes(pick.value)) return;
          learn(pick.value, pick.label);
          form.set(path, [...ids, pick.value]);
        }}
      />
      {ids.length === 0 ? null : (
        <Field label={label} labelHidden>
          <div className="flex flex-wrap gap-1.5">
            {ids.map((id) => (
              <FilterChip
                key={id}
                removes={t.remove(names.get(id) ?? id)}
                onRemove={() =>
                  form.set(
                    path,
                    ids.filter((each) => each !== id),
                  )
                }
              >
                {names.get(id) ?? '…'}
              </FilterChip>
            ))}
          </div>
        </Field>
      )}
    </div>
  );
}
