import { useCallback } from 'react';
import { conditionInputTexts as t } from '../../../messages/catalogue/condition-input.ts';
import { SelectField } from '../../../ui/field.tsx';
import { type Pick, PickField } from '../../../ui/pick-field.tsx';
import { type ConditionContext, numberOf, partId } from './condition-context.ts';
import type { ConditionField } from './condition-fields.ts';
import { type ConditionLeaf, type ConditionPlace, pointerOf } from './condition-model.ts';
import { operatorsOf, valueFor } from './operators.ts';
import { RemoveButton } from './remove-button.tsx';
import { ValueInput } from './value-input.tsx';

export interface LeafRowProps {
  readonly node: ConditionLeaf;
  readonly place: ConditionPlace;
  readonly context: ConditionContext;
}

/** One condition: field, operator, value. */
export function LeafRow({ node, place, context }: LeafRowProps) {
  const { fields, operators, errorAt, change } = context;
  const field = fields.find(({ name }) => name === node.field || `customer.${name}` === node.field);
  const pointer = pointerOf(place);
  const type = field?.type ?? 'unknown';
  const usual = operatorsOf[type].filter((operator) => operators === undefined || operators.has(operator));
  // An operator that doesn't fit the type stays visible until it's changed.
  const known = usual.includes(node.operator) ? usual : [...usual, node.operator];
  const set = (next: Partial<ConditionLeaf>) =>
    change(place, (part) => (part.kind === 'leaf' ? { ...part, ...next } : part));
  const setField = (name: string) => {
    const next = fields.find((one) => one.name === name)?.type ?? 'unknown';
    const fits = operatorsOf[next].includes(node.operator) && next === type;
    const operator = fits ? node.operator : (operatorsOf[next].find((one) => operators?.has(one) ?? true) ?? 'eq');
    set({ field: name, operator, value: fits ? node.value : valueFor(operator, next, undefined) });
  };
  return (
    <fieldset aria-label={t.condition(numberOf(place))} className="flex min-w-0 items-start gap-1.5">
      <div className="grid min-w-0 grow gap-1.5 sm:grid-cols-[minmax(0,5fr)_minmax(0,4fr)_minmax(0,5fr)]">
        <FieldPick
          id={partId(context, place)}
          fields={fields}
          value={node.field}
          error={errorAt(`${pointer}/field`) ?? errorAt(pointer)}
          onPick={setField}
        />
        <SelectField
          label={t.operator}
          labelHidden
          error={errorAt(`${pointer}/operator`)}
          options={known.map((value) => ({ value, label: t.operators[value] ?? value }))}
          value={node.operator}
          onChange={({ target }) => set({ operator: target.value, value: valueFor(target.value, type, node.value) })}
        />
        <ValueInput
          key={`${node.field} ${node.operator}`}
          leaf={node}
          field={field}
          error={errorAt(`${pointer}/value`)}
          onChange={(value) => set({ value })}
        />
      </div>
      <RemoveButton place={place} what={t.condition(numberOf(place))} context={context} />
    </fieldset>
  );
}

interface FieldPickProps {
  readonly id: string;
  readonly fields: readonly ConditionField[];
  readonly value: string;
  readonly error: string | undefined;
  readonly onPick: (name: string) => void;
}

const maxPicks = 50;

/** Chooses a field; what was typed can be taken as it is: request values have no schema. */
function FieldPick({ id, fields, value, error, onPick }: FieldPickProps) {
  const find = useCallback(
    async (text: string): Promise<readonly Pick[]> => {
      const wanted = text.toLowerCase();
      const found = fields
        .filter(({ name, from }) => name.toLowerCase().includes(wanted) || from.toLowerCase().includes(wanted))
        .sort((one, other) => Number(other.name.startsWith(text)) - Number(one.name.startsWith(text)))
        .slice(0, maxPicks)
        .map(({ name, from }) => ({ value: name, label: name, detail: from }));
      const isKnown = text === '' || found.some(({ label }) => label === text);
      return isKnown ? found : [...found, { value: text, label: text, detail: t.asTyped }];
    },
    [fields],
  );
  return (
    <PickField
      {...{ id, find, error }}
      label={t.field}
      labelHidden
      required={value !== ''}
      placeholder={t.fieldPlaceholder}
      shown={value}
      onPick={(pick) => {
        if (pick !== null) onPick(pick.value);
      }}
    />
  );
}
