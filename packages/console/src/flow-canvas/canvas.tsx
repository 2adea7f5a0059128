import '@xyflow/react/dist/base.css';
import { Background, BackgroundVariant, Controls, MiniMap, type NodeChange, ReactFlow } from '@xyflow/react';
import { startTransition, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { flowTexts as t } from '../messages/flows.ts';
import { type CanvasNode, nodeTypes } from './canvas-boxes.tsx';
import { edgesOf, nodesOf } from './canvas-elements.ts';
import { firstView, layoutOf, type Size } from './layout.ts';
import type { FlowViewProps } from './outline.tsx';

/** From this many nodes on, those outside the window are not drawn, and a small map says where the window is. */
const manyNodes = 40;
const fit = { padding: 0.06, maxZoom: 1 } as const;

/**
 * The picture of a flow: lanes by phase, nodes in their order, arcs of conditionals. It is computed from the flow; the outline
 * beside it is the same by keyboard and for those who hear it.
 */
export function FlowCanvas(props: FlowViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<Size | null>(null);
  useLayoutEffect(() => {
    const { clientWidth: width = 0, clientHeight: height = 0 } = box.current ?? {};
    if (width > 0 && height > 0) setSize({ width, height });
  }, []);
  return (
    <div ref={box} className="size-full">
      {size === null ? null : <Picture {...props} size={size} />}
    </div>
  );
}

/** The picture in a window whose size is known, so that the first thing drawn is what stays. */
function Picture({ flow, runs, problems, selected, onSelect, namer, size }: FlowViewProps & { readonly size: Size }) {
  const layout = useMemo(() => layoutOf(flow), [flow]);
  const unselected = useMemo(
    () => nodesOf(flow, layout, { runs, problems, namer }),
    [flow, layout, runs, problems, namer],
  );
  const edges = useMemo(() => edgesOf(flow, layout, runs), [flow, layout, runs]);
  // The others stay the very objects that they were, so that a press draws two nodes anew and not hundreds.
  const nodes = useMemo(
    () => unselected.map((node) => (node.id === selected ? { ...node, selected: true } : node)),
    [unselected, selected],
  );
  // Where the picture was opened: it does not move by itself afterwards.
  const [view] = useState(() => firstView(layout, size, selected));
  const onNodesChange = useCallback(
    (changes: NodeChange<CanvasNode>[]) => {
      const chosen = changes.find((change) => change.type === 'select' && change.selected);
      if (chosen?.type === 'select') onSelect(chosen.id);
    },
    [onSelect],
  );
  const isLarge = flow.nodes.length > manyNodes;
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      width={size.width}
      height={size.height}
      defaultViewport={view}
      minZoom={0.3}
      maxZoom={1.5}
      nodesDraggable={false}
      nodesConnectable={false}
      edgesFocusable={false}
      deleteKeyCode={null}
      zoomOnScroll={false}
      preventScrolling={false}
      panOnScroll={false}
      onlyRenderVisibleElements={isLarge}
      onNodesChange={onNodesChange}
      aria-label={t.picture}
      proOptions={{ hideAttribution: true }}
    >
      <Background variant={BackgroundVariant.Dots} gap={16} size={1} color="var(--line)" />
      <Controls
        showInteractive={false}
        fitViewOptions={fit}
        position="bottom-right"
        className="rounded-control border border-line-strong bg-surface [&_button]:text-ink [&_svg]:fill-current"
      />
      {isLarge ? <Overview /> : null}
    </ReactFlow>
  );
}

/** Where the window stands in a large picture; drawn once the picture itself is there. */
function Overview() {
  const [isDue, setDue] = useState(false);
  useEffect(() => startTransition(() => setDue(true)), []);
  return isDue ? (
    <MiniMap
      pannable
      zoomable
      // Above the nodes, where the lanes have their names and large pictures are long and low.
      position="top-right"
      style={overviewSize}
      bgColor="var(--surface)"
      maskColor="color-mix(in srgb, var(--canvas) 60%, transparent)"
      nodeColor={nodeColour}
      className="overflow-hidden rounded-control border border-line-strong"
      ariaLabel={t.overview}
    />
  ) : null;
}

const overviewSize = { width: 240, height: 32, margin: 8 } as const;
const laneColours = { 1: 'var(--chart-3)', 2: 'var(--chart-1)', 3: 'var(--chart-7)' } as const;

function nodeColour(node: CanvasNode): string {
  if (node.type === 'lane') return 'transparent';
  return node.selected ? 'var(--accent)' : laneColours[node.data.node.phase];
}
