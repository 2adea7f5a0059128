import { invitationOperations } from '@arbiter/contract/identity/people';
import { useState } from 'react';
import { useBulk } from '../../data/bulk/use-bulk.ts';
import type { Failure } from '../../data/failure.ts';
import { adviceFor } from '../../data/problems.ts';
import { peopleTexts as t } from '../../messages/access/people.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextAreaField } from '../../ui/field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { type Invitee, readInvitees } from './invitees.ts';

const givenRoles = ['viewer', 'editor', 'admin'] as const;
export type GivenRole = (typeof givenRoles)[number];

/** Selects a role, and says what it allows. */
export function RoleField({ value, onChange }: { value: GivenRole; onChange: (role: GivenRole) => void }) {
  return (
    <SelectField
      label={t.inviteRole}
      help={t.roleHelp[value]}
      options={givenRoles.map((role) => ({ value: role, label: t.roles[role] }))}
      value={value}
      onChange={({ target }) => onChange(givenRoles.find((each) => each === target.value) ?? value)}
    />
  );
}

const reasonOf = (failure: Failure): string => {
  const { title, entries } = adviceFor(failure, invitationOperations.invite);
  return entries[0]?.message ?? title;
};

/** Invites people with one call each. Failed ones stay in the field for correction. */
export function Invite({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [role, setRole] = useState<GivenRole>('viewer');
  const [failed, setFailed] = useState<readonly (Invitee & { readonly reason: string })[]>([]);
  const { run, stop, progress } = useBulk(invitationOperations.invite);
  const { people, wrong } = readInvitees(text);
  const invite = async () => {
    const failures = await run(
      people.map(({ email, name }) => ({ body: { email, role, ...(name === undefined ? {} : { name }) } })),
    );
    const left = people.flatMap((person, at) => {
      const failure = failures[at] ?? null;
      return failure === null ? [] : [{ ...person, reason: reasonOf(failure) }];
    });
    if (left.length < people.length) toast({ text: t.invited(people.length - left.length) });
    if (left.length === 0) return onClose();
    setFailed(left);
    setText(left.map(({ line }) => line).join('\n'));
  };
  const [firstWrong] = wrong;
  const reason = firstWrong !== undefined ? t.notAddress(firstWrong) : people.length === 0 ? t.inviteEmpty : null;
  return (
    <Dialog
      open
      onOpenChange={progress === null ? onClose : () => undefined}
      mustAnswer={progress !== null}
      title={t.invite}
      description={t.inviteLead}
      footer={
        <>
          {progress === null ? (
            <Button onClick={onClose}>{t.cancel}</Button>
          ) : (
            <>
              <span role="status" className="me-auto text-dense text-soft">
                {t.inviting(progress.done + 1, progress.total)}
              </span>
              <Button onClick={stop}>{t.stop}</Button>
            </>
          )}
          <Button kind="primary" busy={progress !== null} disabledReason={reason} onClick={() => void invite()}>
            {t.inviteAct(people.length)}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {failed.length === 0 ? null : (
          <ProblemPanel
            title={t.notInvited(failed.length)}
            details={failed.map(({ email, reason: message }) => ({ label: email, message }))}
          />
        )}
        <TextAreaField
          label={t.inviteEmails}
          help={t.inviteEmailsHelp}
          error={firstWrong === undefined || !text.endsWith('\n') ? undefined : t.notAddress(firstWrong)}
          spellCheck={false}
          readOnly={progress !== null}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <RoleField value={role} onChange={setRole} />
      </div>
    </Dialog>
  );
}
