import type { FlowNodeType } from '@arbiter/contract/catalogue/flow-node-types';

/** The marks of the 16 types of node, on a grid of 16 px, drawn with lines of 1.75. */
const paths: Readonly<Record<string, string>> = {
  // A stack of cards.
  inventory: 'M3 11.5 8 14l5-2.5M3 8l5 2.5L13 8M8 2 3 4.5 8 7l5-2.5z',
  // Two pieces that fit.
  match_creatives: 'M2 3h5v3.2a1.8 1.8 0 1 0 0 3.6V13H2zM14 3H9.5M14 13H9.5M14 3v10',
  // A drop into a table.
  enrich: 'M8 2v6m0 0L5.5 5.5M8 8l2.5-2.5M2.5 9v4.5h11V9',
  // A person with a tick.
  qualify: 'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM2 13.5c0-2.5 1.7-4 4-4M9 12l1.8 1.8L14 10.2',
  // A clock.
  contact_policy: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.6',
  filter: 'M2 3h12L9.5 8.3v4.5l-3 1.2V8.3z',
  // One way that parts.
  conditional: 'M8 14V9.5M8 9.5 3.5 5M8 9.5 12.5 5M3.5 8V5h3M12.5 8V5h-3',
  // Bars on a base.
  score: 'M2.5 13.5h11M4.5 13V9M8 13V4M11.5 13V6.5',
  // Sliders.
  optimize:
    'M2 5h6m3 0h3M2 11h3m3 0h6M9.5 5m-1.5 0a1.5 1.5 0 1 0 3 0 1.5 1.5 0 1 0-3 0M6.5 11m-1.5 0a1.5 1.5 0 1 0 3 0 1.5 1.5 0 1 0-3 0',
  // A podium.
  rank: 'M2 13.5V9h4v4.5M6 13.5V4h4v9.5M10 13.5V7h4v6.5z',
  // Four places.
  group: 'M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z',
  // A sum.
  compute: 'M12 4.5V3H4l4.5 5L4 13h8v-1.5',
  // A label.
  set_properties: 'M2.5 8V2.5H8l5.5 5.5L8 13.5zM5.3 5.3h.01',
  // A message that leaves.
  response: 'M14 2 7 9M14 2l-4.5 12L7 9 2 6.5z',
  // A flow in a flow.
  call_flow: 'M2.5 2.5h8v4M5.5 9.5h8v4h-8zM2.5 2.5v9h3',
  // A plug.
  extension_point: 'M6 2v3.5M10 2v3.5M4 5.5h8V8a4 4 0 0 1-8 0zM8 12v2.5',
} satisfies Record<FlowNodeType, string>;

/** Mark of a type of node; a circle for types that this console does not know. */
export function NodeGlyph({ type }: { readonly type: string }) {
  return (
    <svg
      aria-hidden
      width={16}
      height={16}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      className="shrink-0"
    >
      <path d={paths[type] ?? 'M8 13A5 5 0 1 0 8 3a5 5 0 0 0 0 10z'} />
    </svg>
  );
}
