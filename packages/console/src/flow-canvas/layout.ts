import { type Flow, type FlowNode, type Phase, phases } from './flow.ts';

/** Size of a node, and space between nodes and lanes, in px. */
export const nodeSize = { width: 208, height: 64 } as const;
const gap = 40;
const lanePad = { top: 44, side: 20, bottom: 20, between: 24 } as const;

export interface NodePlace {
  readonly x: number;
  readonly y: number;
}

export interface Lane {
  readonly phase: Phase;
  readonly x: number;
  readonly width: number;
  readonly height: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Layout extends Size {
  readonly places: ReadonlyMap<string, NodePlace>;
  readonly lanes: readonly Lane[];
}

/** Maximum number of nodes in a column of a lane. */
const maxRows = 6;

/**
 * Places the nodes: a lane per phase from start to end, the nodes of a lane in the order of the flow from top to
 * bottom. Nothing is placed by hand, so everyone sees the same canvas.
 */
export function layoutOf({ nodes }: Flow): Layout {
  const places = new Map<string, NodePlace>();
  const byPhase = phases.map((phase) => ({ phase, members: nodes.filter((node) => node.phase === phase) }));
  const rows = Math.min(maxRows, Math.max(1, ...byPhase.map(({ members }) => members.length)));
  const height = lanePad.top + rows * nodeSize.height + (rows - 1) * gap + lanePad.bottom;
  let x = 0;
  const lanes = byPhase
    .filter(({ members }) => members.length > 0)
    .map(({ phase, members }): Lane => {
      const columns = Math.ceil(members.length / maxRows);
      const width = 2 * lanePad.side + columns * nodeSize.width + (columns - 1) * gap;
      placeMembers(members, x + lanePad.side, places);
      const lane = { phase, x, width, height };
      x += width + lanePad.between;
      return lane;
    });
  return { places, lanes, width: Math.max(0, x - lanePad.between), height };
}

function placeMembers(members: readonly FlowNode[], start: number, places: Map<string, NodePlace>): void {
  for (const [at, { id }] of members.entries()) {
    const column = Math.floor(at / maxRows);
    places.set(id, {
      x: start + column * (nodeSize.width + gap),
      y: lanePad.top + (at % maxRows) * (nodeSize.height + gap),
    });
  }
}

/** The visible part of a canvas: position of its corner in the window, in px, and its zoom. */
export interface View extends NodePlace {
  readonly zoom: number;
}

/** Minimum zoom at which node names are readable, and the margin around the canvas in px. */
const legibleZoom = 0.6;
const margin = 24;

/**
 * Returns the initial view of a canvas: all of it if that's readable; otherwise its start at full height, or the
 * selected node in the middle.
 */
export function firstView({ width, height, places }: Layout, window: Size, chosen: string | null): View {
  const room = { width: Math.max(1, window.width - 2 * margin), height: Math.max(1, window.height - 2 * margin) };
  const whole = Math.min(1, room.width / Math.max(1, width), room.height / Math.max(1, height));
  const zoom = whole >= legibleZoom ? whole : Math.max(legibleZoom, Math.min(1, room.height / Math.max(1, height)));
  const place = chosen === null ? undefined : places.get(chosen);
  const along = (length: number, all: number, middle: number | undefined): number => {
    const spare = length - all * zoom;
    if (spare >= 2 * margin - 1) return spare / 2;
    const wanted = middle === undefined ? margin : length / 2 - middle * zoom;
    return Math.min(margin, Math.max(wanted, spare - margin));
  };
  return {
    x: along(window.width, width, place && place.x + nodeSize.width / 2),
    y: along(window.height, height, place && place.y + nodeSize.height / 2),
    zoom,
  };
}
