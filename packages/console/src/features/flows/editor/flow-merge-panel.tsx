import { sides } from '../../../forms/editing/changes.ts';
import { ConflictPanel } from '../../../forms/editing/conflict-panel.tsx';
import { flowMergeTexts as t } from '../../../messages/flows/flow-editor.ts';
import { nodeName } from '../../../messages/flows/flow-nodes.ts';
import { Diff } from '../../../ui/diff/diff.tsx';
import type { Json } from '../../../ui/diff/differences.ts';
import type { FlowConflict } from './merge-flows.ts';
import type { FlowEditor } from './use-flow-editor.ts';

function titleOf({ key, mine, theirs, base }: FlowConflict): string {
  if (key === 'order') return t.order;
  if (key === 'settings') return t.settings;
  const { name, type }: { name?: unknown; type?: unknown } = { ...Object(mine ?? theirs ?? base) };
  return typeof name === 'string' && name !== '' ? name : nodeName(String(type));
}

/** Shows what two people changed in the same parts of a flow, and asks which version to keep. */
export function FlowMergePanel({ editor: { conflicts, settle } }: { readonly editor: FlowEditor }) {
  return (
    <ConflictPanel
      title={t.title}
      text={t.text(conflicts.length)}
      conflicts={conflicts}
      keyOf={({ key }) => key}
      titleOf={titleOf}
      onSettle={settle}
    >
      {(conflict, keepButton) => (
        <div className="grid gap-3 sm:grid-cols-2">
          {sides.map((side) => (
            <section
              key={side}
              aria-label={`${t[side]}: ${titleOf(conflict)}`}
              className="flex min-w-0 flex-col gap-1 rounded-control border border-line bg-surface p-3"
            >
              <h4 className="text-caption font-semibold text-soft">{t[side]}</h4>
              {conflict[side] === null ? (
                <p className="text-dense text-block">{t.removed}</p>
              ) : (
                <Diff before={conflict.base as Json} after={conflict[side] as Json} />
              )}
              {keepButton(side)}
            </section>
          ))}
        </div>
      )}
    </ConflictPanel>
  );
}
