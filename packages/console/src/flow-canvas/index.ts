export { type Flow, type FlowNode, type NodeProblem, type NodeRun, readFlow } from './flow.ts';
export { NodeGlyph } from './glyphs.tsx';
export { FlowOutline } from './outline.tsx';
