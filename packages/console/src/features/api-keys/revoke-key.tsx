import { type ApiKey, apiKeyOperations } from '@arbiter/contract/identity/api-keys';
import { useMutate } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { apiKeyTexts as t } from '../../messages/settings.ts';
import { ConfirmDialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';

/** Confirms and revokes a key. */
export function RevokeKey({ apiKey: { id, name }, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { done, busy, failure } = useMutate(apiKeyOperations.revoke);
  const revoke = async () => {
    if (!(await done({ params: { id }, body: {} }))) return;
    onClose();
    toast({ text: t.revoked(name) });
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t.revokeTitle(name)}
      act={t.revokeAct(name)}
      busy={busy}
      onConfirm={revoke}
    >
      {failure === null ? null : (
        <FailurePanel failure={failure} operation={apiKeyOperations.revoke} retry={() => void revoke()} />
      )}
      <p>{t.revokeText}</p>
    </ConfirmDialog>
  );
}
