import { useState } from 'react';
import { Focused } from '../../../forms/editing/focused.tsx';
import { flowMergeTexts as t } from '../../../messages/flows/flow-editor.ts';
import { nodeName } from '../../../messages/flows/flow-nodes.ts';
import { Button } from '../../../ui/button.tsx';
import { Diff } from '../../../ui/diff/diff.tsx';
import type { Json } from '../../../ui/diff/differences.ts';
import { ProblemPanel } from '../../../ui/problem.tsx';
import type { FlowConflict, Side } from './merge-flows.ts';
import type { FlowEditor } from './use-flow-editor.ts';

type Choices = ReadonlyMap<string, Side>;

function titleOf({ key, mine, theirs, base }: FlowConflict): string {
  if (key === 'order') return t.order;
  if (key === 'settings') return t.settings;
  const { name, type }: { name?: unknown; type?: unknown } = { ...Object(mine ?? theirs ?? base) };
  return typeof name === 'string' && name !== '' ? name : nodeName(String(type));
}

/** Shows what two people changed in the same parts of a flow, and asks which version to keep. */
export function FlowMergePanel({ editor }: { readonly editor: FlowEditor }) {
  const { conflicts, settle } = editor;
  const [choices, setChoices] = useState<Choices>(new Map());
  const choose = (key: string, side: Side) => {
    const next = new Map(choices).set(key, side);
    setChoices(next);
    if (conflicts.every((conflict) => next.has(conflict.key))) settle(next);
  };
  const chooseAll = (side: Side) => settle(new Map(conflicts.map(({ key }) => [key, side])));
  return (
    <Focused>
      <ProblemPanel
        tone="warn"
        title={t.title}
        actions={
          conflicts.length < 2 ? undefined : (
            <>
              <Button size="small" onClick={() => chooseAll('mine')}>
                {t.keepAllMine}
              </Button>
              <Button size="small" onClick={() => chooseAll('theirs')}>
                {t.keepAllTheirs}
              </Button>
            </>
          )
        }
      >
        <p>{t.text(conflicts.length)}</p>
        <ul className="mt-2 flex flex-col gap-4">
          {conflicts.map((conflict) => (
            <ConflictRow
              key={conflict.key}
              conflict={conflict}
              chosen={choices.get(conflict.key)}
              onChoose={(side) => choose(conflict.key, side)}
            />
          ))}
        </ul>
      </ProblemPanel>
    </Focused>
  );
}

interface ConflictRowProps {
  readonly conflict: FlowConflict;
  readonly chosen: Side | undefined;
  readonly onChoose: (side: Side) => void;
}

function ConflictRow({ conflict, chosen, onChoose }: ConflictRowProps) {
  const title = titleOf(conflict);
  return (
    <li className="flex flex-col gap-2">
      <h3 dir="auto" className="text-dense font-medium break-words text-ink">
        {title}
      </h3>
      <div className="grid gap-3 sm:grid-cols-2">
        {(['mine', 'theirs'] as const).map((side) => (
          <section
            key={side}
            aria-label={`${t[side]}: ${title}`}
            className="flex min-w-0 flex-col gap-1 rounded-control border border-line bg-surface p-3"
          >
            <h4 className="text-caption font-semibold text-soft">{t[side]}</h4>
            {conflict[side] === null ? (
              <p className="text-dense text-block">{t.removed}</p>
            ) : (
              <Diff before={conflict.base as Json} after={conflict[side] as Json} />
            )}
            <Button
              size="small"
              className="mt-auto w-fit"
              aria-pressed={chosen === side}
              aria-label={`${side === 'mine' ? t.keepMine : t.keepTheirs}: ${title}`}
              onClick={() => onChoose(side)}
            >
              {side === 'mine' ? t.keepMine : t.keepTheirs}
            </Button>
          </section>
        ))}
      </div>
    </li>
  );
}
