import '@xyflow/react/dist/base.css';
import { Background, BackgroundVariant, Controls, MiniMap, type NodeChange, ReactFlow } from '@xyflow/react';
import { startTransition, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { flowTexts as t } from '../messages/flows/flows.ts';
import { type CanvasNode, nodeTypes } from './canvas-boxes.tsx';
import { edgesOf, nodesOf } from './canvas-elements.ts';
import { firstView, layoutOf, type Size } from './layout.ts';
import type { FlowViewProps } from './outline.tsx';

/** From this many nodes on, only visible ones render, and a minimap shows the window. */
const manyNodes = 40;
const fit = { padding: 0.06, maxZoom: 1 } as const;

/**
 * The canvas of a flow: lanes by phase, nodes in order, arcs of conditionals. The outline is the same for keyboards
 * and screen readers.
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

/** The canvas in a window of known size, so that the first paint is final. */
function Picture({ flow, runs, problems, selected, onSelect, namer, size }: FlowViewProps & { readonly size: Size }) {
  const layout = useMemo(() => layoutOf(flow), [flow]);
  const unselected = useMemo(
    () => nodesOf(flow, layout, { runs, problems, namer }),
    [flow, layout, runs, problems, namer],
  );
  const edges = useMemo(() => edgesOf(flow, layout, runs), [flow, layout, runs]);
  // The others stay the same objects, so that a click renders two nodes and not hundreds.
  const nodes = useMemo(
    () => unselected.map((node) => (node.id === selected ? { ...node, selected: true } : node)),
    [unselected, selected],
  );
  // The initial view: it doesn't move on its own afterwards.
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

/** Minimap of a large canvas; rendered after the canvas itself. */
function Overview() {
  const [isDue, setDue] = useState(false);
  useEffect(() => startTransition(() => setDue(true)), []);
  return isDue ? (
    <MiniMap
      pannable
      zoomable
      // Above the nodes, next to the names of the lanes: large canvases are wide and low.
      position="top-right"
      style={overviewSize}
      bgColor="var(--surface)"
      maskColor="color-mix(in srgb, var(--canvas) 60%, transparent)"
      nodeColor={nodeColor}
      className="overflow-hidden rounded-control border border-line-strong"
      ariaLabel={t.overview}
    />
  ) : null;
}

const overviewSize = { width: 240, height: 32, margin: 8 } as const;
const laneColors = { 1: 'var(--chart-3)', 2: 'var(--chart-1)', 3: 'var(--chart-7)' } as const;

function nodeColor(node: CanvasNode): string {
  if (node.type === 'lane') return 'transparent';
  return node.selected ? 'var(--accent)' : laneColors[node.data.node.phase];
}
