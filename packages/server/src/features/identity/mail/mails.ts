/**
 * Every mail that the server sends to people with an account, or with an invitation to one. `to` is one address. Tokens
 * stand in the links of these mails and nowhere else that can be read (docs/adr/0042).
 */
export type Mail =
  /**
   * Whoever registered the address is to prove that it is theirs: link to `GET /api/v1/auth/verify`. `name`: as this registration
   * gave it, by which its link is told from those of others; mails of earlier versions have none.
   */
  | { readonly kind: 'verification'; readonly to: string; readonly name?: string; readonly token: string }
  /** Somebody registered an address that has an account already. */
  | { readonly kind: 'registration_known'; readonly to: string }
  /** Link to `/reset-password`. */
  | { readonly kind: 'reset'; readonly to: string; readonly tenantName: string; readonly token: string }
  /** Link to `/accept-invite`. `invitedBy`: name of the person who did; null when a machine did. */
  | {
      readonly kind: 'invitation';
      readonly to: string;
      readonly tenantName: string;
      readonly invitedBy: string | null;
      readonly token: string;
    }
  /**
   * Five sign-ins in a row have failed. `until`: ISO 8601, when the lock ends. `passwordKnown`: the last one failed at the
   * second factor, behind the right password.
   */
  | {
      readonly kind: 'locked';
      readonly to: string;
      readonly tenantName: string;
      readonly until: string;
      readonly passwordKnown?: true;
    }
  /** For accounts that came to be without a verification: Google sign-in. */
  | { readonly kind: 'welcome'; readonly to: string; readonly name: string; readonly tenantName: string }
  /** The second factor of the account is another one than before: the owner is to know who did it. */
  | {
      readonly kind: 'second_factor';
      readonly to: string;
      readonly tenantName: string;
      readonly change: 'enabled' | 'disabled' | 'reset';
    }
  /** A request to change a record waits for somebody like this person. */
  | {
      readonly kind: 'approval_requested';
      readonly to: string;
      readonly tenantName: string;
      readonly approvalId: string;
      readonly requestedBy: string;
      readonly stageName: string;
      readonly change: ApprovalChangeWords;
    }
  /** A request of this person came to an end. `by`: who decided; null for one that expired. */
  | {
      readonly kind: 'approval_resolved';
      readonly to: string;
      readonly tenantName: string;
      readonly approvalId: string;
      readonly outcome: 'approved' | 'rejected' | 'expired';
      readonly by: string | null;
      readonly comments: string | null;
      readonly change: ApprovalChangeWords;
    };

/** The change that an approval is about. */
export interface ApprovalChangeWords {
  readonly action: 'create' | 'update' | 'delete';
  readonly entityType: string;
  readonly entityName: string;
}

export type MailKind = Mail['kind'];

/**
 * Hours after which a mail is of no more use and is not sent any more, however it was held up: the life of the link in it
 * (docs/design/api-access.md 4.2), three days without one.
 */
export const usefulHours: Readonly<Record<MailKind, number>> = {
  verification: 24,
  registration_known: 72,
  reset: 1,
  invitation: 168,
  locked: 72,
  welcome: 72,
  second_factor: 72,
  approval_requested: 72,
  approval_resolved: 72,
};
