import type { Role } from '@arbiter/contract/core/operation';
import type { LucideIcon } from 'lucide-react';
import type { ComponentType } from 'react';
import type { JobWatches } from './job.ts';

/**
 * A feature of the console. Its `index.ts` loads with the shell, so it only describes screens, which load through `import()`
 * when opened.
 */
export interface Feature {
  readonly name: string;
  readonly screens: readonly Screen[];
  /** Palette actions besides opening a page. */
  readonly commands?: readonly Command[];
  /** Palette searches. */
  readonly searches?: readonly PaletteSearch[];
  /** How the jobs tray watches the jobs of this feature. */
  readonly jobs?: JobWatches;
}

/** A screen with an address. */
export interface Screen {
  /** Path from the root of the console, with parameters marked by a dollar sign: `/decisions/$id`. */
  readonly path: string;
  /** Title in the palette and while the chunk loads. */
  readonly title: string;
  /** `public`: without a session and the shell. Default: with both. */
  readonly access?: 'public';
  /** Minimum role to read it; any signed-in user if undefined. The page also checks it. */
  readonly needs?: Role;
  /** Position in the sidebar; without one, other pages link to it. */
  readonly rail?: RailPlace;
  /** Loads the component: `() => import('../features/decisions/explorer/decision-page.tsx').then((m) => m.DecisionPage)`. */
  readonly load: () => Promise<ComponentType>;
}

/** Sidebar groups in order (docs/design/console.md, section 2). Groups without a screen are hidden. */
export const railGroups = [
  'home',
  'decide',
  'catalogue',
  'guard',
  'audience',
  'data',
  'reach',
  'learn',
  'measure',
  'govern',
  'operate',
] as const;
export type RailGroup = (typeof railGroups)[number];

export interface RailPlace {
  readonly group: RailGroup;
  /** Order in the group; steps of 10 leave room. */
  readonly order: number;
  readonly icon: LucideIcon;
  /** The letter after `g` that opens it. */
  readonly key?: string;
}

/** A palette action. */
export interface Command {
  readonly id: string;
  readonly title: string;
  /** Additional search terms. */
  readonly words?: string;
  /** Shortcuts: `c`, `mod+enter`, `g d`. */
  readonly keys?: string;
  /** An address in the console, or a function. */
  readonly act: { readonly open: string } | { readonly run: () => void | Promise<void> };
}

/** A palette search. Its module loads with the first keystroke. */
export interface PaletteSearch {
  /** What it finds, in the plural: `Offers`. */
  readonly title: string;
  /** `ids`: looks up pasted IDs or keys, and runs only for queries that look like one. Default: names. */
  readonly of?: 'ids';
  /** Loads the search function. It returns up to five results of each group, best first, and stops when the signal aborts. */
  readonly load: () => Promise<(text: string, signal: AbortSignal) => Promise<readonly SearchHit[]>>;
}

export interface SearchHit {
  readonly title: string;
  /** Distinguishes results with the same name. */
  readonly detail?: string;
  /** Title of its group in the palette, in the plural. Default: the title of the search. */
  readonly group?: string;
  /** Address in the console: `/offers/0199...`. */
  readonly open: string;
}

/** Declares a feature. */
export function feature(value: Feature): Feature {
  return value;
}
