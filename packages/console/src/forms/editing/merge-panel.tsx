import { Fragment } from 'react';
import { valueText } from '../../messages/catalogue/conditions.ts';
import { editingTexts, mergeTexts as t } from '../../messages/lists/editing.ts';
import { later } from '../../ui/later.tsx';
import { type Conflict, sides } from './changes.ts';
import { ConflictPanel } from './conflict-panel.tsx';
import type { FieldSpec } from './field-spec.ts';

/** A value of any property in words. */
function conflictText(value: unknown): string {
  if (value === null || value === undefined || value === '') return editingTexts.unset;
  if (typeof value === 'boolean') return value ? editingTexts.yes : editingTexts.no;
  if (typeof value === 'object') return JSON.stringify(value);
  return valueText(value);
}

/** Loads only when a reference is in conflict. */
const ReferenceNames = later(() => import('./inputs/references.ts').then((module) => module.ReferenceNames));

function Value({ field, value }: { readonly field: FieldSpec | undefined; readonly value: unknown }) {
  const isReference = field?.kind === 'reference' || field?.kind === 'references';
  return isReference && value !== null ? <ReferenceNames to={field.to ?? ''} value={value} /> : conflictText(value);
}

export interface MergePanelProps {
  readonly conflicts: readonly Conflict[];
  readonly fields: readonly FieldSpec[];
  /** `mine`: properties that keep my value. */
  readonly onSettle: (mine: ReadonlySet<string>) => void;
}

/** Two people changed the same fields: shows both values, and the one before, and asks which to keep. */
export function MergePanel({ conflicts, fields, onSettle }: MergePanelProps) {
  const fieldOf = (name: string) => fields.find((field) => field.name === name);
  return (
    <ConflictPanel
      title={t.title}
      text={t.text(conflicts.length)}
      conflicts={conflicts}
      keyOf={({ name }) => name}
      titleOf={({ name }) => fieldOf(name)?.label ?? name}
      onSettle={(choices) => onSettle(new Set([...choices].flatMap(([name, side]) => (side === 'mine' ? [name] : []))))}
    >
      {(conflict, keepButton) => (
        <>
          <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-dense">
            {([...sides, 'base'] as const).map((side) => (
              <Fragment key={side}>
                <dt>{t[side]}</dt>
                <dd className="min-w-0 break-words text-ink">
                  <Value field={fieldOf(conflict.name)} value={conflict[side]} />
                </dd>
              </Fragment>
            ))}
          </dl>
          <div className="flex gap-2">
            {sides.map((side) => (
              <Fragment key={side}>{keepButton(side)}</Fragment>
            ))}
          </div>
        </>
      )}
    </ConflictPanel>
  );
}
