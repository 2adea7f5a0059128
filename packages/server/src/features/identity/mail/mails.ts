/**
 * Every email that the server sends to people with an account or an invitation. `to` is one address. Tokens appear in
 * these emails' links and nowhere else in readable form (docs/adr/0042).
 */
export type Mail =
  /**
   * Asks whoever registered the address to prove that it's theirs: link to `GET /api/v1/auth/verify`. `name`: from this
   * registration, which distinguishes its link from others; emails of earlier versions have none.
   */
  | { readonly kind: 'verification'; readonly to: string; readonly name?: string; readonly token: string }
  /** Someone registered an address that has an account already. */
  | { readonly kind: 'registration_known'; readonly to: string }
  /** Link to `/reset-password`. */
  | { readonly kind: 'reset'; readonly to: string; readonly tenantName: string; readonly token: string }
  /** Link to `/accept-invite`. `invitedBy`: the person's name; null for a machine. */
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
  /** The account's second factor has changed. Tells the owner who did it. */
  | {
      readonly kind: 'second_factor';
      readonly to: string;
      readonly tenantName: string;
      readonly change: 'enabled' | 'disabled' | 'reset';
    }
  /** A request to change a record awaits someone like this person. */
  | {
      readonly kind: 'approval_requested';
      readonly to: string;
      readonly tenantName: string;
      readonly approvalId: string;
      readonly requestedBy: string;
      readonly stageName: string;
      readonly change: ApprovalChangeWords;
    }
  /** This person's request has ended. `by`: who decided; null if it expired. */
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
 * Hours after which an email is useless and no longer sent: the lifetime of its link (docs/design/api-access.md 4.2),
 * or three days without one.
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
