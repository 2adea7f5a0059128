import { type UserCredential, userCredentialOperations } from '@arbiter/contract/identity/user-credentials';
import { type User, userOperations } from '@arbiter/contract/identity/users';
import { useState } from 'react';
import { useList, useMutate, useOperation } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { peopleTexts as t } from '../../messages/access/people.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { ConfirmDialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { useFormat } from '../../ui/provider.tsx';

/** Shows what stops working with a person before they are deactivated, and hands it over. */
export function Deactivate({ user, onClose }: { user: User; onClose: () => void }) {
  const owned = useOperation(userCredentialOperations.list, { params: { id: user.id } });
  const { done, busy, failure } = useMutate(userOperations.deactivate);
  const deactivate = async () => {
    if (!(await done({ params: { id: user.id } }))) return;
    onClose();
    toast({ text: t.deactivated(user.name) });
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t.deactivateTitle(user.name)}
      act={t.deactivateAct(user.name)}
      busy={busy || owned.loading}
      onConfirm={deactivate}
    >
      {failure === null ? null : (
        <FailurePanel failure={failure} operation={userOperations.deactivate} retry={() => void deactivate()} />
      )}
      <p>{t.deactivateText}</p>
      {owned.failure === null ? null : (
        <FailurePanel failure={owned.failure} operation={userCredentialOperations.list} retry={owned.refresh} />
      )}
      {owned.loading ? <p>{t.reading}</p> : null}
      {owned.data === undefined ? null : owned.data.total === 0 ? (
        <p>{t.ownsNothing}</p>
      ) : (
        <Owned user={user} credentials={owned.data.data} total={owned.data.total} onMoved={owned.refresh} />
      )}
    </ConfirmDialog>
  );
}

interface OwnedProps {
  readonly user: User;
  readonly credentials: readonly UserCredential[];
  readonly total: number;
  readonly onMoved: () => void;
}

function Owned({ user, credentials, total, onMoved }: OwnedProps) {
  const format = useFormat();
  const admins = useList(userOperations.list, { query: { role: 'admin', status: 'active', limit: 100 } });
  const [toUserId, setTo] = useState('');
  const { run, busy, failure } = useMutate(userCredentialOperations.reassign);
  const others = admins.rows.filter(({ id }) => id !== user.id);
  const reassign = async () => {
    const moved = await run({ params: { id: user.id }, body: { toUserId } });
    if (moved === null) return;
    toast({ text: t.reassigned(moved.total, others.find(({ id }) => id === toUserId)?.name ?? toUserId) });
    onMoved();
  };
  return (
    <>
      <p>{t.owns(total)}</p>
      <ul className="flex flex-col gap-1">
        {credentials.map(({ id, kind, name, prefix, lastUsedAt }) => (
          <li key={id}>
            <span className="font-medium text-ink">{name}</span> · {t.kinds[kind]} · {prefix} ·{' '}
            {lastUsedAt === null ? t.usedNever : format.moment(lastUsedAt)}
          </li>
        ))}
      </ul>
      {failure === null ? null : (
        <FailurePanel failure={failure} operation={userCredentialOperations.reassign} retry={() => void reassign()} />
      )}
      <div className="flex items-end gap-2">
        <SelectField
          className="flex-1"
          label={t.reassignTo}
          help={t.reassignHelp}
          placeholder={t.reassignNone}
          value={toUserId}
          options={others.map(({ id, name, email }) => ({ value: id, label: `${name} (${email})` }))}
          onChange={({ target }) => setTo(target.value)}
        />
        <Button busy={busy} disabledReason={toUserId === '' ? t.reassignTo : null} onClick={() => void reassign()}>
          {t.reassign}
        </Button>
      </div>
    </>
  );
}
