import { type Edge, MarkerType } from '@xyflow/react';
import { flowTexts as t } from '../messages/flows/flows.ts';
import { type CanvasNode, type LaneNode, ports, type StepNode } from './canvas-boxes.tsx';
import { type Flow, type NodeProblem, skipsOf } from './flow.ts';
import { type Layout, nodeSize } from './layout.ts';
import type { FlowViewProps } from './outline.tsx';

const noProblems: readonly NodeProblem[] = [];

/** Converts lanes and nodes for the library, with their sizes, so that it doesn't measure them. */
export function nodesOf(
  flow: Flow,
  { places, lanes }: Layout,
  { runs, problems, namer }: Pick<FlowViewProps, 'runs' | 'problems' | 'namer'>,
): readonly CanvasNode[] {
  const background = lanes.map(
    ({ phase, x, width, height }): LaneNode => ({
      id: `lane ${phase}`,
      type: 'lane',
      position: { x, y: 0 },
      ...{ width, height, measured: { width, height }, handles: [] },
      data: { phase, width, height },
      selectable: false,
      focusable: false,
      draggable: false,
      zIndex: -1,
    }),
  );
  const found = Map.groupBy(problems, ({ nodeId }) => nodeId);
  const steps = flow.nodes.map(
    (node): StepNode => ({
      id: node.id,
      type: 'step',
      position: places.get(node.id) ?? { x: 0, y: 0 },
      ...{ ...nodeSize, measured: nodeSize, handles: ports },
      data: { node, run: runs.get(node.id), problems: found.get(node.id) ?? noProblems, namer },
      ariaRole: 'button',
      domAttributes: { 'aria-roledescription': 'node' },
    }),
  );
  return [...background, ...steps];
}

/** The lines between consecutive nodes, and the arcs of conditionals. */
export function edgesOf(flow: Flow, { places }: Layout, runs: FlowViewProps['runs']): Edge[] {
  const order = flow.nodes.slice(1).map((node, at): Edge => {
    const from = flow.nodes[at];
    const run = from ? runs.get(from.id) : undefined;
    // A line to another lane or column leaves at the side.
    const across = from !== undefined && places.get(from.id)?.x !== places.get(node.id)?.x;
    return {
      ...line,
      id: `order ${node.id}`,
      source: from?.id ?? node.id,
      target: node.id,
      sourceHandle: across ? 'right' : 'bottom',
      targetHandle: across ? 'left' : 'top',
      type: 'smoothstep',
      style: { stroke: 'var(--line-strong)', strokeWidth: run && run.passed > 0 ? 2 : 1.25 },
      markerEnd: { type: MarkerType.ArrowClosed, color: 'var(--line-strong)', width: 14, height: 14 },
    };
  });
  const arcs = skipsOf(flow).map(
    ({ from, to, on }): Edge => ({
      ...line,
      id: `skip ${from} ${to} ${on}`,
      source: from,
      target: to,
      sourceHandle: 'right',
      targetHandle: 'left',
      label: on === 'true' ? t.ifSo : t.ifNot,
      style: { stroke: 'var(--accent)', strokeDasharray: '5 3' },
      markerEnd: { type: MarkerType.ArrowClosed, color: 'var(--accent)' },
    }),
  );
  return [...order, ...arcs];
}

/** Lines can't be clicked. */
const line = { focusable: false, selectable: false, interactionWidth: 0 } as const;
