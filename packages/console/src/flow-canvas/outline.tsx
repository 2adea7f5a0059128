import type { KeyboardEvent } from 'react';
import { type Namer, phaseNames } from '../messages/flow-nodes.ts';
import { cx } from '../ui/cx.ts';
import { type Flow, type NodeProblem, type NodeRun, phases, skipsOf } from './flow.ts';
import { NodeCounts, NodeText, phaseColour, phaseMark } from './node-look.tsx';

/** What the outline and the canvas are given. */
export interface FlowViewProps {
  readonly flow: Flow;
  /** What a run did, by node id; empty before a run. */
  readonly runs: ReadonlyMap<string, NodeRun>;
  readonly problems: readonly NodeProblem[];
  readonly selected: string | null;
  readonly onSelect: (id: string) => void;
  readonly namer: Namer;
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

/** Moves the focus to the next or previous node. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const nodes = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-node]')];
  const at = event.target instanceof HTMLElement ? nodes.indexOf(event.target) : -1;
  const step = steps[event.key];
  const next = event.key === 'Home' ? 0 : event.key === 'End' ? nodes.length - 1 : step === undefined ? -1 : at + step;
  if (at < 0 || event.metaKey || event.ctrlKey) return;
  const node = nodes[next];
  if (!node) return;
  event.preventDefault();
  node.focus();
}

/** The flow as it is: an ordered list in three phases. One stop of the tab order, arrows walk it, Enter opens a node. */
export function FlowOutline({ flow, runs, problems, selected, onSelect, namer }: FlowViewProps) {
  const skips = skipsOf(flow);
  const first = flow.nodes.some(({ id }) => id === selected) ? selected : flow.nodes[0]?.id;
  return (
    <nav aria-label="Nodes of the flow" className="flex flex-col gap-3" onKeyDown={walk}>
      {phases.map((phase) => {
        const nodes = flow.nodes.filter((node) => node.phase === phase);
        if (nodes.length === 0) return null;
        return (
          <section key={phase} aria-label={phaseNames[phase]}>
            <h2 className="flex items-center gap-1.5 px-2 pb-1 text-caption font-semibold text-soft">
              <span aria-hidden className={phaseColour[phase]}>
                {phaseMark[phase]}
              </span>
              {phaseNames[phase]}
            </h2>
            <ol className="flex flex-col gap-px">
              {nodes.map((node) => {
                const own = problems.filter(({ nodeId }) => nodeId === node.id);
                const run = runs.get(node.id);
                return (
                  <li key={node.id}>
                    <button
                      type="button"
                      data-node
                      tabIndex={node.id === first ? 0 : -1}
                      aria-current={node.id === selected || undefined}
                      onClick={() => onSelect(node.id)}
                      className={cx(
                        'flex min-h-11 w-full items-start gap-2 rounded-control px-2 py-1.5 -outline-offset-2',
                        node.id === selected ? 'bg-accent-soft' : 'hover:bg-hover',
                      )}
                    >
                      <NodeText node={node} namer={namer} />
                      <NodeCounts run={run} problems={own} />
                    </button>
                    {skips
                      .filter(({ from }) => from === node.id)
                      .map(({ to, on }) => (
                        <p key={`${to} ${on}`} className="ps-8 text-caption text-soft">
                          {on === 'true' ? 'if so' : 'if not'} ⤵ {to}
                        </p>
                      ))}
                  </li>
                );
              })}
            </ol>
          </section>
        );
      })}
    </nav>
  );
}
