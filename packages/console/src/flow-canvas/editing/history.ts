import type { FlowConfig } from './flow-config.ts';

/** Steps that can be undone. */
export const maxSteps = 100;

/** A change of a flow: its previous config, and the name of the change. */
interface Step {
  readonly config: FlowConfig;
  readonly label: string;
  /** Consecutive changes with the same key are one step: typing in a field. */
  readonly key: string | null;
}

/** A flow with the steps behind it, and those that were undone. */
export interface EditHistory {
  readonly config: FlowConfig;
  readonly past: readonly Step[];
  readonly future: readonly Step[];
}

export const startHistory = (config: FlowConfig): EditHistory => ({ config, past: [], future: [] });

/** Adds a change. It drops the steps that were undone. */
export function record(
  history: EditHistory,
  config: FlowConfig,
  { label, key = null }: { readonly label: string; readonly key?: string | null },
): EditHistory {
  if (config === history.config) return history;
  const last = history.past.at(-1);
  if (key !== null && last?.key === key && history.future.length === 0) return { ...history, config };
  return { config, past: [...history.past, { config: history.config, label, key }].slice(-maxSteps), future: [] };
}

/** Undoes the last change. Returns the same history if there's none. */
export function undo(history: EditHistory): EditHistory {
  const last = history.past.at(-1);
  if (last === undefined) return history;
  const undone = { ...last, config: history.config };
  return { config: last.config, past: history.past.slice(0, -1), future: [...history.future, undone] };
}

/** Repeats the last undone change. */
export function redo(history: EditHistory): EditHistory {
  const next = history.future.at(-1);
  if (next === undefined) return history;
  const step = { ...next, config: history.config, key: null };
  return { config: next.config, past: [...history.past, step], future: history.future.slice(0, -1) };
}
