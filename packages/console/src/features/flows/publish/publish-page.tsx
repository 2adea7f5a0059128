import { type DecisionFlow, decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { can } from '../../../data/can.ts';
import { drillTo } from '../../../data/drill.ts';
import { codeOf } from '../../../data/failure.ts';
import { recall } from '../../../data/storage.ts';
import { useMutate, useOperation } from '../../../data/use-operation.ts';
import { needsApproval } from '../../../forms/editing/approval-need.ts';
import { useApprovalRequest } from '../../../forms/editing/use-approval-request.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { Loaded } from '../../../forms/loaded.tsx';
import { flowEditorTexts } from '../../../messages/flows/flow-editor.ts';
import { flowPublishTexts as t } from '../../../messages/flows/flow-publish.ts';
import { flowTexts } from '../../../messages/flows/flows.ts';
import { editingTexts } from '../../../messages/lists/editing.ts';
import { addresses } from '../../../route/addresses.ts';
import { useParam } from '../../../route/use-address.ts';
import { useKeys } from '../../../route/use-keys.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { TextAreaField } from '../../../ui/field.tsx';
import { useLinks } from '../../../ui/link.tsx';
import { toast } from '../../../ui/overlays/toast.tsx';
import { Page, Section } from '../../../ui/page.tsx';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { unsavedName } from '../editor/unsaved-name.ts';
import { VersionDifference } from '../version-difference.tsx';
import { PublishImpact } from './publish-impact.tsx';
import { useDraftErrors } from './use-draft-errors.ts';

/** Publishes the draft of a flow. Shows what changes and for whom, and takes notes. */
export function PublishPage() {
  const id = useParam('id');
  const answer = useOperation(decisionFlowOperations.get, { params: { id } });
  const flow: DecisionFlow | undefined = answer.data;
  const name = flow?.name ?? flowTexts.flow;
  const list = { title: flowTexts.flows, to: addresses.flows() };
  return (
    <Page title={t.title(name)} lead={t.lead} parents={[list, { title: name, to: addresses.flow(id) }]}>
      <Loaded answer={answer} operation={decisionFlowOperations.get} instead={list}>
        {(body) => <Publishing flow={body} />}
      </Loaded>
    </Page>
  );
}

function Publishing({ flow }: { readonly flow: DecisionFlow }) {
  const [notes, setNotes] = useState('');
  const [done, setDone] = useState<number | null>(null);
  const errors = useDraftErrors(flow);
  const live = flow.publishedVersions.at(-1)?.version ?? null;
  const hasUnsaved = recall(`draft:${unsavedName(flow.id)}`) !== undefined;
  if (done !== null) return <Published flow={flow} version={done} />;
  return (
    <div className="flex flex-col gap-4">
      {hasUnsaved ? (
        <ProblemPanel
          tone="warn"
          title={t.unsaved}
          actions={<ButtonLink to={addresses.editFlow(flow.id)}>{t.editDraft}</ButtonLink>}
        >
          {t.unsavedText}
        </ProblemPanel>
      ) : null}
      {errors === undefined || errors.length === 0 ? null : (
        <ProblemPanel
          title={t.blocked}
          details={errors.map(({ nodeId, message }) => ({ label: nodeId ?? flowTexts.flow, message }))}
          actions={<ButtonLink to={addresses.editFlow(flow.id)}>{t.editDraft}</ButtonLink>}
        />
      )}
      <Section title={t.changes} about={live === null ? null : <span className="text-soft">{t.against(live)}</span>}>
        {live === null ? (
          <p className="text-soft">{t.firstVersion}</p>
        ) : (
          <VersionDifference id={flow.id} from={String(live)} to="draft" sameText={t.noChanges} />
        )}
      </Section>
      <PublishImpact flow={flow} isSound={errors?.length === 0} />
      <Section title={t.notes}>
        <TextAreaField
          label={t.notes}
          labelHidden
          dir="auto"
          help={t.notesHelp}
          maxLength={2000}
          value={notes}
          onChange={({ target }) => setNotes(target.value)}
        />
      </Section>
      <PublishBar flow={flow} notes={notes} errors={errors?.length} onDone={setDone} />
    </div>
  );
}

interface PublishBarProps {
  readonly flow: DecisionFlow;
  readonly notes: string;
  /** Number of problems; undefined until they're known. */
  readonly errors: number | undefined;
  readonly onDone: (version: number) => void;
}

/** Publishes the shown draft, or requests approval for it. */
function PublishBar({ flow, notes, errors, onDone }: PublishBarProps) {
  const links = useLinks();
  const { publish: operation } = decisionFlowOperations;
  const mutation = useMutate(operation);
  const approval = useApprovalRequest();
  const refused = codeOf(mutation.failure) === 'approval_required';
  const write = { operation, entityType: 'decisionFlow', before: null, after: { status: 'active' } };
  const isRequest = needsApproval(write) || refused;
  const permission = can(operation);
  const isEmpty = !Array.isArray(flow.draftConfig.nodes) || flow.draftConfig.nodes.length === 0;
  const problem = errors === undefined ? t.checking : errors > 0 ? t.blocked : isEmpty ? t.empty : null;
  const reason = permission.allowed ? problem : editingTexts.needsRole(permission.needs);
  const { rowVersion } = flow;
  const note = notes.trim() === '' ? null : notes.trim();
  const request = async () => {
    const payload = { publish: true, rowVersion, ...(note === null ? {} : { notes: note }) };
    const isFiled = await approval.file({
      ...{ entityType: 'decisionFlow', entityId: flow.id, entityName: flow.name, action: 'update', payload },
    });
    if (!isFiled) return;
    const see = () => links.go(addresses.approvals({ tab: 'mine' }));
    toast({ text: t.requested(flow.name), action: { label: editingTexts.seeRequests, run: see } });
    links.go(addresses.flow(flow.id));
  };
  const publish = async () => {
    const saved = await mutation.run({ body: { id: flow.id, rowVersion, notes: note } });
    if (saved !== null) onDone(saved.publishedVersions.at(-1)?.version ?? 1);
  };
  const run = () => {
    if (reason === null && !mutation.busy && !approval.busy) void (isRequest ? request() : publish());
  };
  const act = isRequest ? t.request : t.publish;
  useKeys([{ keys: 'mod+enter', title: act, run }]);
  const failure = approval.failure ?? (refused ? null : mutation.failure);
  return (
    <>
      {failure === null ? null : <FailurePanel failure={failure} operation={operation} retry={run} />}
      <div
        data-save-bar
        className="sticky bottom-0 z-10 -mx-4 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-canvas px-4 py-3 md:-mx-6 md:px-6"
      >
        <p role="status" className="min-w-0 grow text-dense text-soft">
          {isRequest ? `${t.requestNext} ${t.pinned}` : (reason ?? '')}
        </p>
        <ButtonLink to={addresses.editFlow(flow.id)}>{t.editDraft}</ButtonLink>
        <Button
          kind="primary"
          icon={<Send aria-hidden className="size-4" />}
          busy={mutation.busy || approval.busy}
          disabledReason={reason}
          onClick={run}
        >
          {act}
        </Button>
      </div>
    </>
  );
}

function Published({ flow, version }: { readonly flow: DecisionFlow; readonly version: number }) {
  return (
    <ProblemPanel
      tone="info"
      title={t.published(version)}
      actions={
        <>
          <ButtonLink to={drillTo({ decisionFlowKey: flow.key, version }).to}>{t.decisions}</ButtonLink>
          <ButtonLink to={addresses.flow(flow.id)}>{t.backToFlow}</ButtonLink>
          <ButtonLink to={addresses.editFlow(flow.id)}>{flowEditorTexts.draftOf(flow.name)}</ButtonLink>
        </>
      }
    >
      {t.publishedText}
    </ProblemPanel>
  );
}
