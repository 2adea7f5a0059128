import { ArrowDown, ArrowUp, Copy, Plus, Power, Redo2, SlidersHorizontal, Trash2, Undo2 } from 'lucide-react';
import { placementsFor } from '../../../flow-canvas/editing/commands.ts';
import type { NodePlacement } from '../../../flow-canvas/editing/placement.ts';
import { NodeGlyph } from '../../../flow-canvas/index.ts';
import { nodePurposes, flowEditorTexts as t } from '../../../messages/flows/flow-editor.ts';
import { nodeName } from '../../../messages/flows/flow-nodes.ts';
import { Button } from '../../../ui/button.tsx';
import { Menu, type MenuItem } from '../../../ui/overlays/menu.tsx';
import { type FlowCommands, titleOf } from './use-flow-commands.ts';
import type { FlowEditor } from './use-flow-editor.ts';

export interface CommandBarProps {
  readonly editor: FlowEditor;
  readonly commands: FlowCommands;
  /** Moves the focus to the inserted node; false if nothing was inserted. */
  readonly movesFocus: () => boolean;
  /** Selects no node, so that the settings of the flow are shown. */
  readonly onSettings: () => void;
}

/** The commands of the selected node. They are the same for outline and canvas. */
export function CommandBar({ editor, commands, movesFocus, onSettings }: CommandBarProps) {
  const { node } = commands;
  const icon = 'size-4';
  return (
    <div role="toolbar" aria-label={t.commands} className="flex flex-wrap items-center gap-1.5">
      <Menu
        align="start"
        open={commands.isInsertOpen}
        onOpenChange={commands.setInsertOpen}
        movesFocus={movesFocus}
        items={insertItems(editor, commands)}
        trigger={
          <Button icon={<Plus aria-hidden className={icon} />} shortcut="N">
            {t.insert}
          </Button>
        }
      />
      <NodeButtons commands={commands} />
      <span aria-hidden className="mx-1 h-5 w-px bg-line" />
      <Button
        aria-label={t.undo}
        disabledReason={editor.undoes === null ? t.nothingToUndo : null}
        tooltip={editor.undoes === null ? undefined : t.undoStep(editor.undoes)}
        icon={<Undo2 aria-hidden className={icon} />}
        onClick={editor.undo}
      />
      <Button
        aria-label={t.redo}
        disabledReason={editor.redoes === null ? t.nothingToRedo : null}
        tooltip={editor.redoes === null ? undefined : t.redoStep(editor.redoes)}
        icon={<Redo2 aria-hidden className={icon} />}
        onClick={editor.redo}
      />
      <Button
        aria-label={t.editFlowSettings}
        disabledReason={node === undefined ? t.settingsShown : null}
        icon={<SlidersHorizontal aria-hidden className={icon} />}
        onClick={onSettings}
      />
      <p role="status" className="min-w-0 text-caption text-soft">
        {commands.note === '' ? <span className="max-lg:hidden">{t.keys}</span> : commands.note}
      </p>
    </div>
  );
}

/** What can be done with the selected node. */
function NodeButtons({ commands }: Pick<CommandBarProps, 'commands'>) {
  const { node } = commands;
  const isOff = node?.enabled === false;
  const reason = node === undefined ? t.noNode : null;
  const icon = 'size-4';
  return (
    <>
      <Button
        aria-label={t.moveUp}
        disabledReason={reason}
        icon={<ArrowUp aria-hidden className={icon} />}
        onClick={() => commands.move(-1)}
      />
      <Button
        aria-label={t.moveDown}
        disabledReason={reason}
        icon={<ArrowDown aria-hidden className={icon} />}
        onClick={() => commands.move(1)}
      />
      <Button
        aria-label={isOff ? t.turnOn : t.turnOff}
        disabledReason={reason}
        icon={<Power aria-hidden className={icon} />}
        onClick={commands.toggle}
      />
      <Button
        aria-label={t.duplicate}
        disabledReason={reason}
        icon={<Copy aria-hidden className={icon} />}
        onClick={commands.duplicate}
      />
      <Button
        aria-label={t.remove}
        disabledReason={reason}
        icon={<Trash2 aria-hidden className={icon} />}
        onClick={commands.remove}
      />
    </>
  );
}

/** Lists types that fit after the selected node, then those that go elsewhere, and says why a type can't be added. */
function insertItems({ config }: FlowEditor, { node, insert }: FlowCommands): readonly MenuItem[] {
  const places = placementsFor(config, node?.id ?? null);
  const item = ({ type, at, isHere, isTaken }: NodePlacement): MenuItem => {
    const before = config.nodes[at - 1];
    const place = before === undefined ? t.goesFirst : t.goesAfter(titleOf(before));
    return {
      label: nodeName(type),
      detail: isHere ? nodePurposes[type] : `${nodePurposes[type]}. ${place}.`,
      icon: <NodeGlyph type={type} />,
      disabledReason: isTaken ? t.onlyOne(type) : null,
      act: () => insert(type),
    };
  };
  const here = places.filter(({ isHere, isTaken }) => isHere && !isTaken);
  const elsewhere = places.filter(({ isHere, isTaken }) => !isHere && !isTaken);
  const taken = places.filter(({ isTaken }) => isTaken);
  return [
    ...(here.length === 0 ? [] : [{ heading: t.insertHere }, ...here.map(item)]),
    ...(elsewhere.length === 0 ? [] : [{ heading: t.insertElsewhere }, ...elsewhere.map(item)]),
    ...(taken.length === 0 ? [] : ['line' as const, ...taken.map(item)]),
  ];
}
