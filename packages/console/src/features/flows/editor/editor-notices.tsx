import { type DecisionFlow, decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { Send } from 'lucide-react';
import { can } from '../../../data/can.ts';
import { codeOf, type Failure } from '../../../data/failure.ts';
import type { FlowFinding } from '../../../engine-worker/flow.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { flowEditorTexts as t } from '../../../messages/flows/flow-editor.ts';
import { editingTexts } from '../../../messages/lists/editing.ts';
import { addresses } from '../../../route/addresses.ts';
import { useKeys } from '../../../route/use-keys.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { useLinks } from '../../../ui/link.tsx';
import { toast } from '../../../ui/overlays/toast.tsx';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { FlowMergePanel } from './flow-merge-panel.tsx';
import { titleOf } from './use-flow-commands.ts';
import type { FlowEditor } from './use-flow-editor.ts';

const isAboutNodes = (failure: Failure): boolean => failure.kind === 'refused' && failure.problem.errors.length > 0;

/** What the author should know about the draft as a whole: restored work, others' changes, and a refused save. */
export function EditorNotices({ editor }: { readonly editor: FlowEditor }) {
  const { failure, conflicts, rebased, isRestored, config } = editor;
  // A conflict opens the merge instead.
  const isConflict = codeOf(failure) === 'row_version_conflict';
  const nameOf = (id: string) => {
    const node = config.nodes.find((each) => each.id === id);
    return node === undefined ? id : titleOf(node);
  };
  return (
    <>
      {isRestored ? (
        <ProblemPanel
          tone="info"
          title={t.restored}
          actions={
            <Button size="small" onClick={editor.discard}>
              {t.discard}
            </Button>
          }
        >
          {t.restoredText}
        </ProblemPanel>
      ) : null}
      {rebased.length === 0 ? null : <ProblemPanel tone="info" title={t.rebased(rebased.map(nameOf))} />}
      {conflicts.length === 0 ? null : <FlowMergePanel editor={editor} />}
      {failure === null || isConflict ? null : isAboutNodes(failure) ? (
        <ProblemPanel title={t.refused}>{t.refusedText}</ProblemPanel>
      ) : (
        <FailurePanel
          failure={failure}
          operation={decisionFlowOperations.updateById}
          retry={() => void editor.save()}
        />
      )}
    </>
  );
}

export interface SaveBarProps {
  readonly editor: FlowEditor;
  readonly flow: DecisionFlow;
  readonly findings: readonly FlowFinding[];
}

/** Saves the draft, or opens the page that publishes it. */
export function SaveBar({ editor, flow, findings }: SaveBarProps) {
  const links = useLinks();
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const saveReason = editor.conflicts.length > 0 ? t.mergeFirst : editor.isChanged ? null : t.allSaved;
  const mayPublish = can(decisionFlowOperations.publish);
  const publishReason = !mayPublish.allowed
    ? editingTexts.needsRole(mayPublish.needs)
    : editor.isChanged
      ? t.saveFirst
      : errors > 0
        ? t.fixFirst
        : null;
  const save = async () => {
    if (saveReason === null && (await editor.save())) toast({ text: t.savedAs(flow.name) });
  };
  const publish = () => {
    if (publishReason === null) links.go(addresses.publishFlow(flow.id));
  };
  useKeys([
    { keys: 'mod+s', title: t.save, run: () => void save() },
    { keys: 'mod+enter', title: t.publish, run: publish },
  ]);
  return (
    <div
      data-save-bar
      className="sticky bottom-0 z-10 -mx-4 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-canvas px-4 py-3 md:-mx-6 md:px-6"
    >
      <div
        role="status"
        className="flex min-w-0 grow flex-wrap items-center gap-2 text-dense text-soft max-sm:basis-full"
      >
        {errors === 0 ? <Badge tone="pass">{t.valid}</Badge> : <Badge tone="block">{t.problems(errors, 0)}</Badge>}
        <span>{editor.isChanged ? `${t.unsaved}. ${t.keptHere}` : t.allSaved}</span>
      </div>
      {editor.isChanged ? (
        <Button kind="quiet" onClick={editor.discard}>
          {t.discard}
        </Button>
      ) : null}
      <Button busy={editor.saving} disabledReason={saveReason} onClick={() => void save()}>
        {t.save}
      </Button>
      <Button
        kind="primary"
        icon={<Send aria-hidden className="size-4" />}
        disabledReason={publishReason}
        onClick={publish}
      >
        {t.publish}
      </Button>
    </div>
  );
}
