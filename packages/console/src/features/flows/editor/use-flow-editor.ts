import { type DecisionFlow, decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Failure } from '../../../data/failure.ts';
import { useDraft } from '../../../data/use-draft.ts';
import { useMutate } from '../../../data/use-operation.ts';
import type { Edited } from '../../../flow-canvas/editing/commands.ts';
import { editableConfig, type FlowConfig } from '../../../flow-canvas/editing/flow-config.ts';
import { type EditHistory, record, redo, startHistory, undo } from '../../../flow-canvas/editing/history.ts';
import { type Side, sameValue } from '../../../forms/editing/changes.ts';
import { flowEditorTexts as t } from '../../../messages/flows/flow-editor.ts';
import { type FlowMerge, mergeFlows } from './merge-flows.ts';
import { unsavedName } from './unsaved-name.ts';
import { withoutTypedSecrets } from './unsaved-secrets.ts';

/** Unsaved work on a flow, and the stored draft that it began with. */
interface UnsavedFlow {
  readonly base?: FlowConfig;
  readonly version?: number;
  readonly config?: FlowConfig;
}

/** Reads stored work, which may come from another version of the console. */
function readUnsaved(stored: unknown): UnsavedFlow {
  if (typeof stored !== 'object' || stored === null) return {};
  const { base, version, config }: Partial<Record<string, unknown>> = { ...stored };
  if (typeof version !== 'number' || typeof base !== 'object' || typeof config !== 'object') return {};
  return { base: editableConfig(base), version, config: editableConfig(config) };
}

/** Name of a change, and the key that groups consecutive changes into one step. */
export interface ChangeName {
  readonly label: string;
  readonly key?: string;
}

/** The draft of a flow while it's edited. */
export interface FlowEditor {
  readonly config: FlowConfig;
  /** The stored draft. */
  readonly stored: FlowConfig;
  readonly isChanged: boolean;
  /** True: the changes come from an earlier visit. */
  readonly isRestored: boolean;
  readonly change: (edited: Edited, name: ChangeName) => void;
  /** What undo and redo would do; null: nothing. */
  readonly undoes: string | null;
  readonly redoes: string | null;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly discard: () => void;
  /** Stores the draft. Resolves with whether it was stored. */
  readonly save: () => Promise<boolean>;
  readonly saving: boolean;
  readonly failure: Failure | null;
  /** Conflicts with someone else's changes. They block saving until they're resolved. */
  readonly conflicts: FlowMerge['conflicts'];
  readonly settle: (choices: ReadonlyMap<string, Side>) => void;
  /** IDs of merged nodes that others changed. */
  readonly rebased: readonly string[];
}

/** Holds the draft of a flow while it's edited. Unsaved work survives reloads, and others' changes are merged into it. */
export function useFlowEditor(flow: DecisionFlow, onSelect: (id: string | null) => void): FlowEditor {
  const stored = useMemo(() => editableConfig(flow.draftConfig), [flow.draftConfig]);
  const [unsaved, put] = useDraft<UnsavedFlow>(unsavedName(flow.id), readUnsaved, withoutTypedSecrets);
  const [isRestored, setRestored] = useState(unsaved.config !== undefined);
  const [history, setHistory] = useState<EditHistory>(() => startHistory(unsaved.config ?? stored));
  const [rebased, setRebased] = useState<readonly string[]>([]);
  const mutation = useMutate(decisionFlowOperations.updateById);
  const { rowVersion } = flow;
  const keep = useCallback(
    (config: FlowConfig) => put(sameValue(config, stored) ? {} : { base: stored, version: rowVersion, config }),
    [put, stored, rowVersion],
  );
  const own = unsaved.config;
  const base = unsaved.base ?? stored;
  const isOutdated = own !== undefined && unsaved.version !== rowVersion;
  const merge = useMemo(() => (isOutdated ? mergeFlows(base, own, stored) : null), [isOutdated, base, own, stored]);
  const takeOver = useCallback(
    (next: FlowMerge, label: string) => {
      setHistory((now) => record(now, next.config, { label }));
      setRebased(next.others);
      keep(next.config);
    },
    [keep],
  );
  useEffect(() => {
    if (merge !== null && merge.conflicts.length === 0) takeOver(merge, t.steps.merge);
  }, [merge, takeOver]);
  useStoredChanges(stored, own !== undefined, setHistory);
  const forget = () => {
    put({});
    setRestored(false);
    setRebased([]);
  };
  const store = async (next: FlowConfig, version: number): Promise<boolean> => {
    const saved = await mutation.run({ params: { id: flow.id }, body: { draftConfig: next, rowVersion: version } });
    if (saved !== null) forget();
    return saved !== null;
  };
  const go = (next: EditHistory) => {
    setHistory(next);
    keep(next.config);
  };
  const { config } = history;
  const isChanged = own !== undefined && !sameValue(config, stored);
  return {
    ...{ config, stored, isChanged, isRestored: isRestored && isChanged, rebased },
    change(edited, name) {
      const next = record(history, edited.config, name);
      go(next);
      if (edited.selected !== null) onSelect(edited.selected);
    },
    undoes: history.past.at(-1)?.label ?? null,
    redoes: history.future.at(-1)?.label ?? null,
    undo: () => go(undo(history)),
    redo: () => go(redo(history)),
    discard() {
      setHistory((now) => record(now, stored, { label: t.steps.discard }));
      mutation.clear();
      forget();
    },
    save: () => store(config, rowVersion),
    saving: mutation.busy,
    failure: mutation.failure,
    conflicts: merge?.conflicts ?? [],
    settle(choices) {
      if (own === undefined) return;
      const settled = mergeFlows(base, own, stored, choices);
      if (settled.conflicts.length === 0) takeOver(settled, t.steps.merge);
    },
  };
}

/** Shows what others save, while the user has no changes. */
function useStoredChanges(
  stored: FlowConfig,
  isEdited: boolean,
  show: (change: (now: EditHistory) => EditHistory) => void,
): void {
  const before = useRef(stored);
  useEffect(() => {
    if (!isEdited && before.current !== stored) show((now) => ({ ...now, config: stored }));
    before.current = stored;
  }, [isEdited, stored, show]);
}
