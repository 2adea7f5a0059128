import type { Mail } from './mails.ts';

const to = 'jane@example.org';
const tenantName = 'Acme Insurance';
const token = 'JbV2k0cYt3mQ8rWx5uZp1sNf7hLd9gAe4oTi6yRb0Cw';

/** One of each kind. */
export const everyMail: readonly Mail[] = [
  { kind: 'verification', to, name: 'Jane Doe', token },
  { kind: 'verification', to, token },
  { kind: 'registration_known', to },
  { kind: 'reset', to, tenantName, token },
  { kind: 'invitation', to, tenantName, invitedBy: 'Ann Example', token },
  { kind: 'invitation', to, tenantName, invitedBy: null, token },
  { kind: 'locked', to, tenantName, until: '2026-11-20T14:05:00.000Z' },
  { kind: 'locked', to, tenantName, until: '2026-11-20T14:05:00.000Z', passwordKnown: true },
  { kind: 'welcome', to, name: 'Jane Doe', tenantName },
  ...(['enabled', 'disabled', 'reset'] as const).map((change) => ({
    kind: 'second_factor' as const,
    to,
    tenantName,
    change,
  })),
  {
    kind: 'approval_requested',
    to,
    tenantName,
    approvalId: '0190a1b2-c3d4-7e5f-8a9b-6f6666657200',
    requestedBy: 'Lee Editor',
    stageName: 'Business',
    change: { action: 'update', entityType: 'contactPolicy', entityName: 'Three a day' },
  },
  ...(['approved', 'rejected', 'expired'] as const).map((outcome) => ({
    kind: 'approval_resolved' as const,
    to,
    tenantName,
    approvalId: '0190a1b2-c3d4-7e5f-8a9b-6f6666657200',
    outcome,
    by: outcome === 'expired' ? null : 'Ann Example',
    comments: outcome === 'rejected' ? 'Not before spring.' : null,
    change: { action: 'create' as const, entityType: 'offer', entityName: 'Gold card' },
  })),
];
