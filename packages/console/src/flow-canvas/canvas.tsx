import '@xyflow/react/dist/base.css';
import {
  Background,
  BackgroundVariant,
  Controls,
  type Edge,
  Handle,
  MarkerType,
  MiniMap,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
} from '@xyflow/react';
import { useMemo } from 'react';
import { phaseNames } from '../messages/flow-nodes.ts';
import { cx } from '../ui/cx.ts';
import { type Phase, skipsOf } from './flow.ts';
import { layoutOf, nodeSize } from './layout.ts';
import { NodeCounts, NodeText, type NodeView, phaseColour, phaseMark } from './node-look.tsx';
import type { FlowViewProps } from './outline.tsx';

type StepNode = Node<NodeView & Record<string, unknown>, 'step'>;
type LaneNode = Node<{ readonly phase: Phase; readonly width: number; readonly height: number }, 'lane'>;

function StepBox({ data, selected }: NodeProps<StepNode>) {
  return (
    <div
      className={cx(
        'flex items-start gap-2 rounded-card border bg-surface px-3 py-2.5',
        selected ? 'border-accent outline outline-accent' : 'border-line-strong hover:border-accent',
        !data.node.enabled && 'border-dashed',
      )}
      style={{ width: nodeSize.width, height: nodeSize.height }}
    >
      <Handle id="top" type="target" position={Position.Top} isConnectable={false} className="opacity-0" />
      <Handle id="left" type="target" position={Position.Left} isConnectable={false} className="opacity-0" />
      <NodeText node={data.node} namer={data.namer} />
      <NodeCounts run={data.run} problems={data.problems} />
      <Handle id="bottom" type="source" position={Position.Bottom} isConnectable={false} className="opacity-0" />
      <Handle id="right" type="source" position={Position.Right} isConnectable={false} className="opacity-0" />
    </div>
  );
}

const tints: Readonly<Record<Phase, string>> = { 1: 'bg-chart-3/5', 2: 'bg-chart-1/5', 3: 'bg-chart-7/5' };

function LaneBox({ data }: NodeProps<LaneNode>) {
  return (
    <div
      className={cx('rounded-dialog border border-line', tints[data.phase])}
      style={{ width: data.width, height: data.height }}
    >
      <p className="flex items-center gap-1.5 px-5 py-3 text-dense font-semibold text-soft">
        <span aria-hidden className={phaseColour[data.phase]}>
          {phaseMark[data.phase]}
        </span>
        {phaseNames[data.phase]}
      </p>
    </div>
  );
}

const nodeTypes = { step: StepBox, lane: LaneBox };

/**
 * The picture of a flow: lanes by phase, nodes in their order, arcs of conditionals. It is computed from the flow; the outline
 * beside it is the same by keyboard and for those who hear it.
 */
export function FlowCanvas({ flow, runs, problems, selected, onSelect, namer }: FlowViewProps) {
  const { unselected, edges } = useMemo(() => {
    const { places, lanes } = layoutOf(flow);
    const background = lanes.map(
      ({ phase, x, width, height }): LaneNode => ({
        id: `lane ${phase}`,
        type: 'lane',
        position: { x, y: 0 },
        data: { phase, width, height },
        selectable: false,
        focusable: false,
        draggable: false,
        zIndex: -1,
      }),
    );
    const steps = flow.nodes.map((node): StepNode => {
      const own = problems.filter(({ nodeId }) => nodeId === node.id);
      const view = { node, run: runs.get(node.id), problems: own, namer };
      return {
        id: node.id,
        type: 'step',
        position: places.get(node.id) ?? { x: 0, y: 0 },
        data: view,
        ariaRole: 'button',
        domAttributes: { 'aria-roledescription': 'node' },
      };
    });
    const order = flow.nodes.slice(1).map((node, at): Edge => {
      const from = flow.nodes[at];
      const run = from ? runs.get(from.id) : undefined;
      // Into another lane or column the line leaves at the side.
      const across = from !== undefined && places.get(from.id)?.x !== places.get(node.id)?.x;
      return {
        id: `order ${node.id}`,
        source: from?.id ?? node.id,
        target: node.id,
        sourceHandle: across ? 'right' : 'bottom',
        targetHandle: across ? 'left' : 'top',
        type: 'smoothstep',
        focusable: false,
        style: { stroke: 'var(--line-strong)', strokeWidth: run && run.passed > 0 ? 2 : 1.25 },
        markerEnd: { type: MarkerType.ArrowClosed, color: 'var(--line-strong)', width: 14, height: 14 },
      };
    });
    const arcs = skipsOf(flow).map(
      ({ from, to, on }): Edge => ({
        id: `skip ${from} ${to} ${on}`,
        source: from,
        target: to,
        sourceHandle: 'right',
        targetHandle: 'left',
        label: on === 'true' ? 'if so' : 'if not',
        focusable: false,
        style: { stroke: 'var(--accent)', strokeDasharray: '5 3' },
        markerEnd: { type: MarkerType.ArrowClosed, color: 'var(--accent)' },
      }),
    );
    return { unselected: [...background, ...steps], edges: [...order, ...arcs] };
  }, [flow, runs, problems, namer]);
  // The others stay the very objects that they were, so that a press draws one node anew and not hundreds.
  const nodes = useMemo(
    () => unselected.map((node) => (node.id === selected ? { ...node, selected: true } : node)),
    [unselected, selected],
  );
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      fitView
      fitViewOptions={{ padding: 0.06, maxZoom: 1 }}
      minZoom={0.3}
      maxZoom={1.5}
      nodesDraggable={false}
      nodesConnectable={false}
      edgesFocusable={false}
      deleteKeyCode={null}
      zoomOnScroll={false}
      preventScrolling={false}
      panOnScroll={false}
      onlyRenderVisibleElements={flow.nodes.length > 150}
      onNodeClick={(_, node) => {
        if (node.type === 'step') onSelect(node.id);
      }}
      onSelectionChange={({ nodes: chosen }) => {
        const [one] = chosen;
        if (one && one.type === 'step' && one.id !== selected) onSelect(one.id);
      }}
      aria-label="Picture of the flow"
      proOptions={{ hideAttribution: true }}
    >
      <Background variant={BackgroundVariant.Dots} gap={16} size={1} color="var(--line)" />
      <Controls
        showInteractive={false}
        position="bottom-right"
        className="rounded-control border border-line-strong bg-surface [&_button]:text-ink [&_svg]:fill-current"
      />
      {flow.nodes.length > 40 ? <MiniMap pannable zoomable ariaLabel="Overview of the flow" /> : null}
    </ReactFlow>
  );
}
