import { type ReactNode, useState } from 'react';
import { conflictTexts as t } from '../../messages/lists/editing.ts';
import { Button } from '../../ui/button.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { type Side, sides } from './changes.ts';
import { Focused } from './focused.tsx';

export interface ConflictPanelProps<Conflict> {
  readonly title: string;
  readonly text: string;
  readonly conflicts: readonly Conflict[];
  readonly keyOf: (conflict: Conflict) => string;
  readonly titleOf: (conflict: Conflict) => string;
  /** Called once all conflicts have a choice. */
  readonly onSettle: (choices: ReadonlyMap<string, Side>) => void;
  /** Shows both versions, and the button that keeps each. */
  readonly children: (conflict: Conflict, keepButton: (side: Side) => ReactNode) => ReactNode;
}

/** Two people changed the same parts: shows both versions of each, and asks which to keep. */
export function ConflictPanel<Conflict>(props: ConflictPanelProps<Conflict>) {
  const { title, text, conflicts, keyOf, titleOf, onSettle, children } = props;
  const [choices, setChoices] = useState<ReadonlyMap<string, Side>>(new Map());
  const choose = (key: string, side: Side) => {
    const next = new Map(choices).set(key, side);
    setChoices(next);
    if (conflicts.every((conflict) => next.has(keyOf(conflict)))) onSettle(next);
  };
  const chooseAll = (side: Side) => onSettle(new Map(conflicts.map((conflict) => [keyOf(conflict), side])));
  const allButtons = sides.map((side) => (
    <Button key={side} size="small" onClick={() => chooseAll(side)}>
      {t.keepAll[side]}
    </Button>
  ));
  const keepButton = (conflict: Conflict) => (side: Side) => (
    <Button
      size="small"
      className="mt-auto w-fit"
      aria-pressed={choices.get(keyOf(conflict)) === side}
      aria-label={`${t.keep[side]}: ${titleOf(conflict)}`}
      onClick={() => choose(keyOf(conflict), side)}
    >
      {t.keep[side]}
    </Button>
  );
  return (
    <Focused>
      <ProblemPanel tone="warn" title={title} actions={conflicts.length < 2 ? undefined : allButtons}>
        <p>{text}</p>
        <ul className="mt-2 flex flex-col gap-4">
          {conflicts.map((conflict) => (
            <li key={keyOf(conflict)} className="flex flex-col gap-2">
              <h3 dir="auto" className="text-dense font-medium break-words text-ink">
                {titleOf(conflict)}
              </h3>
              {children(conflict, keepButton(conflict))}
            </li>
          ))}
        </ul>
      </ProblemPanel>
    </Focused>
  );
}
