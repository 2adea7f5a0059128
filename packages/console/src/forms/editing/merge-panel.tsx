import { useState } from 'react';
import { valueText } from '../../messages/catalogue/conditions.ts';
import { editingTexts, mergeTexts as t } from '../../messages/lists/editing.ts';
import { Button } from '../../ui/button.tsx';
import { later } from '../../ui/later.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import type { Conflict } from './changes.ts';
import type { FieldSpec } from './field-spec.ts';
import { Focused } from './focused.tsx';

/** A value of any property in words. */
function shown(value: unknown): string {
  if (value === null || value === undefined || value === '') return editingTexts.unset;
  if (typeof value === 'boolean') return value ? editingTexts.yes : editingTexts.no;
  if (typeof value === 'object') return JSON.stringify(value);
  return valueText(value);
}

/** Loads only when a reference is in conflict. */
const ReferenceNames = later(() => import('./inputs/references.ts').then((module) => module.ReferenceNames));

function Value({ field, value }: { readonly field: FieldSpec | undefined; readonly value: unknown }) {
  const isReference = field?.kind === 'reference' || field?.kind === 'references';
  return isReference && value !== null ? <ReferenceNames to={field.to ?? ''} value={value} /> : shown(value);
}

export interface MergePanelProps {
  readonly conflicts: readonly Conflict[];
  readonly fields: readonly FieldSpec[];
  /** `mine`: properties that keep my value. */
  readonly onSettle: (mine: ReadonlySet<string>) => void;
}

/** Two people changed the same fields: shows both values, and the one before, and asks which to keep. */
export function MergePanel({ conflicts, fields, onSettle }: MergePanelProps) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, 'mine' | 'theirs'>>(new Map());
  const choose = (name: string, side: 'mine' | 'theirs') => {
    const next = new Map(chosen).set(name, side);
    setChosen(next);
    if (conflicts.every((conflict) => next.has(conflict.name))) {
      onSettle(new Set([...next].filter(([, one]) => one === 'mine').map(([each]) => each)));
    }
  };
  const all = new Set(conflicts.map(({ name }) => name));
  const fieldOf = (name: string) => fields.find((field) => field.name === name);
  const labelOf = (name: string) => fieldOf(name)?.label ?? name;
  return (
    <Focused>
      <ProblemPanel
        tone="warn"
        title={t.title}
        actions={
          conflicts.length < 2 ? undefined : (
            <>
              <Button size="small" onClick={() => onSettle(all)}>
                {t.allMine}
              </Button>
              <Button size="small" onClick={() => onSettle(new Set())}>
                {t.allTheirs}
              </Button>
            </>
          )
        }
      >
        <p>{t.text(conflicts.length)}</p>
        <ul className="mt-2 flex flex-col gap-3">
          {conflicts.map(({ name, base, mine, theirs }) => (
            <li key={name} className="flex flex-col gap-1">
              <h3 className="text-dense font-medium text-ink">{labelOf(name)}</h3>
              <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-dense">
                <dt>{t.mine}</dt>
                <dd className="min-w-0 break-words text-ink">
                  <Value field={fieldOf(name)} value={mine} />
                </dd>
                <dt>{t.theirs}</dt>
                <dd className="min-w-0 break-words text-ink">
                  <Value field={fieldOf(name)} value={theirs} />
                </dd>
                <dt>{t.base}</dt>
                <dd className="min-w-0 break-words">
                  <Value field={fieldOf(name)} value={base} />
                </dd>
              </dl>
              <div className="flex gap-2">
                {(['mine', 'theirs'] as const).map((side) => (
                  <Button
                    key={side}
                    size="small"
                    aria-pressed={chosen.get(name) === side}
                    aria-label={`${side === 'mine' ? t.useMine : t.useTheirs}: ${labelOf(name)}`}
                    onClick={() => choose(name, side)}
                  >
                    {side === 'mine' ? t.useMine : t.useTheirs}
                  </Button>
                ))}
              </div>
            </li>
          ))}
        </ul>
      </ProblemPanel>
    </Focused>
  );
}
