import type { FlowNode } from '../plan/snapshot.ts';

/** S: shape, 400. P: pipeline, 422 on PUT and 400 on POST. U: use, 422 at publish only (docs/design/api-decisioning.md 7). */
export type FlowIssueClass = 'S' | 'P' | 'U';

export interface FlowIssue {
  /** JSON Pointer into the config. */
  readonly path: string;
  readonly nodeId: string | null;
  readonly code: string;
  readonly message: string;
  readonly class: FlowIssueClass;
}

export interface FlowWarning extends Omit<FlowIssue, 'class'> {
  /** The known key that was probably meant. */
  readonly nearest: string | null;
}

export interface FlowCheck {
  readonly valid: boolean;
  readonly errors: readonly FlowIssue[];
  readonly warnings: readonly FlowWarning[];
}

/** An enabled node with its place in the list of all nodes and the phase of that place. */
export interface IssueNode {
  readonly node: FlowNode;
  readonly at: number;
  readonly phase: number;
}

/** Adds an error about the node at this place; `at` null: about the list; `path`: below the node. */
export type RefuseAt = (at: number | null, code: string, message: string, path?: string) => void;
