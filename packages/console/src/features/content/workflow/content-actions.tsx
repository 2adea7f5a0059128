import { type ContentItem, contentOperations } from '@arbiter/contract/catalogue/content';
import { useState } from 'react';
import { can } from '../../../data/can.ts';
import { useMutate } from '../../../data/use-operation.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { contentTexts as t } from '../../../messages/content/items.ts';
import { editingTexts } from '../../../messages/lists/editing.ts';
import { useKeys } from '../../../route/use-keys.ts';
import { Button } from '../../../ui/button.tsx';
import { TextAreaField } from '../../../ui/field.tsx';
import { ConfirmDialog, Dialog } from '../../../ui/overlays/dialog.tsx';
import { toast } from '../../../ui/overlays/toast.tsx';
import { whyNotChange } from '../content-enabled.ts';
import { ownId } from '../person.tsx';
import { type ContentStep, isOwnRequest, stepsOf } from './steps.ts';

const operations = {
  submit: contentOperations.submit,
  approve: contentOperations.approve,
  reject: contentOperations.reject,
  publish: contentOperations.publish,
  archive: contentOperations.deleteById,
} as const;

/** Mutations of the workflow's steps. */
function useSteps({ id, name }: ContentItem) {
  const [submit, approve, reject, publish, archive] = [
    useMutate(operations.submit),
    useMutate(operations.approve),
    useMutate(operations.reject),
    useMutate(operations.publish),
    useMutate(operations.archive),
  ];
  const mutations = { submit, approve, reject, publish, archive };
  const params = { id };
  const run = async (step: ContentStep, reason = ''): Promise<boolean> => {
    const isDone =
      step === 'reject'
        ? await reject.done({ params, body: reason.trim() === '' ? {} : { reason: reason.trim() } })
        : await mutations[step].done({ params });
    if (isDone) toast({ text: t.done[step](name) });
    return isDone;
  };
  return { mutations, run };
}

/** The buttons of the workflow: those that the status allows, with the reason why the user can't press one. */
export function ContentActions({ item }: { readonly item: ContentItem }) {
  const [asking, setAsking] = useState<'reject' | 'archive' | null>(null);
  const [reason, setReason] = useState('');
  const { mutations, run } = useSteps(item);
  const steps = stepsOf(item);
  const usual = steps.at(-1);
  const reasonFor = (step: ContentStep): string | null => {
    const permission = can(operations[step]);
    if (!permission.allowed) return editingTexts.needsRole(permission.needs);
    return whyNotChange() ?? (step === 'approve' && isOwnRequest(item, ownId()) ? t.ownRequest : null);
  };
  const press = (step: ContentStep) => {
    if (step === 'reject' || step === 'archive') setAsking(step);
    else void run(step);
  };
  const keyed = usual !== undefined && usual !== 'archive' && reasonFor(usual) === null ? usual : null;
  useKeys(keyed === null ? [] : [{ keys: 'mod+enter', title: t.steps[keyed], run: () => press(keyed) }]);
  const failed = steps.find((step) => mutations[step].failure !== null && asking !== step);
  const failure = failed === undefined ? null : mutations[failed].failure;
  return (
    <>
      {steps.map((step) => (
        <Button
          key={step}
          {...(step === 'archive' ? { kind: 'danger' as const } : step === usual ? { kind: 'primary' as const } : {})}
          busy={mutations[step].busy}
          disabledReason={reasonFor(step)}
          onClick={() => press(step)}
        >
          {t.steps[step]}
        </Button>
      ))}
      <ConfirmDialog
        open={asking === 'archive'}
        onOpenChange={() => setAsking(null)}
        title={t.archiveQuestion(item.name)}
        act={t.steps.archive}
        busy={mutations.archive.busy}
        onConfirm={() => void run('archive').then((isDone) => isDone && setAsking(null))}
      >
        <p>{t.archiveText}</p>
        {mutations.archive.failure === null ? null : (
          <FailurePanel failure={mutations.archive.failure} operation={operations.archive} retry={null} />
        )}
      </ConfirmDialog>
      <Dialog
        open={asking === 'reject'}
        onOpenChange={() => setAsking(null)}
        title={t.rejectQuestion(item.name)}
        width="narrow"
        footer={
          <>
            <Button onClick={() => setAsking(null)}>{t.cancel}</Button>
            <Button
              kind="primary"
              busy={mutations.reject.busy}
              onClick={() => void run('reject', reason).then((isDone) => isDone && setAsking(null))}
            >
              {t.steps.reject}
            </Button>
          </>
        }
      >
        <TextAreaField
          label={t.reason}
          help={t.reasonHelp}
          maxLength={1000}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        {mutations.reject.failure === null ? null : (
          <FailurePanel failure={mutations.reject.failure} operation={operations.reject} retry={null} />
        )}
      </Dialog>
      {failed === undefined || failure === null ? null : (
        <Dialog open onOpenChange={mutations[failed].clear} title={t.failed[failed]}>
          <FailurePanel failure={failure} operation={operations[failed]} retry={null} />
        </Dialog>
      )}
    </>
  );
}
