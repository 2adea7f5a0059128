import { Handle, type Node, type NodeHandle, type NodeProps, Position } from '@xyflow/react';
import { memo } from 'react';
import { phaseNames } from '../messages/flows/flow-nodes.ts';
import { cx } from '../ui/cx.ts';
import type { Phase } from './flow.ts';
import { nodeSize } from './layout.ts';
import { NodeCounts, NodeText, type NodeView, phaseColor, phaseMark } from './node-look.tsx';

export type StepNode = Node<NodeView & Record<string, unknown>, 'step'>;
export type LaneNode = Node<{ readonly phase: Phase; readonly width: number; readonly height: number }, 'lane'>;
export type CanvasNode = StepNode | LaneNode;

const { width, height } = nodeSize;
/** Size of the box at the end of a line, in px. It straddles the node's border. */
const port = 5;
const end = { width: port, height: port };

/** Where lines start and end at a node. Given in advance, so that the canvas needs no measuring pass. */
export const ports: NodeHandle[] = [
  { id: 'top', type: 'target', position: Position.Top, x: (width - port) / 2, y: -port / 2, ...end },
  { id: 'left', type: 'target', position: Position.Left, x: -port / 2, y: (height - port) / 2, ...end },
  { id: 'bottom', type: 'source', position: Position.Bottom, x: (width - port) / 2, y: height - port / 2, ...end },
  { id: 'right', type: 'source', position: Position.Right, x: width - port / 2, y: (height - port) / 2, ...end },
];

/** A node. It renders again only when it changes. */
const StepBox = memo(function StepBox({ data, selected }: NodeProps<StepNode>) {
  return (
    <div
      className={cx(
        'flex items-start gap-2 rounded-card border bg-surface px-3 py-2.5',
        selected ? 'border-accent outline outline-accent' : 'border-line-strong hover:border-accent',
        !data.node.enabled && 'border-dashed',
      )}
      style={nodeSize}
    >
      {ports.map(({ id = null, type, position }) => (
        <Handle key={id} {...{ id, type, position }} isConnectable={false} className="opacity-0" />
      ))}
      <NodeText node={data.node} namer={data.namer} />
      <NodeCounts run={data.run} problems={data.problems} />
    </div>
  );
});

const tints: Readonly<Record<Phase, string>> = { 1: 'bg-chart-3/5', 2: 'bg-chart-1/5', 3: 'bg-chart-7/5' };

const LaneBox = memo(function LaneBox({ data }: NodeProps<LaneNode>) {
  return (
    <div
      className={cx('rounded-dialog border border-line', tints[data.phase])}
      style={{ width: data.width, height: data.height }}
    >
      <p className="flex items-center gap-1.5 px-5 py-3 text-dense font-semibold text-soft">
        <span aria-hidden className={phaseColor[data.phase]}>
          {phaseMark[data.phase]}
        </span>
        {phaseNames[data.phase]}
      </p>
    </div>
  );
});

export const nodeTypes = { step: StepBox, lane: LaneBox };
