import type { FlowNodeType } from '@arbiter/contract/catalogue/flow-node-types';
import { type KeyboardEvent, useRef, useState } from 'react';
import {
  changeNode,
  duplicateNode,
  type Edited,
  insertNode,
  moveNode,
  pasteNode,
  removeNode,
  toggleNode,
} from '../../../flow-canvas/editing/commands.ts';
import type { ConfigNode } from '../../../flow-canvas/editing/flow-config.ts';
import { flowEditorTexts as t } from '../../../messages/flows/flow-editor.ts';
import { nodeName } from '../../../messages/flows/flow-nodes.ts';
import { useKeys } from '../../../route/use-keys.ts';
import type { FlowEditor } from './use-flow-editor.ts';

/** The copied node, possibly from another flow. Kept until the page reloads. */
let clipboard: ConfigNode | null = null;

/** Returns the display name of a node. */
export const titleOf = ({ name, type }: ConfigNode): string => name || nodeName(type);

/** Commands for the selected node, shared by buttons and keys. */
export interface FlowCommands {
  readonly node: ConfigNode | undefined;
  readonly insert: (type: FlowNodeType) => void;
  readonly move: (step: 1 | -1) => void;
  readonly toggle: () => void;
  readonly duplicate: () => void;
  readonly remove: () => void;
  readonly edit: (node: ConfigNode, path: string) => void;
  readonly isInsertOpen: boolean;
  readonly setInsertOpen: (isOpen: boolean) => void;
  /** What a command couldn't do or did off screen. Announced to screen readers. */
  readonly note: string;
  /** Keys on the list or canvas of nodes. */
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
}

/** Returns the commands of the editor, and binds their keys. `focusNode` moves the focus to a node once it's drawn. */
export function useFlowCommands(
  editor: FlowEditor,
  selected: string | undefined,
  focusNode: (id: string | null) => void,
): FlowCommands {
  const { config, change } = editor;
  const node = config.nodes.find(({ id }) => id === selected);
  const [note, setNote] = useState('');
  const [isInsertOpen, setInsertOpen] = useState(false);
  const apply = (edited: Edited, label: string) => {
    setNote('');
    change(edited, { label });
    focusNode(edited.selected);
  };
  const onNode = (run: (node: ConfigNode) => void) => () => {
    if (node === undefined) setNote(t.noNode);
    else run(node);
  };
  const move = (step: 1 | -1) =>
    onNode((each) => {
      const moved = moveNode(config, each.id, step);
      if (typeof moved === 'string') setNote(t.moveRefused[moved]);
      else apply(moved, t.steps.move(titleOf(each)));
    })();
  const commands = {
    insert: (type: FlowNodeType) => apply(insertNode(config, type, selected ?? null), t.steps.insert(nodeName(type))),
    move,
    toggle: onNode((each) => apply(toggleNode(config, each.id), t.steps.toggle(titleOf(each)))),
    duplicate: onNode((each) => apply(duplicateNode(config, each.id), t.steps.duplicate(titleOf(each)))),
    remove: onNode((each) => apply(removeNode(config, each.id), t.steps.remove(titleOf(each)))),
    edit: (next: ConfigNode, path: string) => {
      const key = `${next.id} ${path}`;
      change(
        changeNode(config, next.id, () => next),
        { label: t.steps.edit(titleOf(next)), key },
      );
    },
  };
  useKeys([
    { keys: 'n', title: t.insert, run: () => setInsertOpen(true) },
    { keys: 'd', title: t.duplicate, run: commands.duplicate },
    { keys: 'delete', title: t.remove, run: commands.remove },
    { keys: 'alt+arrowup', title: t.moveUp, run: () => move(-1) },
    { keys: 'alt+arrowdown', title: t.moveDown, run: () => move(1) },
    { keys: 'mod+z', title: t.undo, run: editor.undo },
    { keys: 'mod+shift+z', title: t.redo, run: editor.redo },
  ]);
  const onKeyDown = useNodeKeys({
    toggle: commands.toggle,
    copy: onNode((each) => {
      clipboard = each;
      setNote(t.copied(titleOf(each)));
    }),
    paste: () => {
      if (clipboard === null) return;
      apply(pasteNode(config, clipboard, selected ?? null), t.steps.paste(titleOf(clipboard)));
    },
  });
  return { node, ...commands, isInsertOpen, setInsertOpen, note, onKeyDown };
}

interface NodeKeys {
  readonly toggle: () => void;
  readonly copy: () => void;
  readonly paste: () => void;
}

/** Keys that mean something else outside of the nodes: Space, copy and paste, and Enter, which opens the settings. */
function useNodeKeys(keys: NodeKeys): (event: KeyboardEvent<HTMLElement>) => void {
  const latest = useRef(keys);
  latest.current = keys;
  return (event) => {
    const isMod = event.metaKey || event.ctrlKey;
    if (!(event.target instanceof HTMLElement) || nodeAt(event.target) === null) return;
    if (event.key === ' ' && !isMod) latest.current.toggle();
    else if (isMod && event.key === 'c') latest.current.copy();
    else if (isMod && event.key === 'v') latest.current.paste();
    else return;
    event.preventDefault();
  };
}

/** The ID of the node that an element of the outline or the canvas stands for. */
export function nodeAt(element: HTMLElement): string | null {
  const own = element.dataset.node;
  if (own !== undefined) return own;
  return element.classList.contains('react-flow__node') ? (element.dataset.id ?? null) : null;
}
