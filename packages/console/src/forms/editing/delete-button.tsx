import type { Operation } from '@arbiter/contract/core/operation';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { can } from '../../data/can.ts';
import { deleteLater, undoMs } from '../../data/pending-deletions.ts';
import { useMutate } from '../../data/use-operation.ts';
import { editingTexts, deletionTexts as t } from '../../messages/lists/editing.ts';
import { type RecordKind, recordKinds } from '../../records/record-kinds.ts';
import { Button } from '../../ui/button.tsx';
import { useLinks } from '../../ui/link.tsx';
import { ConfirmDialog, Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { FailurePanel } from '../failure-panel.tsx';

export interface DeleteButtonProps {
  readonly kind: RecordKind;
  readonly operation: Operation;
  readonly id: string;
  readonly name: string;
  /** True if the record can be restored: then it's deleted after six seconds, unless it's undone. */
  readonly isSoft: boolean;
  /** Why this record can't be deleted. */
  readonly disabledReason?: string | null;
  /** Where to go after the deletion. Default: the list of its kind. */
  readonly after?: string;
}

/** Deletes a record: with Undo, or after its name was typed if it can't be restored. */
export function DeleteButton(props: DeleteButtonProps) {
  const { kind, operation, id, name, isSoft, disabledReason = null, after = recordKinds[kind].path } = props;
  const [isAsking, setAsking] = useState(false);
  const links = useLinks();
  const removal = useMutate(operation);
  const permission = can(operation);
  const remove = () => removal.done({ params: { id } });
  const removeSoftly = () => {
    const undo = deleteLater(id, () => {
      void remove().then((isDone) => toast({ text: isDone ? t.done(name) : t.failed(name) }));
    });
    toast({
      text: t.waiting(name),
      staysMs: undoMs,
      action: { label: t.undo, run: () => void (undo() && toast({ text: t.undone(name) })) },
    });
    links.go(after);
  };
  const removeForGood = async () => {
    const isDone = await remove();
    setAsking(false);
    if (!isDone) return;
    toast({ text: t.done(name) });
    links.go(after);
  };
  return (
    <>
      <Button
        kind="danger"
        icon={<Trash2 aria-hidden className="size-4" />}
        busy={removal.busy}
        disabledReason={disabledReason ?? (permission.allowed ? null : editingTexts.needsRole(permission.needs))}
        onClick={() => (isSoft ? removeSoftly() : setAsking(true))}
      >
        {t.delete}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={t.question(name)}
        act={t.deleteOne(name)}
        typed={name}
        busy={removal.busy}
        onConfirm={() => void removeForGood()}
      >
        {t.forGood}
      </ConfirmDialog>
      {removal.failure === null ? null : (
        <Dialog open onOpenChange={removal.clear} title={t.failed(name)}>
          <FailurePanel failure={removal.failure} operation={operation} retry={null} />
        </Dialog>
      )}
    </>
  );
}
