import { baseFlowConfig } from '@arbiter/contract/catalogue/decision-flows';
import { type FocusEvent, useCallback, useEffect, useMemo, useRef } from 'react';
import { editableConfig } from '../../../flow-canvas/editing/flow-config.ts';
import { readFlow } from '../../../flow-canvas/index.ts';
import { flowEditorTexts as t } from '../../../messages/flows/flow-editor.ts';
import { flowTexts } from '../../../messages/flows/flows.ts';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { useMedia, wideWindow } from '../../../ui/use-media.ts';
import { FlowNodes } from '../flow-nodes.tsx';
import type { FlowWorkProps } from '../flow-work.tsx';
import { CommandBar } from './command-bar.tsx';
import { DraftTrials, useDraftTrials } from './draft-trials.tsx';
import { EditorNotices, SaveBar } from './editor-notices.tsx';
import { NodeEditor } from './node-editor.tsx';
import { ProblemList } from './problem-list.tsx';
import { useFlowCheck } from './use-flow-check.ts';
import { nodeAt, useFlowCommands } from './use-flow-commands.ts';
import { type FlowEditor, useFlowEditor } from './use-flow-editor.ts';

/** Moves the focus to a node, or a field, once it's drawn. */
function useFocusLater() {
  const box = useRef<HTMLDivElement>(null);
  const wanted = useRef<string | null>(null);
  useEffect(() => {
    if (wanted.current === null) return;
    const target = box.current?.querySelector<HTMLElement>(wanted.current);
    if (target == null) return;
    wanted.current = null;
    // The field may be under "more".
    target.closest('details')?.setAttribute('open', '');
    target.focus();
  });
  const focusNode = useCallback((id: string | null) => {
    const name = id === null ? null : CSS.escape(id);
    wanted.current = name === null ? null : `[data-node="${name}"], .react-flow__node[data-id="${name}"]`;
  }, []);
  const focusField = useCallback((id: string) => {
    wanted.current = `#${CSS.escape(id)}, #${CSS.escape(id)} input`;
  }, []);
  return { box, wanted, focusNode, focusField };
}

/** Edits a draft: its nodes, the settings of the selected one, problems, and the result for a customer. */
export function FlowWorkbench({ flow, search, onChange }: FlowWorkProps) {
  const isWide = useMedia(wideWindow);
  const { box, wanted, focusNode, focusField } = useFocusLater();
  const select = useCallback((id: string | null) => onChange({ node: id ?? undefined }), [onChange]);
  const editor = useFlowEditor(flow, select);
  const { config } = editor;
  const check = useFlowCheck(flow.id, config);
  const isSound = check.findings.every(({ severity }) => severity !== 'error') && config.nodes.length > 0;
  const trials = useDraftTrials(flow.id, config, search, isSound);
  const commands = useFlowCommands(editor, search.node, focusNode);
  const shown = useMemo(() => readFlow(config), [config]);
  const view = search.view === 'canvas' ? 'canvas' : 'outline';
  const onFocus = (event: FocusEvent<HTMLElement>) => {
    const id = nodeAt(event.target);
    // On narrow screens, the selected node replaces the list.
    if (isWide && id !== null && id !== search.node) select(id);
  };
  return (
    <div ref={box} className="flex flex-col gap-3">
      <EditorNotices editor={editor} />
      <div className="flex flex-wrap items-end justify-between gap-3">
        <DraftTrials {...{ flow, config, search, trials, onChange }} />
        <ViewChoice view={view} onChange={onChange} />
      </div>
      <CommandBar
        editor={editor}
        commands={commands}
        movesFocus={() => wanted.current !== null}
        onSettings={() => select(null)}
      />
      <ProblemList
        editor={editor}
        findings={check.findings}
        onShow={(nodeId, field) => {
          select(nodeId);
          focusField(field);
        }}
      />
      {config.nodes.length === 0 ? (
        <EmptyFlow editor={editor} />
      ) : (
        // biome-ignore lint/a11y/noStaticElementInteractions: the nodes inside are buttons, and these are their keys
        <div onKeyDown={commands.onKeyDown} onFocus={onFocus}>
          <FlowNodes
            flow={shown}
            canvasKey={`${flow.id} editor`}
            loading={false}
            selected={search.node}
            run={trials.run}
            problems={check.findings}
            onChange={onChange}
            {...{ view }}
            panel={<NodeEditor {...{ editor, commands, check }} run={trials.run} />}
          />
        </div>
      )}
      <SaveBar editor={editor} flow={flow} findings={check.findings} />
    </div>
  );
}

/** Starts a flow without nodes with the nodes of the base flow. */
function EmptyFlow({ editor: { config, change } }: { readonly editor: FlowEditor }) {
  const start = () => {
    const { nodes } = editableConfig(baseFlowConfig);
    change({ config: { ...config, nodes }, selected: null }, { label: t.baseNodes.toLowerCase() });
  };
  return (
    <Empty
      title={t.emptyFlow}
      actions={
        <Button kind="primary" onClick={start}>
          {t.baseNodes}
        </Button>
      }
    >
      {t.emptyFlowText}
    </Empty>
  );
}

type ChangeAddress = FlowWorkProps['onChange'];

function ViewChoice({ view, onChange }: { readonly view: 'canvas' | 'outline'; readonly onChange: ChangeAddress }) {
  return (
    <div className="max-md:hidden">
      <Segmented
        label={flowTexts.view}
        options={[
          { key: 'outline', label: flowTexts.outline },
          { key: 'canvas', label: flowTexts.canvas },
        ]}
        value={view}
        onChange={(next) => onChange({ view: next === 'outline' ? undefined : next })}
      />
    </div>
  );
}
