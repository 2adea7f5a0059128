import type { Role } from '@arbiter/contract/operation';
import type { LucideIcon } from 'lucide-react';
import type { ComponentType } from 'react';
import type { JobWatches } from './job.ts';

/**
 * What a feature of the console says of itself. Its `index.ts` is loaded with the shell, so it names its screens and brings
 * none of them along: a screen comes by `import()` when it is opened.
 */
export interface Feature {
  readonly name: string;
  readonly screens: readonly Screen[];
  /** Acts of the palette besides opening a page. */
  readonly commands?: readonly Command[];
  /** What the palette looks for while somebody types. */
  readonly searches?: readonly PaletteSearch[];
  /** How the jobs tray watches the kinds of long work that begin here. */
  readonly jobs?: JobWatches;
}

/** A page with an address. */
export interface Screen {
  /** From the root of the console, parameters with a dollar sign: `/decisions/$id`. */
  readonly path: string;
  /** Name of the page in the palette and of its chunk while it loads. */
  readonly title: string;
  /** `public`: shown without a session and without the shell. Default: with both. */
  readonly access?: 'public';
  /** Least role that may read it; for everybody who is signed in where it is left out. The page says so itself, too. */
  readonly needs?: Role;
  /** Its place in the rail; without it the page is reached from others. */
  readonly rail?: RailPlace;
  /** Brings the component: `() => import('./decision-page.tsx').then((m) => m.DecisionPage)`. */
  readonly load: () => Promise<ComponentType>;
}

/** Groups of the rail, in their order (docs/design/console.md 2). A group without a screen is absent. */
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
  /** Within the group, small first; steps of 10 leave room. */
  readonly order: number;
  readonly icon: LucideIcon;
  /** The letter that opens it after `g`. */
  readonly key?: string;
}

/** An act of the palette. */
export interface Command {
  readonly id: string;
  readonly title: string;
  /** Other words by which it is found. */
  readonly words?: string;
  /** Keys that do it at once: `c`, `mod+enter`, `g d`. */
  readonly keys?: string;
  /** Either an address in the console or what to do. */
  readonly act: { readonly open: string } | { readonly run: () => void | Promise<void> };
}

/** A search of the palette: its module comes with the first letter. */
export interface PaletteSearch {
  /** What is found, in the plural: `Offers`. */
  readonly title: string;
  /** `ids`: looks up an id or key that was pasted, and is asked only for texts that look like one. Default: names. */
  readonly of?: 'ids';
  /** Brings what looks for a text: at most five finds, best first; ends when the signal says so. */
  readonly load: () => Promise<(text: string, signal: AbortSignal) => Promise<readonly Found[]>>;
}

export interface Found {
  readonly title: string;
  /** What tells it from others of its name. */
  readonly detail?: string;
  /** Its address in the console: `/offers/0199...`. */
  readonly open: string;
}

/** Declares a feature. */
export function feature(value: Feature): Feature {
  return value;
}
