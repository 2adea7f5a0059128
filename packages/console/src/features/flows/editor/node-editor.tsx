import { NodeGlyph } from '../../../flow-canvas/index.ts';
import { nodePurposes, flowEditorTexts as t } from '../../../messages/flows/flow-editor.ts';
import { nodeName } from '../../../messages/flows/flow-nodes.ts';
import { later } from '../../../ui/later.tsx';
import { Skeleton } from '../../../ui/progress.tsx';
import { NodeOutcome } from '../node-panel.tsx';
import type { FlowRun } from '../run.ts';
import type { FlowCheck } from './use-flow-check.ts';
import { type FlowCommands, titleOf } from './use-flow-commands.ts';
import type { FlowEditor } from './use-flow-editor.ts';

/** A separate chunk, because it includes the settings of all node types. */
const NodeForm = later(
  () => import('./node-form.tsx').then((module) => module.NodeForm),
  <Skeleton className="h-64 w-full" />,
);

const FlowSettingsForm = later(
  () => import('./flow-settings-form.tsx').then((module) => module.FlowSettingsForm),
  <Skeleton className="h-48 w-full" />,
);

export interface NodeEditorProps {
  readonly editor: FlowEditor;
  readonly commands: FlowCommands;
  readonly check: FlowCheck;
  readonly run: FlowRun | null;
}

const purposes: Readonly<Record<string, string>> = nodePurposes;

/** Edits the selected node: its purpose, its settings, and its result for the customer. */
export function NodeEditor({ editor, commands, check, run }: NodeEditorProps) {
  const { node, edit } = commands;
  const { config } = editor;
  if (node === undefined) return <FlowSettings editor={editor} check={check} />;
  return (
    <div className="flex flex-col gap-4 p-4">
      <header className="flex flex-col gap-1">
        <h2 dir="auto" className="flex min-w-0 items-center gap-2 text-section font-semibold">
          <NodeGlyph type={node.type} />
          <span className="min-w-0 break-words">{titleOf(node)}</span>
        </h2>
        <p className="text-dense text-soft">
          {nodeName(node.type)}
          {purposes[node.type] === undefined ? '' : `: ${purposes[node.type]}`}
        </p>
        {node.enabled === false ? <p className="text-dense text-warn">{t.isOff}</p> : null}
      </header>
      <NodeOutcome id={node.id} run={run} />
      <NodeForm
        key={node.id}
        config={config}
        node={node}
        findings={check.findings}
        customFields={check.customFields}
        onChange={edit}
      />
    </div>
  );
}

/** While no node is selected: the settings of the flow. */
function FlowSettings({ editor, check }: Pick<NodeEditorProps, 'editor' | 'check'>) {
  const { config, change } = editor;
  return (
    <div className="flex flex-col gap-4 p-4">
      <header>
        <h2 className="text-section font-semibold">{t.flowSettings}</h2>
        <p className="text-dense text-soft">{t.flowSettingsText}</p>
      </header>
      <FlowSettingsForm
        config={config}
        findings={check.findings}
        onChange={(next, path) => change({ config: next, selected: null }, { label: t.steps.settings, key: path })}
      />
    </div>
  );
}
