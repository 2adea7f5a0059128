import { notificationOperations } from '@arbiter/contract/operations/notifications';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { can } from '../../data/can.ts';
import { useMutate } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { destinationTexts as t } from '../../messages/access/destinations.ts';
import { deletionTexts, editingTexts } from '../../messages/lists/editing.ts';
import { addresses } from '../../route/addresses.ts';
import { Button } from '../../ui/button.tsx';
import { useLinks } from '../../ui/link.tsx';
import { ConfirmDialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';

/** Deletes a destination after the user types its name. */
export function DeleteDestination({ id, name }: { readonly id: string; readonly name: string }) {
  const [isAsking, setAsking] = useState(false);
  const links = useLinks();
  const { done, busy, failure } = useMutate(notificationOperations.remove);
  const permission = can(notificationOperations.remove);
  const remove = async () => {
    if (!(await done({ params: { id } }))) return;
    setAsking(false);
    toast({ text: deletionTexts.done(name) });
    links.go(addresses.destinations());
  };
  return (
    <>
      <Button
        kind="danger"
        icon={<Trash2 aria-hidden className="size-4" />}
        disabledReason={permission.allowed ? null : editingTexts.needsRole(permission.needs)}
        onClick={() => setAsking(true)}
      >
        {deletionTexts.delete}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={deletionTexts.question(name)}
        act={deletionTexts.deleteOne(name)}
        typed={name}
        busy={busy}
        onConfirm={() => void remove()}
      >
        {failure === null ? null : (
          <FailurePanel failure={failure} operation={notificationOperations.remove} retry={() => void remove()} />
        )}
        <p>{t.deleteText}</p>
      </ConfirmDialog>
    </>
  );
}
