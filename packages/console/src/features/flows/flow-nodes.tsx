import { ChevronLeft } from 'lucide-react';
import { type ReactNode, useCallback } from 'react';
import { type Flow, FlowOutline, type NodeProblem } from '../../flow-canvas/index.ts';
import { flowTexts as t } from '../../messages/flows/flows.ts';
import { Button } from '../../ui/button.tsx';
import { later } from '../../ui/later.tsx';
import { Skeleton } from '../../ui/progress.tsx';
import { useMedia, wideWindow } from '../../ui/use-media.ts';
import { useNamer } from './flow-names.ts';
import type { FlowChange } from './flow-search.ts';
import { NodePanel } from './node-panel.tsx';
import type { FlowRun } from './run.ts';
import { useNodeFocus } from './use-node-focus.ts';

/** A separate chunk, with a library that no other screen needs. */
export const FlowCanvas = later(
  () => import('../../flow-canvas/canvas.tsx').then((module) => module.FlowCanvas),
  <Skeleton className="size-full" />,
);

export interface FlowNodesProps {
  readonly flow: Flow;
  /** Identifies flow and version: another one starts with a new canvas. */
  readonly canvasKey: string;
  readonly loading: boolean;
  readonly view: 'canvas' | 'outline';
  readonly run: FlowRun | null;
  readonly problems: readonly NodeProblem[];
  /** ID of the selected node. */
  readonly selected: string | undefined;
  /** Shown next to the nodes instead of the selected node's settings. */
  readonly panel?: ReactNode;
  readonly onChange: (change: FlowChange, how?: { readonly push: boolean }) => void;
}

const noRuns: FlowRun['byNode'] = new Map();

/** The nodes as canvas or outline, next to the selected one; on narrow screens, the list or the selected one. */
export function FlowNodes(props: FlowNodesProps) {
  const { flow, canvasKey, loading, view, run, problems, selected, panel, onChange } = props;
  const namer = useNamer(flow);
  // Render only one of the two instead of hiding one: each can have hundreds of nodes.
  const isWide = useMedia(wideWindow);
  const node = flow.nodes.find(({ id }) => id === selected);
  const isAlone = !isWide && node !== undefined;
  const place = useNodeFocus(isWide ? null : (node?.id ?? ''));
  const select = useCallback((id: string) => onChange({ node: id }, { push: !isWide }), [onChange, isWide]);
  const common = { flow, runs: run?.byNode ?? noRuns, problems, selected: selected ?? null, onSelect: select, namer };
  return (
    <div
      ref={place}
      className={`grid grid-cols-[minmax(0,1fr)] items-start gap-3 ${view === 'canvas' ? 'md:grid-cols-[minmax(0,1fr)_20rem]' : 'md:grid-cols-[minmax(16rem,24rem)_minmax(0,1fr)]'}`}
    >
      {view === 'canvas' && isWide ? (
        <div className="h-[34rem] overflow-hidden rounded-card border border-line bg-canvas">
          {loading ? null : <FlowCanvas key={canvasKey} {...common} />}
        </div>
      ) : isAlone ? null : (
        <div className="rounded-card border border-line bg-surface p-2">
          {loading ? <Skeleton className="h-96 w-full" /> : <FlowOutline {...common} />}
        </div>
      )}
      <aside
        aria-label={t.node}
        className="rounded-card border border-line bg-surface md:sticky md:top-4 has-[[role=listbox]:not(.hidden)]:z-20"
      >
        {isAlone ? (
          <Button
            kind="quiet"
            data-back
            className="m-2 mb-0"
            icon={<ChevronLeft aria-hidden className="size-4" />}
            onClick={() => onChange({ node: undefined })}
          >
            {t.allNodes}
          </Button>
        ) : null}
        {panel ?? (
          <NodePanel
            node={node}
            run={run}
            problems={problems.filter(({ nodeId }) => nodeId === selected)}
            namer={namer}
          />
        )}
      </aside>
    </div>
  );
}
