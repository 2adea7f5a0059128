import { type KeyboardEvent, memo, useMemo } from 'react';
import { type Namer, phaseNames } from '../messages/flows/flow-nodes.ts';
import { flowTexts as t } from '../messages/flows/flows.ts';
import { cx } from '../ui/cx.ts';
import { type Flow, type NodeProblem, type NodeRun, phases, type Skip, skipsOf } from './flow.ts';
import { NodeCounts, NodeText, type NodeView, phaseColor, phaseMark } from './node-look.tsx';

/** Props of the outline and the canvas. */
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
  if (at < 0 || event.metaKey || event.ctrlKey || event.altKey) return;
  const node = nodes[next];
  if (!node) return;
  event.preventDefault();
  node.focus();
}

const noProblems: readonly NodeProblem[] = [];

/** The flow as an ordered list in three phases. One stop in the tab order: arrows move, Enter opens a node. */
export function FlowOutline({ flow, runs, problems, selected, onSelect, namer }: FlowViewProps) {
  const skips = useMemo(() => Map.groupBy(skipsOf(flow), ({ from }) => from), [flow]);
  const found = useMemo(() => Map.groupBy(problems, ({ nodeId }) => nodeId), [problems]);
  const first = flow.nodes.some(({ id }) => id === selected) ? selected : flow.nodes[0]?.id;
  return (
    <nav aria-label={t.outlineOf} className="flex flex-col gap-3" onKeyDown={walk}>
      {phases.map((phase) => {
        const nodes = flow.nodes.filter((node) => node.phase === phase);
        if (nodes.length === 0) return null;
        return (
          <section key={phase} aria-label={phaseNames[phase]}>
            <h2 className="flex items-center gap-1.5 px-2 pb-1 text-caption font-semibold text-soft">
              <span aria-hidden className={phaseColor[phase]}>
                {phaseMark[phase]}
              </span>
              {phaseNames[phase]}
            </h2>
            <ol className="flex flex-col gap-px">
              {nodes.map((node) => (
                <OutlineRow
                  key={node.id}
                  node={node}
                  run={runs.get(node.id)}
                  problems={found.get(node.id) ?? noProblems}
                  skips={skips.get(node.id)}
                  namer={namer}
                  isSelected={node.id === selected}
                  isStop={node.id === first}
                  onSelect={onSelect}
                />
              ))}
            </ol>
          </section>
        );
      })}
    </nav>
  );
}

interface OutlineRowProps extends NodeView {
  readonly skips: readonly Skip[] | undefined;
  readonly isSelected: boolean;
  /** The row in the tab order. */
  readonly isStop: boolean;
  readonly onSelect: (id: string) => void;
}

/** A node of the list. A selection renders only two rows: the previous and the new one. */
const OutlineRow = memo(function OutlineRow(props: OutlineRowProps) {
  const { node, run, problems, skips, namer, isSelected, isStop, onSelect } = props;
  return (
    <li>
      <button
        type="button"
        data-node={node.id}
        tabIndex={isStop ? 0 : -1}
        aria-current={isSelected || undefined}
        onClick={() => onSelect(node.id)}
        className={cx(
          'flex min-h-11 w-full items-start gap-2 rounded-control px-2 py-1.5 -outline-offset-2',
          isSelected ? 'bg-accent-soft' : 'hover:bg-hover',
        )}
      >
        <NodeText node={node} namer={namer} />
        <NodeCounts run={run} problems={problems} />
      </button>
      {skips?.map(({ to, on }) => (
        <p key={`${to} ${on}`} className="ps-8 text-caption text-soft">
          {on === 'true' ? t.ifSo : t.ifNot} ⤵ {to}
        </p>
      ))}
    </li>
  );
});
